"""What every method of novelty detection answers: how novel rows are, and what each column adds to that."""

from __future__ import annotations

from typing import Protocol

from learnt.data.table import Array, Table


class Detector(Protocol):
    """Fitted to some rows. Novelty is larger for rows that are less like them."""

    @property
    def base_words(self) -> str:
        """What the part of a novelty is called that no column adds."""

    def novelty(self, table: Table) -> Array:
        """Of each row; the bits of a row do not depend on its neighbours in the table."""

    def parts(self, table: Table) -> tuple[Array, Array]:
        """The base of each row, and what each column adds, rows × columns: together, its novelty."""

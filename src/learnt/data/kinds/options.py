"""What the user said about the cells of text files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from learnt.data.schema import KindName, Label


@dataclass(frozen=True)
class ReadOptions:
    """Settings of `read` and `scan` that decide what texts mean."""

    missing: tuple[str, ...] | None = None  # None: the usual markers, by the rules; given: these texts, everywhere
    decimal: str = "."
    date_order: str | None = None  # "day", "month" or None: found from the whole column
    kinds: Mapping[str, KindName] = field(default_factory=dict)
    ordinal: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    # What was settled when a model learnt from such a file, by column:
    missing_in: Mapping[str, Collection[str]] = field(default_factory=dict)
    date_orders: Mapping[str, str] = field(default_factory=dict)

    def said(self, name: str) -> KindName | None:
        """What the user says the column is, if anything."""
        return "ordinal" if name in self.ordinal else self.kinds.get(name)

"""What the resampling methods share: small tables of text, and checks of their common settings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from learnt.parameters import Domain, Seed, Whole, check_parameters


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> str:
    """Cells in columns, to the right except for the columns in `left`."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if j in left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def check_call(owner: str, **values: Any) -> None:
    """Raise for a number of resamples below one, or a random state that is none."""
    domains: dict[str, Domain] = {"n": Whole(1), "random_state": Seed()}
    check_parameters(owner, {name: domains[name] for name in values}, values)

"""Tables of text, aligned for a terminal, where East Asian letters take two places and combining marks none."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from learnt.show.numbers import number

GAP = "  "
NAME_WIDTH = 28  # of the first field, where the line is too long
LEVELS = "▁▂▃▄▅▆▇█"


def cell_width(text: str) -> int:
    """How many places a terminal gives the text.

    >>> cell_width("abc"), cell_width("日本"), cell_width("e" + chr(0x301))
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def crop(text: str, width: int) -> str:
    """The text in at most `width` places."""
    if cell_width(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"


def pad(text: str, width: int, right: bool = False) -> str:
    """The text in just `width` places, with the room before or behind it."""
    text = crop(text, width)
    space = " " * (width - cell_width(text))
    return space + text if right else text + space


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_width, cells)) for cells in zip(*rows, strict=True)]


def aligned_lines(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Cells in columns, to the right except for the columns in `left`."""
    widths = column_widths(rows)
    return [
        GAP.join(
            pad(cell, width, right=j not in left) for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> str:
    return "\n".join(aligned_lines(rows, left))


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a text table. Fields of higher `rank` go first when the line is too long."""

    title: str
    cells: Sequence[str]
    rank: int = 0
    right: bool = True

    @property
    def width(self) -> int:
        return max(map(cell_width, (self.title, *self.cells)))


def fitted_table(fields: Iterable[Field], width: int, hidden: int = 0) -> str:
    """Fields side by side under their titles; the first shrinks and the dispensable go until it fits."""
    kept = list(fields)
    if not kept[0].cells:
        return ""
    while True:
        widths = [f.width for f in kept]
        widths[0] = min(widths[0], max(NAME_WIDTH, cell_width(kept[0].title)))
        excess = sum(widths) + len(GAP) * (len(kept) - 1) - width
        if excess > 0:  # names may shrink to twelve characters before a field goes
            spare = min(excess, max(0, widths[0] - max(12, cell_width(kept[0].title))))
            widths[0] -= spare
            excess -= spare
        worst = max(kept, key=lambda f: f.rank)
        if excess <= 0 or worst.rank == 0:
            break
        kept = [f for f in kept if f.rank < worst.rank]
    lines = [
        crop(GAP.join(pad(cell, w, f.right) for cell, w, f in zip(row, widths, kept, strict=True)).rstrip(), width)
        for row in [[f.title for f in kept], *zip(*(f.cells for f in kept), strict=True)]
    ]
    if hidden > 0:
        lines.append(f"… and {number(hidden)} more")
    return "\n".join(lines)


def spark(counts: Sequence[float]) -> str:
    """Little bars, the highest for the largest count, none for 0."""
    most = max(counts, default=0)
    return "".join(LEVELS[max(0, math.ceil(8 * c / most) - 1)] if c else " " for c in counts)


def bar(part: float, length: int = 24) -> str:
    """A bar of a share of `length` places, to an eighth of a place."""
    eighths = round(8 * length * part)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()

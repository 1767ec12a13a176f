"""How numbers, labels and names are written in explanations, logs and messages."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

MINUS = "−"


DUST = 1e-12  # of the size of what was added: as much as rounding may leave of a sum that is zero


def number(x: float, scale: float = 0.0) -> str:
    """Four significant digits, without exponent where that is readable; whole digits are never dropped.

    `scale` is how large the numbers are that x was made of: what rounding left of them is 0.

    >>> number(23.45678), number(-0.00012344), number(123456.7), number(3.0)
    ('23.46', '−0.0001234', '123457', '3')
    >>> number(1.776e-15), number(1.776e-15, scale=2.5)
    ('1.776e-15', '0')
    """
    x = float(x)
    if abs(x) <= DUST * scale < math.inf:
        x = 0.0
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "∞" if x > 0 else MINUS + "∞"
    size = abs(x)
    if 1e4 <= size < 1e9:
        text = f"{size:.0f}"
    elif 1e-5 <= size < 1e-4:  # where %g would already turn to exponents
        text = f"{size:.8f}".rstrip("0")
    else:
        text = f"{size:.4g}"
    return (MINUS if x < 0 and text.strip("0.") else "") + text


def signed(x: float, scale: float = 0.0) -> str:
    """A number with its sign always shown, for terms of a sum."""
    text = number(x, scale)
    return text if text.startswith(MINUS) else "+" + text


def label(value: Any) -> str:
    """A cell or a class as the user knows it: text quoted, numbers short, missing said in words."""
    value = plain(value)
    if value is None:
        return "missing"
    if isinstance(value, float):
        return "missing" if math.isnan(value) else number(value)
    if isinstance(value, (str, bytes)):
        return repr(value)
    return printable(str(value))


def printable(text: str) -> str:
    """`text` with line breaks and control characters spelt out: names from files stay on their line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def listed(items: Iterable[Any]) -> str:
    """Items in a sentence.

    >>> listed([1]), listed([1, 2]), listed([1, 2, 3])
    ('1', '1 and 2', '1, 2 and 3')
    """
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last


def listed_numbers(numbers: Iterable[int]) -> str:
    """Rising whole numbers in a sentence, three and more in a row by their ends.

    >>> listed_numbers([2]), listed_numbers([2, 3]), listed_numbers([2, 4, 5, 6, 7])
    ('2', '2 and 3', '2 and 4 to 7')
    """
    runs: list[list[int]] = []
    for k in numbers:
        if runs and runs[-1][-1] == k - 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return listed(part for run in runs for part in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]))


def spell(value: Any) -> str:
    """A value as a user would write it: `repr`, with NumPy's scalars as Python's own, also inside of lists and dicts.

    >>> import numpy as np
    >>> spell(np.float64(21.6)), spell([np.int64(3), "a"]), spell({np.str_("b"): (np.True_,)})
    ('21.6', "[3, 'a']", "{'b': (True,)}")
    """
    return repr(_plain_inside(value, 4))


def _plain_inside(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in (list, tuple, set, frozenset) and depth:
        return kind(_plain_inside(item, depth - 1) for item in value)
    if kind is dict and depth:
        return {_plain_inside(key, depth - 1): _plain_inside(item, depth - 1) for key, item in value.items()}
    return plain(value)


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

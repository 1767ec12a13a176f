"""How labels, names, counts and lists are written in explanations, logs and messages."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from learnt.show.numbers import number


def label(value: Any) -> str:
    """A cell or a class as the user knows it: text quoted, numbers short, missing said in words."""
    value = plain(value)
    if value is None:
        return "missing"
    if isinstance(value, float):
        return "missing" if math.isnan(value) else cell_number(value)
    if isinstance(value, (str, bytes)):
        return repr(value)
    return printable(str(value))


def cell_number(value: float) -> str:
    """A number of a cell; one that knows its unit says how it is shown.

    >>> cell_number(23.45678)
    '23.46'
    """
    shown: str | None = getattr(value, "shown", None)
    return number(value) if shown is None else shown


def printable(text: str) -> str:
    """`text` with line breaks and control characters spelt out: names from files stay on their line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shorten_text(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def short_name(text: Any, width: int) -> str:
    """A name on one line, however long and hostile."""
    return shorten_text(printable(str(text)), width)


def short_repr(value: Any, width: int = 60) -> str:
    """A value as Python writes it, for messages about settings."""
    text = " ".join(spell(value).split())
    return text if len(text) <= width else text[: width - 3] + "..."


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def plural(n: float, noun: str) -> str:
    """The noun for so many.

    >>> plural(1, "row"), plural(2, "row"), plural(0, "pass")
    ('row', 'rows', 'passes')
    """
    return noun if n == 1 else noun + ("es" if noun.endswith("s") else "s")


def count_of(n: float, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "row"), count_of(5000, "row")
    ('1 row', '5,000 rows')
    """
    shown = int(n) if float(n).is_integer() else n  # weights are floats, and whole ones are counts to people
    return f"{shown:,} {plural(n, noun)}"


def list_of(words: Sequence[str], last: str = "and", most: int | None = None) -> str:
    """Words in a sentence, of many the first.

    >>> list_of(["a", "b", "c"]), list_of(["a", "b"], "or"), list_of(["a", "b", "c"], most=1)
    ('a, b and c', 'a or b', 'a and 2 more')
    """
    shown = list(words if most is None else words[:most])
    if len(shown) < len(words):
        return f"{', '.join(shown)} {last} {len(words) - len(shown):,} more"
    return ", ".join(shown) if len(shown) < 2 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def few_of(words: Sequence[str], most: int) -> str:
    """The first of many, and how many more there are.

    >>> few_of(["a", "b", "c", "d"], 2), few_of(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    rest = len(words) - most
    return ", ".join(words[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def first_of(words: Sequence[str], most: int) -> str:
    """The first of many, with a sign that there are more.

    >>> first_of(["a", "b", "c"], 2), first_of(["a"], 2)
    ('a, b, …', 'a')
    """
    return ", ".join(words[:most]) + (", …" if len(words) > most else "")


def wrap_words(words: str, width: int, first: str = "", rest: str = "") -> str:
    """Lines no wider than a terminal; a number and its per cent stay on one.

    >>> print(wrap_words("right for half of the new rows (at 95 % confidence)", 40))
    right for half of the new rows (at
    95 % confidence)
    """
    together = words.replace(" %", "\N{NO-BREAK SPACE}%")
    filled = textwrap.fill(
        together, max(width, 40), initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
    return filled.replace("\N{NO-BREAK SPACE}%", " %")


def list_of_numbers(numbers: Iterable[int]) -> str:
    """Rising whole numbers in a sentence, three and more in a row by their ends.

    >>> list_of_numbers([2]), list_of_numbers([2, 3]), list_of_numbers([2, 4, 5, 6, 7])
    ('2', '2 and 3', '2 and 4 to 7')
    """
    runs: list[list[int]] = []
    for k in numbers:
        if runs and runs[-1][-1] == k - 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    parts = [part for run in runs for part in (map(str, run) if len(run) < 3 else [f"{run[0]} to {run[-1]}"])]
    return list_of(parts)


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

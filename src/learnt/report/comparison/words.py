"""How names, scores, times and sizes stand on the page. Whatever comes from the data is made harmless here."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from learnt.evaluate.comparison.words import seconds
from learnt.show.numbers import NOTHING, fixed, number
from learnt.show.words import cell_number, plain, printable, short_name, shorten_text

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.metrics.scoring import Metric

NAME_WIDTH = 40  # characters of a name that are shown
TITLE_WIDTH = 300  # characters of it that are told when the mouse rests on it
SENTENCE_WIDTH = 240
ABBREVIATED = ("auc", "rmse", "mse", "mae", "mape")


def name(text: Any, width: int = NAME_WIDTH) -> Markup:
    """A name or label from the data: on one line, of bounded length, and never changing the direction of the text
    around it."""
    from markupsafe import Markup

    whole = printable(shorten_text(str(text), 2 * TITLE_WIDTH))
    short = shorten_text(whole, width)
    if short == whole:
        return Markup("<bdi>{}</bdi>").format(short)
    return Markup('<bdi title="{}">{}</bdi>').format(shorten_text(whole, TITLE_WIDTH), short)


def learner(text: Any, width: int = NAME_WIDTH) -> Markup:
    """The name of a learner in a narrow column: a line may end where a new word begins, as in Naive|Bayes."""
    from markupsafe import Markup

    shown = name(text, width)
    plain_word = str(text).isidentifier() and len(str(text)) <= width  # then there is nothing in it but letters
    return Markup(re.sub("(?<=[a-z])(?=[A-Z])", "<wbr>", shown)) if plain_word else shown


def short(text: Any, width: int = NAME_WIDTH) -> str:
    """The same where markup cannot stand, such as in an attribute."""
    return short_name(shorten_text(str(text), 2 * TITLE_WIDTH), width)


def label(value: Any, width: int = NAME_WIDTH) -> Markup:
    """A cell or class; numbers short, missing said in words."""
    value = plain(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return name("missing")
    return name(cell_number(value) if isinstance(value, float) else value, width)


def sentence(text: str, *names: str) -> Markup:
    """A sentence that quotes `names` from the data: each of them as `name` writes it, the rest clipped."""
    from markupsafe import Markup

    parts = [text]
    for each in names:
        quoted = f"'{printable(each)}'"
        cut = [piece for part in parts for piece in _around(part, quoted)]
        parts = cut
    quotes = {f"'{printable(each)}'": each for each in names}
    shown = [
        Markup("‘{}’").format(name(quotes[part])) if part in quotes else short_name(part, SENTENCE_WIDTH)
        for part in parts
    ]
    return Markup("").join(shown)


def _around(text: str, quoted: str) -> list[str]:
    before, found, after = text.partition(quoted)
    return [piece for piece in (before, found, after) if piece]


def drawn_markup(svg: str) -> Markup:
    """An SVG that learnt drew elsewhere, and escaped, with control characters spelt out in its tips too."""
    from markupsafe import Markup

    return Markup("\n").join(Markup(printable(line.replace("\t", " "))) for line in svg.split("\n"))


def score(x: float, metric: Metric | None = None) -> str:
    """A score: three decimals where scores lie between −1 and 1, about four digits otherwise.

    >>> score(0.69), score(-0.2), score(float("nan"))
    ('0.690', '−0.200', '–')
    """
    if math.isnan(x):
        return NOTHING
    if metric is None or unit_scale(metric) or 0.001 <= abs(x) < 10:
        return fixed(x, 3)
    if 10 <= abs(x) < 1000:
        return fixed(x, 2 if abs(x) < 100 else 1)
    return number(x)


def heading(metric: Metric) -> Markup:
    """The metric over a column: its usual abbreviation where it has one."""
    from markupsafe import Markup

    title = metric.title[:1].upper() + metric.title[1:]
    if metric.name in ABBREVIATED:
        return Markup('<abbr title="{}">{}</abbr>').format(title, metric.name.upper())
    return Markup.escape(short_name(title, NAME_WIDTH))


def unit_scale(metric: Metric) -> bool:
    """Whether the metric cannot leave [−1, 1]."""
    return metric.low >= -1 and metric.high <= 1


def interval(low: float, high: float, metric: Metric | None = None) -> str:
    return NOTHING if math.isnan(low) else f"{score(low, metric)} to {score(high, metric)}"


def p_value(p: float) -> str:
    """For a sentence; below a thousandth only that it is so.

    >>> p_value(0.0423), p_value(0.00002)
    ('p = 0.042', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def time_words(x: float) -> Markup:
    """A time that no second run repeats, marked as such; it sorts by itself."""
    from markupsafe import Markup

    return Markup('<span data-measured="{}">{}</span>').format(
        "" if math.isnan(x) else f"{x:.4g}", seconds(x) or NOTHING
    )


def size(n: float | None) -> str:
    """Bytes in the unit that keeps the number short.

    >>> size(812), size(20_480), size(None)
    ('812 B', '20.5 kB', '–')
    """
    if n is None:
        return NOTHING
    for unit in ("B", "kB", "MB", "GB"):
        if n < 1000 or unit == "GB":
            return f"{n:.3g} {unit}"
        n /= 1000
    raise AssertionError


def list_names(words: list[Any], last: str = "and") -> Markup:
    """Names in a row, the last with "and", or "or"."""
    from markupsafe import Markup, escape

    if len(words) < 2:
        return Markup("").join(escape(word) for word in words)
    return Markup(", ").join(escape(word) for word in words[:-1]) + Markup(" {} ").format(last) + escape(words[-1])

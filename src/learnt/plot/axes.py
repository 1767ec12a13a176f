"""What all pictures share: axes to draw on, names as they are, points that do not crowd, legends that hide nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.table import Array
from learnt.data.value_text import value_text
from learnt.errors import LearntError
from learnt.show.palette import class_colour, class_marker
from learnt.show.words import short_name

MOST_IN_LEGEND = 12
OPEN = ("top", "right")  # the sides most pictures leave open
ASIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0, "frameon": False}


def pyplot() -> Any:
    """matplotlib, imported when the first picture is asked for."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise LearntError("Pictures are drawn by matplotlib, which is not installed. Install it.") from error
    return plt


def axes_for(ax: Any, size: tuple[float, float] | None = None, without: Sequence[str] = OPEN) -> Any:
    """`ax`, or axes in a new figure of `size` inches, with no line on the sides in `without`."""
    if ax is None:
        _, ax = pyplot().subplots(figsize=size, layout="constrained")
    for side in without:
        ax.spines[side].set_visible(False)
    return ax


def several_axes(axes: Any, rows: int, columns: int, size: tuple[float, float]) -> Any:
    """`axes`, or those of a new figure, side by side."""
    if axes is None:
        _, axes = pyplot().subplots(rows, columns, figsize=size, layout="constrained")
    return axes


def name_axes(ax: Any, x: str, y: str) -> None:
    """A column called "$x$" is a name, not a formula: that is what `parse_math` is for, here and below."""
    ax.set_xlabel(short_name(x, 60), parse_math=False)
    ax.set_ylabel(short_name(y, 60), parse_math=False)


def name_rows(ax: Any, names: Sequence[str], width: int = 40, *, ticks: bool = True) -> None:
    """A name for each row of a picture, the first on top."""
    ax.set_yticks(range(len(names)), [short_name(name, width) for name in names], parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    if not ticks:
        ax.tick_params(axis="y", length=0)


def whole_numbers(axis: Any) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def ticks_of_form(axis: Any, form: Form | None) -> None:
    """Ticks of dates and of money as people write them; dates at most as fine as their column."""
    if form is None:
        return
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if form.temporal:
        axis.set_major_locator(MaxNLocator(nbins=5, integer=form.sort == "date"))
    axis.set_major_formatter(FuncFormatter(lambda value, _: value_text(form, value)))


def evenly(n: int, most: int) -> Array:
    """Places of at most `most` of `n` things, evenly apart: more show nothing more, and make the file large."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(int)


def point_strength(n: int) -> float:
    """How opaque points are: the more there are, the less."""
    return float(np.clip(30 / np.sqrt(max(n, 1)), 0.15, 0.8))


def class_look(c: int) -> dict[str, Any]:
    """The colour and the shape of a class."""
    return {"color": class_colour(c), "marker": class_marker(c)}


def legend_aside(ax: Any, **more: Any) -> None:
    """To the right of the picture, names as they are."""
    for text in ax.legend(**ASIDE, **more).get_texts():
        text.set_parse_math(False)

"""Pictures of a search for settings: scores against one of them, or a map over two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.plot.axes import axes_for
from learnt.show.numbers import number
from learnt.show.palette import HELD_OUT, TRAINING
from learnt.show.words import plain, short_name

if TYPE_CHECKING:
    from learnt.evaluate.tuning.board import Candidate
    from learnt.evaluate.tuning.tuning import Tuning

#: From so many different numbers on, a setting is drawn to scale.
MANY = 12


def plot_tuning(tuning: Tuning, settings: Sequence[str], ax: Any = None) -> Any:
    """Inner scores over one or two settings; returns the axes."""
    names = [str(name) for name in settings] or _most_telling(tuning)
    unknown = [name for name in names if name not in tuning.names]
    if unknown or not 1 <= len(names) <= 2:
        raise ParameterError(
            f"plot: {', '.join(map(repr, names))} came. Expected one or two of the settings that were searched: "
            f"{', '.join(map(repr, tuning.names))}."
        )
    ax = axes_for(ax, without=())
    known = [c for c in tuning.candidates if c.mean == c.mean and all(name in c.settings for name in names)]
    scales = [_Scale(name, [c.settings[name] for c in known]) for name in names]
    if len(names) == 1:
        _curve(ax, tuning, scales[0], known)
    elif any(scale.measured for scale in scales):
        _cloud(ax, tuning, scales, known)
    else:
        _map(ax, tuning, scales, known)
    return ax


class _Scale:
    """Where the values of a setting stand on an axis: numbers of many kinds to scale, others at equal distances."""

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name = name
        apart = list({repr(value): value for value in values}.values())
        numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in apart)
        self.measured = numeric and len(apart) > MANY
        if all(isinstance(v, int | float) or v is None for v in apart):
            apart.sort(key=lambda v: (v is None, v or 0))  # no limit stands after the largest one
        self.values = apart
        self._places = {repr(value): place for place, value in enumerate(apart)}
        positive = numeric and min(apart, default=0) > 0
        self.logarithmic = self.measured and positive and max(apart) > 100 * min(apart)

    def places(self, candidates: Sequence[Candidate]) -> Array:
        values = [c.settings[self.name] for c in candidates]
        return np.array(values if self.measured else [self._places[repr(v)] for v in values], dtype=np.float64)

    def label(self, axis: Any, put: Any) -> None:
        put(self.name, parse_math=False)
        if self.logarithmic:
            axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        elif not self.measured:
            axis.set_ticks(range(len(self.values)), [_words(value) for value in self.values], parse_math=False)


def _words(value: Any) -> str:
    value = plain(value)
    return number(value) if isinstance(value, float) else short_name(" ".join(str(value).split()), 20)


def _most_telling(tuning: Tuning) -> list[str]:
    """The one or two settings whose values, each at its best, differ most in their scores."""
    spreads = {}
    for name in tuning.names:
        best: dict[str, float] = {}
        for c in tuning.candidates:  # best first
            if c.mean == c.mean and name in c.settings:
                best.setdefault(repr(c.settings[name]), c.mean)
        if len(best) > 1:
            spreads[name] = max(best.values()) - min(best.values())
    chosen = sorted(spreads, key=lambda name: -spreads[name])[:2]
    return [name for name in tuning.names if name in chosen] or tuning.names[:1]


def _best_of(places: Array, scores: Array, higher: bool) -> tuple[Array, Array]:
    """At each place the best score."""
    at = np.unique(places)
    pick = np.max if higher else np.min
    return at, np.array([pick(scores[places == place]) for place in at])


def _curve(ax: Any, tuning: Tuning, scale: _Scale, known: list[Candidate]) -> None:
    places, scores = scale.places(known), np.array([c.mean for c in known])
    if scale.measured:
        ax.plot(places, scores, "o", color=HELD_OUT, ms=4, zorder=2, label="candidates")
    else:
        ax.plot(places, scores, "o", color="0.75", ms=4, zorder=1)
        at, best = _best_of(places, scores, tuning.metric.higher_is_better)
        label = "the other settings at their best" if len(tuning.names) > 1 else "inner folds"
        ax.plot(at, best, "o-", color=HELD_OUT, ms=4, zorder=2, label=label)
    ax.plot(places[:1], scores[:1], "o", mfc="none", mec="0.2", ms=11, zorder=3, label="chosen")
    if tuning.score is not None and tuning.interval is not None:
        low, high = tuning.interval
        if low == low:
            ax.axhspan(low, high, color=TRAINING, alpha=0.12, lw=0)
        ax.axhline(tuning.score, color=TRAINING, lw=1.2, ls="--", label="honest score, 95 % interval")
    axes_for(ax)
    scale.label(ax.xaxis, ax.set_xlabel)
    ax.set_ylabel(tuning.metric.title, parse_math=False)
    ax.legend()


def _map(ax: Any, tuning: Tuning, scales: list[_Scale], known: list[Candidate]) -> None:
    across, up = scales
    grid = np.full((len(up.values), len(across.values)), np.nan)
    for c, x, y in reversed(list(zip(known, across.places(known), up.places(known), strict=True))):
        grid[int(y), int(x)] = c.mean  # the best comes last
    ax.set_facecolor("0.9")
    image = ax.imshow(grid, cmap=_colours(tuning), origin="lower", aspect="auto")
    middle = (np.nanmin(grid) + np.nanmax(grid)) / 2
    for (i, j), score in np.ndenumerate(grid):
        dark = (score > middle) == tuning.metric.higher_is_better
        text = "" if np.isnan(score) else f"{score:.3g}"
        ax.text(j, i, text, ha="center", va="center", color="white" if dark else "0.15")
    _mark(ax, across.places(known)[0], up.places(known)[0], "s", 30)
    _finish(ax, tuning, scales, image)


def _cloud(ax: Any, tuning: Tuning, scales: list[_Scale], known: list[Candidate]) -> None:
    x, y = (scale.places(known) for scale in scales)
    scores = [c.mean for c in known]
    image = ax.scatter(x[::-1], y[::-1], c=scores[::-1], cmap=_colours(tuning), s=45, edgecolor="0.6", lw=0.5)
    _mark(ax, x[0], y[0], "o", 13)
    axes_for(ax)
    _finish(ax, tuning, scales, image)


def _mark(ax: Any, x: float, y: float, shape: str, size: float) -> None:
    ax.plot([x], [y], shape, mfc="none", mec=TRAINING, mew=2, ms=size, label="chosen")


def _colours(tuning: Tuning) -> str:
    return "Blues" if tuning.metric.higher_is_better else "Blues_r"


def _finish(ax: Any, tuning: Tuning, scales: list[_Scale], image: Any) -> None:
    scales[0].label(ax.xaxis, ax.set_xlabel)
    scales[1].label(ax.yaxis, ax.set_ylabel)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label(f"{tuning.metric.title}, inner folds", parse_math=False)

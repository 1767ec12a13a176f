"""Prior and posterior drawn with matplotlib, which is imported only here, when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.bayes.estimate.results import MeanAndPrecision
from learnt.show.numbers import number

if TYPE_CHECKING:
    from learnt.bayes.estimate.conjugate import ConjugatePair
    from learnt.bayes.estimate.normal_gamma import NormalGamma

BEFORE, AFTER = "0.55", "C0"
POINTS = 512


def draw_densities(pair: ConjugatePair, name: str, ax: Any, within: tuple[float, float] | None = None) -> Any:
    """Two curves and the posterior's 95 % interval shaded. The axis is `within`, or where the mass is."""
    posterior = pair.posterior
    prior = _prior(pair)
    ax = _axes(ax)
    low, high = within or _span([posterior] if prior is None else [prior, posterior])
    x = np.linspace(low, high, POINTS + 1)[1:-1]  # a density may be infinite at an end
    if prior is not None:
        ax.plot(x, prior.pdf(x), "--", color=BEFORE, label="prior")
    ax.plot(x, posterior.pdf(x), color=AFTER, label="posterior")
    start, stop = pair.credible_interval()
    inside = np.linspace(max(start, x[0]), min(stop, x[-1]), POINTS)
    words = f"95 %: {number(start)} … {number(stop)}"
    ax.fill_between(inside, posterior.pdf(inside), color=AFTER, alpha=0.2, label=words)
    ax.set(xlabel=name, ylabel="density", ylim=(0, None), xlim=(low, high))
    ax.legend()
    return ax


def draw_intervals(pair: ConjugatePair, names: Sequence[str], what: str, ax: Any) -> Any:
    """A point and its 95 % interval per name, grey before the data and coloured after."""
    after = _points(pair)
    ax = _axes(ax, height=1.5 + 0.4 * len(names))
    places = np.arange(len(names))
    if _prior(pair) is not None:
        _bars(ax, _points(pair._unseen()), places - 0.15, BEFORE, "prior")
    _bars(ax, after, places + 0.15, AFTER, "posterior")
    # parse_math: a column called "$x$" is a name, not a formula.
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)  # the first on top, and room around each
    ax.set_xlabel(f"{what}, mean and 95 %")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)  # above, where no bar is
    return ax


def draw_contours(pair: NormalGamma, ax: Any) -> Any:
    """Lines where the density of (μ, λ) is 0.9, 0.5, 0.1 and 0.01 of its highest."""
    posterior = pair.posterior
    prior = _prior(pair)
    ax = _axes(ax)
    mean = np.linspace(*_span([posterior.marginal_mean()]), 200)
    precision = np.linspace(*_span([posterior.marginal_precision()]), 200)
    for distribution, color, style, name in ((prior, BEFORE, "--", "prior"), (posterior, AFTER, "-", "posterior")):
        if distribution is not None:
            height = distribution.logpdf(mean[None, :], precision[:, None])
            peak = (distribution.alpha - 0.5) / distribution.beta
            # The highest density may lie outside what is drawn; without a mode it is infinite, at λ = 0.
            highest = distribution.logpdf(distribution.location, peak) if peak > 0 else height.max()
            levels = highest + np.log([0.01, 0.1, 0.5, 0.9])
            crossed = levels[(levels > height.min()) & (levels < height.max())]
            if len(crossed):
                ax.contour(mean, precision, height, levels=crossed, colors=color, linestyles=style)
            ax.plot([], [], style, color=color, label=name)
    if pair.parameters["alpha"] > 0.5:
        ax.plot(*pair.map(), "+", color=AFTER, label="MAP")
    ax.set(xlabel="μ", ylabel="λ = 1/σ²")
    ax.legend()
    return ax


def _axes(ax: Any, height: float = 4.0) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, height), layout="constrained")[1]


def _prior(pair: ConjugatePair) -> Any:
    """The prior if it is a distribution, which can be drawn; else None."""
    unseen = pair._unseen()
    return None if unseen._improper() else unseen.posterior


def _span(distributions: Sequence[Any]) -> tuple[float, float]:
    """From the lowest to the highest end of what is probable."""
    ends = [d.interval(0.998) for d in distributions]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _points(pair: ConjugatePair) -> tuple[Any, Any]:
    """Means and intervals, a row per coordinate."""
    mean, intervals = pair.mean(), pair.credible_interval()
    return (mean.mean, intervals.mean) if isinstance(mean, MeanAndPrecision) else (mean, intervals)


def _bars(ax: Any, points: tuple[Any, Any], places: Any, color: str, name: str) -> None:
    means, intervals = points
    low, high = np.asarray(intervals).T
    ax.hlines(places, low, high, color=color)
    ax.plot(means, places, "o", color=color, label=name)

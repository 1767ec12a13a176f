"""Scores of resampling: folds, bootstrap samples, curves, parts of a loss, and learners compared by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.data.table import Array
from learnt.plot.axes import OPEN, axes_for
from learnt.show.numbers import number
from learnt.show.palette import BLUE, HELD_OUT, LINE, RED, TRAINING
from learnt.show.words import plain, short_name, shorten_text

if TYPE_CHECKING:
    from learnt.evaluate.bootstrap import BootstrapEstimate
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.cross_validation import CrossValidation
    from learnt.evaluate.decomposition import BiasVariance
    from learnt.evaluate.learning_curves import LearningCurve
    from learnt.evaluate.metrics.scoring import Metric
    from learnt.evaluate.significance.bayesian import BayesianTest
    from learnt.evaluate.validation_curves import ValidationCurve

NOISE = "0.75"
TIED, WORSE = BLUE, "0.55"
LOWER, SAME, HIGHER = RED, LINE, BLUE


def plot_folds(result: CrossValidation, metric: Metric, ax: Any = None) -> Any:
    """A point per fold, by repeat, with the mean and its interval; returns the axes."""
    ax = axes_for(ax)
    scores = result.scores[metric.name]
    ax.plot(np.arange(len(scores)), scores, "o", color=HELD_OUT, ms=5, label="held out", zorder=3)
    if result.training_scores is not None:
        training = result.training_scores[metric.name]
        ax.plot(np.arange(len(training)), training, "s", mfc="none", color=TRAINING, ms=5, label="training", zorder=2)
    low, high = result.interval(metric.name)
    if np.isfinite(low):
        ax.axhspan(low, high, color=HELD_OUT, alpha=0.12, lw=0, label="95 % interval of the mean")
    ax.axhline(result.mean(metric.name), color=HELD_OUT, lw=1, label="mean")
    starts = [i for i, r in enumerate(result.results) if i and r.repeat != result.results[i - 1].repeat]
    for start in starts:
        ax.axvline(start - 0.5, color="0.85", lw=0.8, zorder=0)
    in_order = result.splitting is not None and result.splitting.in_order
    ax.set_xlabel("split, in the order of time" if in_order else "fold")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylabel(metric.title, parse_math=False)
    _legend_above(ax)
    return ax


def _legend_above(ax: Any) -> None:
    """Where it hides nothing."""
    columns = 2 if len(ax.get_legend_handles_labels()[0]) == 4 else 3
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False)


def plot_bootstrap(estimate: BootstrapEstimate, ax: Any = None) -> Any:
    """How the resamples scored on the rows they left out, and where the estimate lies; returns the axes."""
    ax = axes_for(ax)
    ax.hist(estimate.scores[~np.isnan(estimate.scores)], bins=20, color=HELD_OUT, alpha=0.35, label="rows left out")
    name = ".632+" if estimate.plus else ".632"
    ax.axvline(estimate.left_out, color=HELD_OUT, lw=1.5, label="their mean")
    ax.axvline(estimate.estimate, color="0.2", lw=2, label=f"{name} estimate")
    ax.axvline(estimate.apparent, color=TRAINING, lw=1.5, ls="--", label="training rows")
    ax.set_xlabel(estimate.metric.title, parse_math=False)
    ax.set_ylabel("resamples")
    _legend_above(ax)
    return ax


def plot_learning_curve(curve: LearningCurve, ax: Any = None) -> Any:
    """Held-out and training scores over the rows learnt from, and the power law beyond; returns the axes."""
    ax = axes_for(ax)
    _two_curves(ax, curve.sizes, curve.means, curve.intervals(), np.nanmean(curve.training_scores, axis=1))
    if curve.power_law() is not None:
        rows = np.geomspace(curve.sizes[0], 2 * curve.sizes[-1], 200)
        ax.plot(rows, [curve.at(r) for r in rows], color="0.3", lw=1, ls=":", label="power law")
    ax.set_xscale("log")
    ticks = [2 ** int(k) for k in range(int(np.log2(curve.sizes[0])), int(np.log2(2 * curve.sizes[-1])) + 1)]
    ax.set_xticks(ticks, [str(t) for t in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("training rows")
    ax.set_ylabel(curve.metric.title, parse_math=False)
    ax.legend()
    return ax


def plot_validation_curve(curve: ValidationCurve, ax: Any = None) -> Any:
    """Held-out and training scores over the values of a setting, at equal distances; returns the axes."""
    ax = axes_for(ax)
    places = np.arange(len(curve.values))
    _two_curves(ax, places, curve.means, curve.intervals(), np.nanmean(curve.training_scores, axis=1))
    ax.set_xticks(places, [shorten_text(repr(plain(value)), 20) for value in curve.values], parse_math=False)
    ax.set_xlabel(curve.parameter, parse_math=False)
    ax.set_ylabel(curve.metric.title, parse_math=False)
    ax.legend()
    return ax


def _two_curves(ax: Any, x: Array, means: Array, intervals: Array, training: Array) -> None:
    ax.fill_between(x, intervals[:, 0], intervals[:, 1], color=HELD_OUT, alpha=0.15, lw=0)
    ax.plot(x, means, "o-", color=HELD_OUT, ms=4, label="held out, 95 % interval")
    ax.plot(x, training, "s--", mfc="none", color=TRAINING, ms=4, label="training")


def plot_bias_variance(results: Sequence[BiasVariance], names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """The parts of the mean loss as stacked bars, one per result; returns the axes."""
    ax = axes_for(ax, (7, 1.4 + 0.5 * len(results)))
    names = names or ["" if r.learner is None else repr(r.learner) for r in results]
    for place, result in enumerate(results):
        left = 0.0
        for (part, size), colour in zip(result.parts().items(), (HELD_OUT, TRAINING, NOISE), strict=False):
            ax.barh(place, size, left=left, color=colour, label=part if place == 0 else None)
            left += size
        ax.text(max(left, result.bias), place, f" {number(result.mean_loss)}", va="center")
    ax.set_yticks(range(len(results)), [shorten_text(name, 40) for name in names], parse_math=False)
    ax.invert_yaxis()
    ax.margins(x=0.1)
    ax.set_xlabel("mean squared error" if results[0].loss == "squared" else "error rate")
    _legend_above(ax)
    return ax


def plot_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """A point and an interval per learner, best on top; those tied with the best in colour. Returns the axes."""
    rows = comparison.leaderboard()
    ax = axes_for(ax, (7, 1.2 + 0.32 * max(len(rows), 1)), without=(*OPEN, "left"))
    for place, row in enumerate(rows):
        colour = TIED if row.may_be_best else WORSE
        if np.isfinite(row.low) and np.isfinite(row.high):
            ax.plot([row.low, row.high], [place, place], color=colour, lw=2, solid_capstyle="round", alpha=0.6)
        ax.plot(row.mean, place, "o" if row.may_be_best else "s", color=colour, ms=6)
    # parse_math: a learner may be called "$x$".
    names = [short_name(row.name, 40) + (f"  {row.letters}" if row.letters else "") for row in rows]
    ax.set_yticks(range(len(rows)), names, parse_math=False)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    better = "more" if comparison.metric.higher_is_better else "less"
    ax.set_xlabel(f"{comparison.metric.title}, mean and 95 % interval ({better} is better)", parse_math=False)
    ax.grid(axis="x", color="0.9", zorder=0)
    ax.set_axisbelow(True)
    ax.tick_params(left=False)
    return ax


def plot_posterior_difference(test: BayesianTest, ax: Any = None) -> Any:
    """The density in three colours: lower, practically the same, higher; returns the axes."""
    ax = axes_for(ax, (7, 4), without=())
    one, other = (short_name(name, 30) for name in test.names)
    reach = max(6 * test.scale, 1.5 * test.rope, abs(test.mean) * 0.2) or 1.0
    low, high = min(test.mean - reach, -1.5 * test.rope), max(test.mean + reach, 1.5 * test.rope)
    parts = (
        (low, -test.rope, LOWER, f"{other} higher: {number(test.second_higher)}"),
        (-test.rope, test.rope, SAME, f"practically the same: {number(test.equivalent)}"),
        (test.rope, high, HIGHER, f"{one} higher: {number(test.first_higher)}"),
    )
    for start, end, colour, words in parts:
        x = np.linspace(start, end, 301)
        ax.fill_between(x, test.density(x), color=colour, alpha=0.85, lw=0, label=words)
    if test.scale == 0:  # no spread: all probability sits on one value
        ax.axvline(test.mean, color="0.2")
    ax.set_xlim(low, high)
    ax.set_ylim(0, None)
    ax.set_yticks([])
    ax.set_xlabel(f"{one} − {other}", parse_math=False)
    for text in ax.legend().get_texts():
        text.set_parse_math(False)
    return ax

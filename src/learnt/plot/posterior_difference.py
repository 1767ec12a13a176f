"""The posterior of a difference of scores, with the region in which it does not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.show.words import number, printable, shortened

if TYPE_CHECKING:
    from learnt.evaluate.significance.bayesian import BayesianTest

LOWER, SAME, HIGHER = "#c4443f", "#b4bdc8", "#3b75af"


def plot_posterior_difference(test: BayesianTest, ax: Any = None) -> Any:
    """The density in three colours: lower, practically the same, higher; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    one, other = (shortened(printable(name), 30) for name in test.names)
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

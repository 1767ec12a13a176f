"""The criteria for a number of clusters, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.explain.html import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from learnt.cluster.judging.choice_of_k import ChoiceOfK


def plot_choice_of_k(found: ChoiceOfK, axes: Any = None) -> Any:
    """Inertia with its elbow, mean silhouettes, and gaps with their errors over k; returns the three axes."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    if axes is None:
        _, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for ax, name, values, words in zip(
        axes,
        ("elbow", "silhouette", "gap"),
        (found.inertia, found.silhouette, found.gap),
        ("inertia", "mean silhouette", "gap ± error"),
        strict=True,
    ):
        if name == "gap":
            ax.errorbar(found.k, values, found.gap_error, fmt="o-", color=POSITIVE, ms=5, capsize=3, lw=1.6)
        else:
            ax.plot(found.k, values, "o-", color=POSITIVE, ms=5, lw=1.6)
        chosen = found.choices.get(name)
        if chosen is not None:
            at = found.k.index(chosen)
            ax.plot([chosen], [values[at]], "o", color=NEGATIVE, ms=9, zorder=3)
            ax.set_title(f"{name}: k = {chosen}", fontsize="medium", loc="left")
        ax.set_xlabel("clusters")
        ax.set_ylabel(words)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.spines[["top", "right"]].set_visible(False)
    return axes

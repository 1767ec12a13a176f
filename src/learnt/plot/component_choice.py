"""Information criteria against the number of components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.show.sheet import class_colour

if TYPE_CHECKING:
    from learnt.cluster.mixture.choose import ComponentChoice


def plot_component_choice(choice: ComponentChoice, ax: Any = None) -> Any:
    """BIC and AIC as lines, the choice ringed, numbers with too few rows in a component crossed; returns the axes."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    if ax is None:
        _, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
    k = choice.n_components
    for at, (name, values) in enumerate((("BIC", choice.bic), ("AIC", choice.aic))):
        chosen = name.lower() == choice.criterion
        ax.plot(k, values, marker="o", ms=5, color=class_colour(at), lw=2 if chosen else 1.2, label=name)
    thin = [at for at, enough in enumerate(choice.enough_rows) if not enough]
    if thin:
        crossed = [choice.values[at] for at in thin]
        ax.plot([k[at] for at in thin], crossed, "x", ms=10, mew=2, color="0.2", label="fewer rows than parameters")
    best = choice.best.n_components
    lowest = choice.values[k.index(best)]
    ax.plot([best], [lowest], marker="o", ms=13, mfc="none", mec="0.2", mew=1.5)
    ax.annotate(f"{best}", (best, lowest), textcoords="offset points", xytext=(0, -20), ha="center")
    ax.margins(y=0.15)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("components")
    ax.set_ylabel("criterion, lower is better")
    ax.legend(frameon=False)
    return ax

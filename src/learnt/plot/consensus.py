"""How often rows come together over many clusterings, as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.show.words import number

if TYPE_CHECKING:
    from learnt.cluster.judging.consensus import Consensus


def plot_consensus(found: Consensus, ax: Any = None, most: int = 600) -> Any:
    """Rows in the order of their clusters, dark where they come together; of many rows some; returns the axes."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6.2, 5.2), layout="constrained")
    rows = np.lexsort((-found.stability, found.labels))
    n = len(rows)
    if n > most:
        rows = rows[np.linspace(0, n - 1, most).round().astype(int)]
    image = ax.imshow(found.together(rows), cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="equal")
    ax.figure.colorbar(image, ax=ax, label="share of runs that put two rows together")
    labels = found.labels[rows]
    edges = np.flatnonzero(labels[1:] != labels[:-1]) + 0.5
    for edge in edges:
        ax.axhline(edge, color="white", linewidth=0.8)
        ax.axvline(edge, color="white", linewidth=0.8)
    ends = np.concatenate([[-0.5], edges, [len(rows) - 0.5]])
    names = [str(c) for c in labels[np.concatenate([[0], (edges + 0.5).astype(int)])]]
    ax.set_yticks((ends[1:] + ends[:-1]) / 2, names)
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.set_ylabel("cluster")
    some = "" if n <= most else f" ({most} of {n} rows shown)"
    ax.set_title(f"{len(found.runs)} runs, mean agreement {number(found.mean)}{some}", loc="left", fontsize=10)
    return ax

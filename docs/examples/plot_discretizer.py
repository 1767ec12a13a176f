"""
Three ways to cut a column
==========================

The petal lengths of 150 irises, and where a discretizer cuts them: into equal widths, into equal
frequencies, and where the species changes.
"""

import matplotlib.pyplot as plt
import numpy as np

import learnt
from learnt.prepare import Discretizer

iris = learnt.datasets.load("iris")
length, species = iris["petallength"].values, np.array(iris["class"].labels())

fig, axes = plt.subplots(3, 1, figsize=(7, 6), sharex=True)
for ax, strategy in zip(axes, ("width", "frequency", "mdl"), strict=True):
    edges = Discretizer(strategy, n_bins=4).fit(iris).edges_["petallength"]
    parts = [length[species == name] for name in np.unique(species)]
    ax.hist(parts, bins=np.arange(0.9, 7.1, 0.2), stacked=True, label=list(np.unique(species)))
    for edge in edges:
        ax.axvline(edge, color="black", linewidth=1)
    ax.set(title=f'strategy="{strategy}": {len(edges) + 1} intervals', ylabel="rows")
axes[0].legend(fontsize=8)
axes[2].set_xlabel("petal length in cm")
fig.tight_layout()

# %%
# The intervals that the species asked for, and what they hold.

cutter = Discretizer("mdl").fit(iris)
print(learnt.describe(cutter.transform(iris).select(["petallength"])))

"""
The curse of dimensionality
===========================

Rows drawn evenly from a cube: in one dimension the nearest of them is next door and the farthest at the other end. With
every further column that tells nothing, all distances grow alike, until the nearest row is hardly nearer than the
farthest. Who is a neighbour is then decided by noise.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnt.distance import pairwise

rng = np.random.default_rng(0)
columns = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 1000]
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for metric, mark in (("manhattan", "s"), ("euclidean", "o"), ("chebyshev", "^")):
    ratios = []
    for p in columns:
        away = pairwise(rng.random((50, p)), rng.random((1000, p)), metric)
        ratios.append(np.mean(away.min(axis=1) / away.max(axis=1)))
    ax.plot(columns, ratios, marker=mark, markersize=4, label=metric)
ax.set(
    xscale="log",
    ylim=(0, 1),
    xlabel="columns",
    ylabel="nearest / farthest distance",
    title="1,000 rows drawn evenly from a cube",
)
ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
ax.grid(alpha=0.3)
ax.legend(frameon=False)

# %%
# Columns that depend on few others do not count: rows on a plane in a space of 1,000 columns are as near and as far
# as on the plane itself.

plane = rng.standard_normal((2, 1000)) / np.sqrt(1000)
flat = pairwise(rng.random((50, 2)) @ plane, rng.random((1000, 2)) @ plane)
print(f"{np.mean(flat.min(axis=1) / flat.max(axis=1)):.3f}")

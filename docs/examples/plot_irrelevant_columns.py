"""
Columns that do not matter
==========================

Two columns decide the class; more and more columns of noise stand beside them. Every column has its say in a distance,
so neighbours are soon chosen by noise. Weights of columns that are learnt by leaving rows out, or changed after right
and wrong neighbours, shrink the noise to nothing.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnt import KNeighborsClassifier

noise = [0, 1, 2, 4, 8, 18, 36]
ways = {None: "all columns alike", "loo": 'feature_weights="loo"', "online": 'feature_weights="online"'}


def rows(n, p, seed):
    x = np.random.default_rng(seed).random((n, p + 2))
    return x, (x[:, 0] > 0.5) != (x[:, 1] > 0.5)


scores = {how: np.empty((3, len(noise))) for how in ways}
for how, found in scores.items():
    for seed in range(3):
        for i, p in enumerate(noise):
            model = KNeighborsClassifier(feature_weights=how).fit(*rows(400, p, seed))
            found[seed, i] = model.score(*rows(1000, p, 100 + seed))

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (how, name), mark in zip(ways.items(), "os^", strict=True):
    ax.fill_between(noise, scores[how].min(axis=0), scores[how].max(axis=0), alpha=0.2)
    ax.plot(noise, scores[how].mean(axis=0), marker=mark, markersize=4, label=name)
ax.set(
    ylim=(0.5, 1),
    xlabel="columns of noise",
    ylabel="share right of new rows",
    title="400 rows, two columns that decide; three draws",
)
ax.grid(alpha=0.3)
ax.legend(frameon=False, loc="lower left")

# %%
# With 18 columns of noise:

print({name: scores[how][:, noise.index(18)].round(2).tolist() for how, name in ways.items()})

"""
Where Gaussian densities cross, and what a threshold costs
==========================================================

Two columns of the irises, the Gaussian of each species, and the boundaries that different covariances draw. Then the
cost curve of a classifier: what its best threshold costs, whatever missed cases and false alarms will cost.
"""

import matplotlib.pyplot as plt
import numpy as np

import learnt
from learnt.bayes import cost_curve

iris = learnt.datasets.load("iris")
petals = iris.select(["petallength", "petalwidth", "class"])
length, width = petals["petallength"].values, petals["petalwidth"].values
species, codes = np.unique(petals["class"].labels(), return_inverse=True)

grid = np.meshgrid(np.linspace(0.5, 7.5, 200), np.linspace(-0.3, 3, 200))
points = {"petallength": grid[0].ravel(), "petalwidth": grid[1].ravel()}

fig, axes = plt.subplots(2, 2, figsize=(8, 6), sharex=True, sharey=True, layout="constrained")
for ax, covariance in zip(axes.ravel(), ("spherical", "shared", "full", "diagonal"), strict=True):
    model = learnt.DiscriminantClassifier(covariance).fit(petals, "class")
    answers = np.searchsorted(species, model.predict(points)).reshape(grid[0].shape)
    ax.contourf(*grid, answers, levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.3)
    ax.scatter(length, width, c=codes, s=8)
    ax.set(title=f'covariance="{covariance}"', xlabel="petal length", ylabel="petal width")

# %%
# Half of the rows of the breast cancer table teach, the other half are scored.

table = learnt.datasets.load("breast_cancer")
half = np.arange(table.n_rows) % 2 == 0
model = learnt.NaiveBayesClassifier().fit(table.take(half))
rest = table.take(~half)
recurs = model.classes_.tolist().index("recurrence-events")
curve = cost_curve(rest["Class"].labels(), model.predict_proba(rest)[:, recurs], positive="recurrence-events")
curve.plot()

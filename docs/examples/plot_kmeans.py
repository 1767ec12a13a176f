"""
Three towns seen by k-means
===========================

Three heaps of points, three centres, and the border between their lands: every point of the plane
belongs to the nearest centre.
"""

import matplotlib.pyplot as plt
import numpy as np

import learnt

rng = np.random.default_rng(4)
towns = np.array([[0.0, 0.0], [4.0, 1.0], [1.5, 4.0]])
points = (towns[:, None] + rng.normal(scale=0.8, size=(3, 100, 2))).reshape(-1, 2)

with learnt.watch() as log:
    model = learnt.KMeans(n_clusters=3, random_state=0).fit(points)

side = np.linspace(-3, 7, 200)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)

fig, ax = plt.subplots(figsize=(6, 5))
ax.contourf(side, side, model.predict(plane).reshape(200, 200), levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.2)
ax.scatter(*points.T, c=model.labels_, s=12)
ax.scatter(*model.cluster_centers_.T, marker="X", s=140, c="black", label="centres")
ax.set(xlabel="east", ylabel="north", title=f"{len(points)} points, {len(log.steps)} steps")
ax.legend()

# %%
# Why the first point is where it is: its distance to each centre.

print(model.explain(points[:1])[0])

"""
A price, taken apart
====================

A linear model is a sum, so a prediction can be shown as one: what every column adds to the mean.
"""

import numpy as np

import learnt

rng = np.random.default_rng(0)
n = 200
area, town = rng.uniform(40, 160, n), rng.choice(["Basel", "Bern", "Chur"], n)
rent = 300 + 14 * area + np.where(town == "Basel", 250, 0) + rng.normal(scale=80, size=n)
flats = learnt.Table({"area": area, "town": town, "rent": rent})

model = learnt.LinearRegression().fit(flats, "rent")
explanation = model.explain({"area": [95.0], "town": ["Basel"]})[0]
print(explanation)

# %%
# The same sum as a picture.

explanation.plot()

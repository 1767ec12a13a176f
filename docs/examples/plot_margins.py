"""
Margins grow after the last mistake
===================================

Boosting goes on when no training row is wrong any more: the rows that were answered with few votes to spare are
answered ever more clearly. The stairs show the share of rows up to each margin.
"""

import numpy as np

import learnt

rng = np.random.default_rng(0)
x = rng.normal(size=(300, 5))
inside = (x**2).sum(axis=1) < 4.35

axes = None
for rounds in (10, 100, 1000):
    model = learnt.AdaBoostClassifier(learnt.DecisionTreeClassifier(max_depth=3), n_estimators=rounds)
    found = model.fit(x, inside).margins(x, inside)
    axes = found.plot(axes, label=f"{rounds} rounds, {model.training_error_[-1]:.0%} wrong")

# %%
# A bag of the same trees votes more clearly, but gets more rows wrong.

bag = learnt.BaggingClassifier(learnt.DecisionTreeClassifier(max_depth=3), 100).fit(x, inside)
print(bag.margins(x, inside))
print(found)

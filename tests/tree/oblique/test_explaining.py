"""What sums of columns contribute, told in the columns."""

import numpy as np
import pytest

import learnt

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")


def test_contributions_are_of_the_columns_of_the_sum_by_the_sizes_of_their_terms():
    model = learnt.ObliqueTreeClassifier(max_depth=1).fit(X, Y)
    rows = X[:30]
    for told, x, shares in zip(model.explain(rows, kind="attribution"), rows, model.predict_proba(rows), strict=True):
        a, b, c = (e.contribution for e in told.evidence)
        assert told.add_up() == pytest.approx(shares.max())
        assert c == 0
        assert abs(a) + abs(b) > 0
        assert (abs(a) > abs(b)) == (abs(x[0]) > abs(x[1])) or abs(abs(x[0]) - abs(x[1])) < 0.3

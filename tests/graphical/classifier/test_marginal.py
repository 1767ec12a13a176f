"""Missing cells against the sum over all that they could be."""

from itertools import product

import numpy as np
import pytest
from tests.graphical.networks import Network

from learnt import BayesNetClassifier

#: The class is v0; v3 hangs on two columns, so that a missing parent ties others together.
SHAPE = {"class": [], "v1": ["class"], "v2": ["v1", "class"], "v3": ["v1", "v2", "class"], "v4": ["v3"]}


@pytest.fixture(scope="module")
def fitted():
    drawn = Network([[], [0], [0, 1], [1, 2], [3]], [2, 3, 2, 3, 2], seed=3).table(300)
    labels = drawn.pop("v0")
    return BayesNetClassifier(SHAPE).fit(drawn, labels)


def joint(model, cells):
    """p(class, cells) of one row without gaps, by the tables alone: axes parents × node × class."""
    logs = np.zeros(2)
    codes = {c.name: c.categories.index(cells[c.name]) for c in model._schema.columns}
    for family in model._families:
        names = [model._nodes()[j] for j in family.axes]
        table = model.log_tables_[model._nodes()[family.node]]
        logs += table[tuple(slice(None) if n == model.target_ else codes[n] for n in names)]
    return np.exp(logs)


@pytest.mark.parametrize("gaps", [(), ("v1",), ("v2",), ("v4",), ("v1", "v3"), ("v2", "v4"), ("v1", "v2", "v3", "v4")])
def test_missing_cells_are_summed_over_exactly(fitted, gaps):
    states = {c.name: c.categories for c in fitted._schema.columns}
    row = {"v1": "s1", "v2": "s0", "v3": "s2", "v4": "s1"}
    whole = np.zeros(2)
    for filled in product(*(states[name] for name in gaps)):
        whole += joint(fitted, row | dict(zip(gaps, filled, strict=True)))
    seen = {name: [None if name in gaps else cell] for name, cell in row.items()}
    np.testing.assert_allclose(fitted.predict_proba(seen)[0], whole / whole.sum(), rtol=1e-10)


def test_a_cell_below_all_that_is_known_changes_nothing(fitted):
    row = {"v1": ["s1"], "v2": ["s0"], "v3": ["s2"]}
    np.testing.assert_allclose(
        fitted.predict_proba({**row, "v4": [None]}), fitted.predict_proba({**row, "v4": ["s0"]}), rtol=1e-12
    )


def test_the_parts_of_an_explanation_add_up_with_cells_missing(fitted):
    row = {"v1": [None], "v2": ["s0"], "v3": ["s2"], "v4": [None]}
    told = fitted.explain(row)[0]
    odds = np.log(fitted.predict_proba(row)[0])
    assert abs(told.add_up()) == pytest.approx(abs(odds[0] - odds[1]), rel=1e-9)

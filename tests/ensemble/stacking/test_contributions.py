"""What members contribute, against the spread of their terms by hand."""

import numpy as np
import pytest

from learnt import DecisionTreeRegressor, Ridge
from learnt.data.table import Table
from learnt.ensemble.stacking.contributions import COLUMNS, contributions_of, contributions_text


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3)) * [1, 10, 0.1]
    return x, x @ [2.0, 0.1, 5.0] + rng.normal(size=80)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_shares_are_those_of_the_standard_deviations_of_terms(rows, standardize, weighted):
    x, y = rows
    weights = np.arange(1.0, 81) if weighted else None
    names = ["a", "b", "c"]
    table = Table(dict(zip(names, x.T, strict=True)))
    final = Ridge(standardize=standardize).fit(table, y)
    zero = final.predict({name: [0.0] for name in names})[0]
    gain = [final.predict({n: [float(n == name)] for n in names})[0] - zero for name in names]
    terms = {"first": x[:, :2] @ gain[:2], "second": x[:, 2] * gain[2]}
    spread = {n: np.sqrt(np.cov(t, aweights=weights, ddof=0)) for n, t in terms.items()}
    found = contributions_of(final, table, {"first": [0, 1], "second": [2]}, weights)
    for name in terms:
        assert found[name] == pytest.approx(spread[name] / sum(spread.values()), rel=1e-9)
    beside = contributions_of(final, table, {"first": [0, 1]}, weights)
    assert beside[COLUMNS] == pytest.approx(found["second"], rel=1e-9)


def test_a_final_learner_that_does_not_add_up_has_none(rows):
    x, y = rows
    table = Table(x)
    assert contributions_of(DecisionTreeRegressor().fit(table, y), table, {"all": [0, 1, 2]}, None) is None


def test_a_member_of_a_negative_weight_is_said_to_move_the_sum_against_its_answer(rows):
    x, y = rows
    table = Table({"up": x[:, 0], "down": -x[:, 1], "own": -x[:, 2]})
    final = Ridge().fit(table, y)
    assert np.sign(final.coef_).tolist() == [1, -1, -1]
    shares = contributions_of(final, table, {"up": [0], "down": [1]}, None)
    lines = {line.split()[0]: line for line in contributions_text(shares, final, ["up", "down"]).splitlines()[:4]}
    assert lines["down"].endswith("%  against its answer")
    assert lines["up"].endswith("%")
    assert lines[COLUMNS].endswith("%")  # of many columns, some of which may rise

"""Hostile input of all three machines: an answer, or an error in words."""

import numpy as np
import pytest

from learnt import SVC, SVR, OneClassSVM
from learnt.errors import InputError
from learnt.kernel.machines.pairs import class_scores, pairs_of

MACHINES = [SVC, SVR, OneClassSVM]


def targets(cls, n):
    if cls is SVC:
        return np.array(["u", "v"])[np.arange(n) % 2]
    return np.arange(float(n)) % 3 if cls is SVR else None


def answers(model, x):
    return np.asarray(model.predict(x) if isinstance(model, SVR) else model.decision_function(x), dtype=float)


@pytest.mark.parametrize("cls", MACHINES)
@pytest.mark.parametrize("rows", [1, 2])
def test_one_row_and_two(cls, rows):
    x = np.arange(float(rows))[:, None]
    assert np.isfinite(answers(cls().fit(x, targets(cls, rows)), x)).all()


@pytest.mark.parametrize("cls", MACHINES)
def test_constant_columns_say_nothing(cls):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    with_constant = np.column_stack([x, np.full(40, 7.0)])
    y = targets(cls, 40)
    plain, other = cls(tol=1e-9).fit(x, y), cls(tol=1e-9).fit(with_constant, y)
    np.testing.assert_allclose(answers(plain, x), answers(other, with_constant), atol=1e-6)
    alone = cls().fit(np.full((6, 1), 7.0), targets(cls, 6))
    assert np.isfinite(answers(alone, [[7.0], [8.0]])).all()


@pytest.mark.parametrize("cls", MACHINES)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_units_do_not_matter(cls, scale):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 3))
    y = targets(cls, 40)
    plain, scaled = cls(tol=1e-9).fit(x, y), cls(tol=1e-9).fit(x * scale, y)
    np.testing.assert_allclose(answers(plain, x), answers(scaled, x * scale), atol=1e-6)


@pytest.mark.parametrize("cls", MACHINES)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_units_as_they_are_end_in_an_answer_or_in_words(cls, scale):
    x = np.random.default_rng(2).normal(size=(30, 3)) * scale
    for kernel in ("linear", "rbf"):
        model = cls(standardize=False, kernel=kernel, tol=1e-9)
        if scale < 1:
            assert np.isfinite(answers(model.fit(x, targets(cls, 30)), x)).all()
        else:
            with pytest.raises(InputError, match=r"kernel values of row .* are infinite"):
                model.set_params(kernel="polynomial", gamma=1.0).fit(x, targets(cls, 30))


@pytest.mark.parametrize("cls", [SVC, SVR])
@pytest.mark.parametrize("C", [1e-12, 1e12])
def test_tiny_and_huge_costs(cls, C):
    x = np.random.default_rng(3).normal(size=(50, 3))
    model = cls(C=C, gamma=2.0).fit(x, targets(cls, 50))
    assert np.isfinite(answers(model, x)).all()
    if C > 1 and cls is SVC:
        assert model.score(x, targets(cls, 50)) == 1.0
    if C < 1:
        assert np.abs(model.dual_coef_).max() <= 1e-11


@pytest.mark.parametrize("nu", [1e-12, 1.0])
def test_tiny_and_whole_shares(nu):
    x = np.random.default_rng(4).normal(size=(50, 3))
    model = OneClassSVM(nu=nu).fit(x)
    assert np.isfinite(model.decision_function(x)).all()
    assert (model.decision_function(x) < -1e-2 * model.offset_).mean() <= nu
    if nu == 1.0:  # every row counts alike, and none is inside
        assert model.decision_function(x).max() == pytest.approx(0, abs=1e-9)
        assert (model.gap_, model.violation_) == (0.0, 0.0)


def test_copies_with_other_answers():
    x = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    model = SVC(tol=1e-8).fit(x, ["a", "a", "b", "b", "b", "a"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    halves = SVC(tol=1e-8).fit(x[:2], ["a", "b"])
    assert np.isfinite(halves.decision_function(x)).all()
    between = SVR(C=1e6, epsilon=0.0).fit(x, [0.0, 1.0, 2.0, 5.0, 6.0, 7.0]).predict([[0.0], [1.0]])
    np.testing.assert_allclose(between, [1.0, 6.0], atol=1e-3)


@pytest.mark.parametrize("cls", MACHINES)
def test_a_function_that_gives_no_numbers(cls):
    x = np.arange(8.0)[:, None]

    def broken(a, b):
        return np.full((len(a), len(b)), np.nan)

    with pytest.raises(InputError, match="'broken' gave nan"):
        cls(kernel=broken).fit(x, targets(cls, 8))
    with pytest.raises(InputError, match="of shape"):
        cls(kernel=lambda a, b: np.ones(3)).fit(x, targets(cls, 8))


@pytest.mark.parametrize("cls", MACHINES)
def test_values_must_be_square_and_symmetric(cls):
    with pytest.raises(InputError, match="square matrix"):
        cls(kernel="precomputed").fit(np.ones((3, 2)), targets(cls, 3))
    with pytest.raises(InputError, match="not symmetric"):
        cls(kernel="precomputed").fit([[1.0, 0.2, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.0]], targets(cls, 3))


def test_scores_beyond_the_largest_number_are_votes_like_others():
    scores = np.array([[np.inf, np.inf, -np.inf], [-np.inf, np.inf, 2.0]])
    found = class_scores(scores, pairs_of([0, 1, 2]), 3)
    np.testing.assert_allclose(found, [[2 + 1 / 3, 0 - 1 / 3, 1], [1, 2 + 1 / 3, -1 / 3]])
    model = SVC(kernel="poly").fit([[0.0], [1.0]], ["u", "v"])
    assert model.decision_function([[1e300]]).tolist() == [np.inf]
    assert model.predict([[1e300]]).tolist() == ["v"]
    assert model.predict_proba([[1e300]])[0, 1] > 0.5

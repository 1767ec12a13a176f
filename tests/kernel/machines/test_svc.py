"""Support vector classification against LIBSVM, against the conditions it must meet, and on hostile input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC as TheirSVC

import learnt
from learnt import SVC, Kernel
from learnt.errors import InputError

INF = float("inf")


def curved(n=150, seed=0, p=4):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return (
        x,
        np.where(x[:, 0] * x[:, 1] + 0.3 * rng.normal(size=n) > 0, "yes", "no"),
        rng.integers(1, 4, n).astype(float),
    )


def test_worked_example_three_points():
    table = {"a": [1.0, -1.0, -1.0], "b": [2.0, 2.0, -2.0]}
    model = SVC(C=INF, kernel="linear", standardize=False, tol=1e-12).fit(table, [-1, -1, 1])
    alpha = np.zeros(3)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(alpha, [0, 1 / 8, 1 / 8], atol=1e-12)
    np.testing.assert_allclose(model.coef_, [[0, -1 / 2]], atol=1e-12)
    assert model.intercept_[0] == pytest.approx(0, abs=1e-12)
    assert model.margin_ == pytest.approx(2)


def test_worked_example_four_points():
    table = {"a": [1.0, -1.0, -1.0, 3.0], "b": [2.0, 2.0, -2.0, 1.0]}
    model = SVC(C=INF, kernel="linear", standardize=False, tol=1e-12).fit(table, [-1, -1, 1, 1])
    alpha = np.zeros(4)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_allclose(alpha, [1 / 2, 0, 1 / 10, 2 / 5], atol=1e-9)
    np.testing.assert_allclose(model.coef_, [[3 / 5, -4 / 5]], atol=1e-9)
    assert model.margin_ == pytest.approx(1)


# The sigmoid is no kernel here: where C is large, there are several optima, and the two may end in different ones.
@pytest.mark.parametrize(
    ("kernel", "C"),
    [("linear", 0.05), ("linear", 1.0), ("poly", 0.05), ("poly", 1.0), ("rbf", 0.05), ("rbf", 1.0), ("sigmoid", 0.05)],
)
def test_the_machine_is_libsvms(kernel, C):
    """LIBSVM keeps kernel values in single precision, which is what the tolerance allows for."""
    x, y, w = curved()
    settings = {"kernel": kernel, "C": C, "gamma": 0.2, "coef0": 1.0, "tol": 1e-9}
    ours = SVC(**settings, standardize=False, probability=False).fit(x, y, sample_weight=w)
    theirs = TheirSVC(**settings).fit(x, y, sample_weight=w)
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=3e-5)
    assert ours.support_.tolist() == sorted(theirs.support_.tolist())
    beta = np.zeros(len(x))
    beta[theirs.support_] = theirs.dual_coef_[0]
    np.testing.assert_allclose(ours.dual_coef_[0], beta[ours.support_], atol=3e-5)


@pytest.mark.parametrize(
    "kernel", ["linear", "polynomial", "rbf", "laplacian", "cosine", Kernel("rbf") + Kernel("linear")]
)
@pytest.mark.parametrize("C", [1e-12, 0.1, 10.0])
def test_the_conditions_of_an_optimum_hold(kernel, C):
    x, y, w = curved(80, 3)
    tol = 1e-8 * max(1.0, C)
    model = SVC(kernel=kernel, C=C, gamma=0.5, tol=tol, standardize=False, probability=False).fit(x, y, sample_weight=w)
    sign = np.where(y == "yes", 1.0, -1.0)
    alpha = np.zeros(len(x))
    alpha[model.support_] = model.dual_coef_[0] * sign[model.support_]
    assert np.all(alpha >= 0)
    assert np.all(alpha <= C * w)
    assert (alpha * sign).sum() == pytest.approx(0, abs=1e-12 * max(1.0, C) * len(x))
    margins = sign * model.decision_function(x)
    slack = 10 * tol
    assert np.all(margins[alpha == 0] >= 1 - slack)
    assert np.all(margins[alpha == C * w] <= 1 + slack)
    inside = (alpha > 0) & (alpha < C * w)
    np.testing.assert_allclose(margins[inside], 1, atol=slack)
    assert model.gap_ <= 1e-4 * max(1.0, C)
    assert model.violation_ <= tol


def test_several_classes_vote_as_libsvm_does():
    iris = learnt.datasets.load("iris")
    x = np.column_stack([iris[n].values for n in iris.names[:4]])
    y = np.array(iris[iris.names[-1]].labels())
    ours = SVC(gamma=0.25, tol=1e-8, standardize=False, probability=False).fit(x, y)
    theirs = TheirSVC(gamma=0.25, tol=1e-8).fit(x, y)
    np.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=1e-5)
    assert ours.predict(x).tolist() == theirs.predict(x).tolist()
    assert ours.n_support_.tolist() == theirs.n_support_.tolist()
    theirs.set_params(decision_function_shape="ovo")
    np.testing.assert_allclose(ours.decision_function(x, shape="ovo"), theirs.decision_function(x), atol=1e-5)


@pytest.mark.parametrize("rows", [150, 3000])
def test_shrinking_threads_and_order_change_nothing(rows):
    x, y, w = curved(rows, 5)
    model = SVC(probability=False).fit(x, y, sample_weight=w)
    with learnt.threads(1):
        one = SVC(probability=False).fit(x, y, sample_weight=w)
    assert np.array_equal(one.dual_coef_, model.dual_coef_)
    order = np.random.default_rng(0).permutation(rows)
    turned = SVC(probability=False).fit(x[order], y[order], sample_weight=w[order])
    np.testing.assert_allclose(turned.decision_function(x), model.decision_function(x), atol=1e-9)
    whole = SVC(probability=False, shrinking=False).fit(x, y, sample_weight=w)
    np.testing.assert_allclose(whole.decision_function(x), model.decision_function(x), atol=5e-3)


def test_a_row_twice_is_a_row_of_weight_two():
    x, y, w = curved(60, 1)
    times = w.astype(int)
    weighted = SVC().fit(x, y, sample_weight=w)
    repeated = SVC().fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(x), repeated.predict_proba(x), atol=1e-9)


def test_sparse_rows_give_the_machine_of_dense_ones():
    x, y, _ = curved(100, 2)
    x[np.abs(x) < 0.6] = 0
    for kernel in ("linear", "rbf", "laplacian"):
        a = SVC(kernel=kernel, standardize=False, tol=1e-8, probability=False).fit(x, y)
        b = SVC(kernel=kernel, standardize=False, tol=1e-8, probability=False).fit(sparse.csr_matrix(x), y)
        np.testing.assert_allclose(a.decision_function(x), b.decision_function(sparse.csr_matrix(x)), atol=1e-6)


def test_given_values_a_function_and_a_name_are_the_same_machine():
    x, y, w = curved(90, 4)
    K = learnt.gram(x, kernel="rbf", gamma=0.3)
    settings = {"tol": 1e-9, "standardize": False, "probability": False}
    name = SVC(gamma=0.3, **settings).fit(x, y, sample_weight=w)
    given = SVC(kernel="precomputed", **settings).fit(K, y, sample_weight=w)
    function = SVC(kernel=lambda a, b: learnt.gram(a, b, kernel="rbf", gamma=0.3), **settings).fit(
        x, y, sample_weight=w
    )
    for other in (given.decision_function(K), function.decision_function(x)):
        np.testing.assert_allclose(name.decision_function(x), other, atol=1e-6)


def test_probabilities_are_learnt_from_rows_held_out():
    """Of pure noise a machine that bends much remembers every row; its probabilities must not say so."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = SVC(gamma=50.0, C=100.0).fit(x, y)
    assert model.score(x, y) > 0.95
    loss = -np.log(model.predict_proba(rng.normal(size=(200, 3)))).mean()
    assert loss < 0.8
    with pytest.raises(InputError, match="probability=True"):
        SVC(probability=False).fit(x, y).predict_proba(x)


def test_the_answer_is_the_most_probable_class():
    iris = learnt.datasets.load("iris")
    model = SVC(C=0.1).fit(iris, iris.names[-1])
    p = model.predict_proba(iris)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.classes_[p.argmax(axis=1)].tolist() == model.predict(iris).tolist()


def test_explanations_add_up_to_the_score():
    x, y, _ = curved(70, 6)
    for kernel in ("linear", "rbf"):
        model = SVC(kernel=kernel).fit(x, y)
        scores = model.decision_function(x)
        for i in (0, 5, 9):
            told = model.explain(x)[i]
            assert told.total == pytest.approx(abs(scores[i]))
            assert told.add_up() == pytest.approx(abs(scores[i]))
            if kernel == "rbf":
                assert told.intercept + sum(e.contribution for e in told.support) == pytest.approx(told.total)


def test_labels_and_missing_cells():
    table = {"kind": ["a", "a", "b", None, "b", "a"], "size": [1.0, None, 3.0, 4.0, 5.0, 1.5]}
    model = SVC().fit(table, ["x", "x", "y", "y", "y", "x"])
    assert model.predict(table).tolist() == ["x", "x", "y", "y", "y", "x"]
    assert model.predict({"kind": [None], "size": [None]}).shape == (1,)


def test_no_border_without_mistakes_is_said():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.raises(InputError, match="cannot be separated"):
        SVC(C=INF, kernel="linear").fit(x, [0, 1, 0, 1])
    with pytest.raises(InputError, match="equal rows of different classes"):
        SVC(C=INF).fit([[1.0], [1.0], [2.0]], ["a", "b", "a"])
    assert SVC(C=INF, kernel="rbf", gamma=1.0).fit(x, [0, 1, 0, 1]).predict(x).tolist() == [0, 1, 0, 1]


def test_duplicates_of_opposite_labels_are_outvoted():
    x = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
    model = SVC(tol=1e-6).fit(x, ["a", "a", "b", "b", "b"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_units_do_not_matter(scale):
    x, y, _ = curved(60, 7)
    plain = SVC(probability=False).fit(x, y).decision_function(x)
    scaled = SVC(probability=False).fit(x * scale, y).decision_function(x * scale)
    np.testing.assert_allclose(plain, scaled, atol=1e-6)


def test_one_class_one_row_and_constant_columns():
    assert SVC().fit([[1.0], [2.0]], ["a", "a"]).predict([[5.0]]).tolist() == ["a"]
    assert SVC().fit([[1.0]], ["a"]).predict([[5.0]]).tolist() == ["a"]
    constant = SVC().fit([[7.0], [7.0], [7.0]], ["a", "b", "b"])
    assert constant.predict([[7.0]]).tolist() == ["b"]
    assert SVC().fit([[0.0], [1.0]], ["a", "b"]).predict([[0.1], [0.9]]).tolist() == ["a", "b"]


def test_huge_and_tiny_costs():
    x, y, _ = curved(60, 8)
    tiny = SVC(C=1e-12, probability=False).fit(x, y)
    assert np.isfinite(tiny.decision_function(x)).all()
    huge = SVC(C=1e12, gamma=2.0, probability=False).fit(x, y)
    assert huge.score(x, y) == 1.0


def test_a_matrix_given_as_kernel_must_be_square_and_symmetric():
    with pytest.raises(InputError, match="square matrix"):
        SVC(kernel="precomputed").fit(np.ones((3, 2)), ["a", "b", "a"])
    with pytest.raises(InputError, match="not symmetric"):
        SVC(kernel="precomputed").fit([[1.0, 0.2], [0.3, 1.0]], ["a", "b"])


def test_class_weights_move_the_border():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(190, 2)), rng.normal(1.5, 1, size=(10, 2))])
    y = np.array(["common"] * 190 + ["rare"] * 10)
    plain, even = SVC().fit(x, y), SVC(class_weight="balanced").fit(x, y)
    assert (even.predict(x) == "rare").sum() > (plain.predict(x) == "rare").sum()


def test_saved_and_loaded(tmp_path):
    x, y, _ = curved(60, 9)
    model = SVC().fit(x, y)
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    assert np.array_equal(again.predict_proba(x), model.predict_proba(x))

"""The mixed kernel against its definition, averages over cells, and as part of machines."""

import numpy as np
import pytest

import learnt
from learnt import Kernel, Table, gram, is_kernel
from learnt.errors import InputError, ParameterError

RNG = np.random.default_rng(0)


def random_table(seed: int, n: int = 60) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    number, skewed = rng.normal(size=n), rng.exponential(size=n) * 10.0 ** rng.integers(-3, 4)
    number[rng.random(n) < rng.random() * 0.6] = np.nan
    town = rng.choice(["Bern", "Rome", "Oslo", "Riga"], n, p=[0.5, 0.3, 0.15, 0.05]).astype(object)
    town[rng.random(n) < rng.random()] = None
    return {
        "number": [None if np.isnan(v) else v for v in number],
        "skewed": skewed.tolist(),
        "town": town.tolist(),
        "yes": rng.choice(["no", "yes"], n).tolist(),
    }


def plain_value(x, z, gamma, stats):
    """k of two rows by the definition, column by column."""
    value = 1.0
    for name in stats:
        a, b, about = x[name], z[name], stats[name]
        if isinstance(about, dict):  # shares of labels

            def like(p, q, about=about):
                return sum(p[v] * q[w] * (1.0 if v == w else np.exp(-2 * gamma)) for v in about for w in about)

            p, q = (about if cell is None else {v: float(v == cell) for v in about} for cell in (a, b))
            value *= like(p, q)
        else:
            mean, spread = about
            draws = GAUSSIAN
            p, q = (draws if cell is None else (np.array([(cell - mean) / spread]), np.ones(1)) for cell in (a, b))
            values = np.exp(-gamma * (p[0][:, None] - q[0][None]) ** 2)
            value *= p[1] @ values @ q[1]
    return value


#: A standard Gaussian by quadrature: points and their weights.
_points, _weights = np.polynomial.hermite_e.hermegauss(80)
GAUSSIAN = _points, _weights / _weights.sum()


@pytest.mark.parametrize("gamma", [0.05, 0.7])
def test_values_are_those_of_the_definition(gamma):
    table = random_table(3, 25)
    known = {name: [v for v in column if v is not None] for name, column in table.items()}
    stats = {
        name: (float(np.mean(values)), float(np.std(values)))
        if isinstance(values[0], float)
        else {v: values.count(v) / len(values) for v in sorted(set(values))}
        for name, values in known.items()
    }
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    expected = [[plain_value(x, z, gamma, stats) for z in rows] for x in rows]
    np.testing.assert_allclose(gram(table, kernel="mixed", gamma=gamma), expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_a_kernel_on_random_tables(seed):
    table = random_table(seed)
    for gamma in (0.01, 0.5, 20.0):
        K = gram(table, kernel="mixed", gamma=gamma)
        assert is_kernel(K), (seed, gamma)
        assert np.array_equal(K, K.T)
        np.testing.assert_allclose(Kernel("mixed", gamma=gamma).diagonal(table), np.diagonal(K), rtol=1e-14)


def test_of_complete_numbers_it_is_the_rbf_kernel_of_standardised_columns():
    X = RNG.normal(size=(40, 3)) * [1.0, 100.0, 0.01]
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(gram(X, kernel="mixed", gamma=0.4), gram(z, kernel="rbf", gamma=0.4), rtol=1e-10)
    np.testing.assert_allclose(gram(X, kernel="mixed"), gram(z, kernel="rbf", gamma=1 / 3), rtol=1e-10)


def test_labels_count_by_match():
    K = gram({"a": ["x", "x", "y"], "b": ["u", "v", "v"]}, kernel="mixed", gamma=0.5)
    e = np.exp(-1.0)
    np.testing.assert_allclose(K, [[1, e, e * e], [e, 1, e], [e * e, e, 1]], rtol=1e-14)


def test_a_missing_cell_is_less_alike_than_the_same_and_more_than_another():
    K = gram({"a": ["x", "y", None, None]}, kernel="mixed", gamma=1.0)
    same, other = K[0, 0], K[0, 1]
    assert other < K[0, 2] < same
    assert K[0, 2] == pytest.approx((same + other) / 2)
    assert K[2, 3] == K[2, 2]  # two cells nobody knows: as alike as any two


def test_the_bits_of_a_row_do_not_depend_on_gaps_of_its_neighbours():
    X = RNG.normal(size=(30, 4))
    Y = X.copy()
    Y[3, 1] = np.nan
    with_gap, without = gram(X, Y, kernel="mixed", gamma=0.3), gram(X, X, kernel="mixed", gamma=0.3)
    assert np.array_equal(np.delete(with_gap, 3, axis=1), np.delete(without, 3, axis=1))


def test_arrays_frames_and_tables_give_the_same():
    import pandas as pd

    table = random_table(1)
    frame, X = pd.DataFrame(table), np.array(table["number"], dtype=float)[:, None]
    expected = gram(table, kernel="mixed", gamma=0.2)
    assert np.array_equal(gram(frame, kernel="mixed", gamma=0.2), expected)
    assert np.array_equal(gram(Table(table), kernel=Kernel("mixed", gamma=0.2)), expected)
    assert np.array_equal(gram(X, kernel="mixed"), gram({"number": table["number"]}, kernel="mixed"))
    some = Table(table).rows(0, 5)
    assert np.array_equal(gram(table, some, kernel="mixed", gamma=0.2), expected[:, :5])


def test_what_is_hostile():
    with pytest.raises(ParameterError, match="cannot be joined"):
        Kernel("mixed") + Kernel("rbf")
    with pytest.raises(InputError, match="infinite"):
        gram([[np.inf], [1.0]], kernel="mixed")
    from scipy.sparse import csr_matrix

    with pytest.raises(InputError, match="sparse"):
        gram(csr_matrix(np.eye(3)), kernel="mixed")
    assert gram([[1.0], [1.0]], kernel="mixed").tolist() == [[1.0, 1.0], [1.0, 1.0]]  # nothing varies
    assert gram({"a": [None, None], "b": ["x", "x"]}, kernel="mixed").tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert is_kernel(gram([[1e150], [2e150], [None], [0.0]], kernel="mixed", gamma=1e308))
    np.testing.assert_allclose(
        (2 * Kernel("mixed", gamma=0.5))({"a": ["x", "y"]}), 2 * gram({"a": ["x", "y"]}, kernel="mixed", gamma=0.5)
    )


def credit_like(n=240, seed=0):
    """Who pays: by town unless it is missing, then by age."""
    rng = np.random.default_rng(seed)
    town = rng.choice(["Bern", "Rome", "Oslo"], n).astype(object)
    age = rng.normal(40, 10, n)
    y = np.where((town == "Bern") ^ (age > 45), "pays", "owes")
    town[rng.random(n) < 0.15] = None
    return {"town": town.tolist(), "age": age.tolist()}, y


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_machines_take_it(factor, tmp_path):
    table, y = credit_like()
    kernel = "mixed" if factor == 1 else factor * Kernel("mixed")
    model = learnt.SVC(kernel=kernel, C=10.0).fit(table, y)
    assert model.score(table, y) > 0.85
    new, truth = credit_like(seed=1)
    assert model.score(new, truth) > 0.8
    assert model.explain(new)[0].add_up() == pytest.approx(abs(model.decision_function(new)[0]))
    learnt.save(model, tmp_path / "model.learnt")
    assert np.array_equal(learnt.load(tmp_path / "model.learnt").decision_function(new), model.decision_function(new))
    # a gap in a column that had none at fitting changes that row alone
    gap = {"town": new["town"], "age": [None, *new["age"][1:]]}
    assert np.array_equal(model.decision_function(gap)[1:], model.decision_function(new)[1:])


def test_other_machines_take_it_and_weights_are_repetitions():
    table, y = credit_like(80)
    w = np.random.default_rng(1).integers(1, 4, 80)
    repeated = {name: np.repeat(np.array(column, dtype=object), w).tolist() for name, column in table.items()}
    target = np.where(y == "pays", 1.0, -1.0) + np.linspace(0, 1, 80)
    weighted = learnt.SVR(kernel="mixed").fit(table, target, sample_weight=w.astype(float))
    again = learnt.SVR(kernel="mixed").fit(repeated, np.repeat(target, w))
    np.testing.assert_allclose(weighted.predict(table), again.predict(table), atol=1e-8)
    assert set(learnt.OneClassSVM(kernel="mixed", nu=0.2).fit(table).predict(table).tolist()) == {1, -1}


def test_a_sparse_matrix_is_refused_by_machines_in_words():
    from scipy.sparse import csr_matrix

    with pytest.raises(InputError, match="mixed kernel was given a sparse matrix"):
        learnt.SVC(kernel="mixed").fit(csr_matrix(np.eye(4)), [0, 0, 1, 1])

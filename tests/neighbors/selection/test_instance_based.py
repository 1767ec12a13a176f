"""IB1, IB2 and IB3: which rows are kept, against the algorithm written out plainly."""

from functools import cache

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import learnt
from learnt import InstanceBasedClassifier, KNeighborsClassifier, Table
from learnt.errors import InputError
from learnt.neighbors.extent import cells_of


def two_clouds(n, seed, noise=0.0, apart=2.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    x = rng.normal(size=(n, 2)) + apart * y[:, None]
    return x, np.where(rng.random(n) < noise, 1 - y, y)


def plain_distances(kept, row, table):
    """sqrt(Σ d²) of rows of a table, from the definition."""
    cells, total = cells_of(table), np.zeros(len(kept))
    for j, column in enumerate(table.columns):
        a, b = cells[kept, j], cells[row, j]
        span = np.nanmax(cells[:, j]) - np.nanmin(cells[:, j])
        d = np.abs(a - b) / span if column.kind == "numeric" else (a != b).astype(float)
        total += np.where(np.isnan(a) | np.isnan(b), 1.0, d) ** 2
    return np.sqrt(total)


def plain_ib2(table, y):
    kept = []
    for i in range(table.n_rows):
        if not kept or y[kept[int(plain_distances(kept, i, table).argmin())]] != y[i]:
            kept.append(i)
    return kept


def plain_ib3(table, y, drawn):
    """With the places to ask while none is accepted given by `drawn(i, count)`."""

    @cache
    def limits(right, tried, alpha):  # alpha beyond each end
        return (0.0, 1.0) if tried == 0 else proportion_confint(right, tried, 2 * alpha, method="wilson")

    kept, tried, right, seen = [], {}, {}, np.zeros(int(y.max()) + 1)
    for i in range(table.n_rows):
        truth = y[i]
        if kept:
            away = plain_distances(kept, i, table)
            good = [
                e
                for e, r in enumerate(kept)
                if limits(right[r], tried[r], 0.05)[0] > limits(seen[y[r]], seen.sum(), 0.05)[1]
            ]
            if good:
                chosen = good[int(away[good].argmin())]
            else:
                chosen = np.lexsort((np.arange(len(kept)), away))[drawn(i, len(kept))]
            wrong = y[kept[chosen]] != truth
        seen[truth] += 1
        if not kept:
            kept.append(i)
            tried[i] = right[i] = 0
            continue
        left = []
        for e, r in enumerate(kept):
            if away[e] <= away[chosen]:
                tried[r] += 1
                right[r] += y[r] == truth
                if limits(right[r], tried[r], 0.125)[1] < limits(seen[y[r]], seen.sum(), 0.125)[0]:
                    continue
            left.append(r)
        kept = left
        if wrong:
            kept.append(i)
            tried[i] = right[i] = 0
    return kept, [tried[r] for r in kept], [right[r] for r in kept]


def mixed_table(n=150, seed=3):
    rng = np.random.default_rng(seed)
    cells = {
        "a": rng.normal(size=n),
        "b": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "c": rng.choice(["x", "y", "z"], n).tolist(),
    }
    y = (cells["a"] + (np.array(cells["c"]) == "x") + 0.5 * rng.normal(size=n) > 0.3).astype(int)
    return Table(cells), y


def test_ib1_keeps_all_rows_and_answers_as_the_nearest_neighbour():
    table, y = mixed_table()
    model = InstanceBasedClassifier(policy="ib1").fit(table, y)
    assert model.n_kept_ == 150
    other, _ = mixed_table(80, seed=4)
    np.testing.assert_array_equal(
        model.predict(other), KNeighborsClassifier(n_neighbors=1, index="scan").fit(table, y).predict(other)
    )


def test_ib2_keeps_the_rows_that_a_plain_loop_keeps():
    table, y = mixed_table()
    model = InstanceBasedClassifier(policy="ib2").fit(table, y)
    assert model.kept_.tolist() == plain_ib2(table, y)


@pytest.mark.costly
@pytest.mark.parametrize("seed", [0, 1])
def test_ib3_keeps_the_rows_and_records_that_a_plain_loop_keeps(seed):
    from learnt import _core
    from learnt.learner.parameters import seed_from

    table, y = mixed_table(250, seed=5)
    draws = np.empty(250)
    _core.hash_uniform(seed_from(seed), 0, draws)
    kept, tried, right = plain_ib3(table, y, lambda i, count: min(count - 1, int(draws[i] * count)))
    model = InstanceBasedClassifier(policy="ib3", random_state=seed).fit(table, y)
    assert model.kept_.tolist() == kept
    assert model._instances.tried.tolist() == tried
    assert model._instances.right.tolist() == right


def test_ib3_accepts_by_wilsons_limits_at_the_5_percent_level():
    x, y = two_clouds(400, 1, noise=0.1)
    model = InstanceBasedClassifier().fit(x, y)
    found, share = model._instances, np.bincount(y)
    want = [
        t > 0
        and proportion_confint(r, t, 0.1, method="wilson")[0]
        > proportion_confint(share[c], 400, 0.1, method="wilson")[1]
        for r, t, c in zip(found.right, found.tried, found.label, strict=True)
    ]
    assert 0 < sum(want) < len(want)
    assert model.accepted_.tolist() == want


def test_only_accepted_rows_answer():
    x, y = two_clouds(400, 2, noise=0.2)
    model = InstanceBasedClassifier().fit(x, y)
    able = model.kept_[model.accepted_]
    low, span = x.min(axis=0), np.ptp(x, axis=0)
    other = two_clouds(100, 3)[0].clip(x.min(axis=0), x.max(axis=0))
    away = (((other[:, None] - x[None, able]) / span) ** 2).sum(axis=2)
    assert low.shape == (2,)
    np.testing.assert_array_equal(model.predict(other), y[able][away.argmin(axis=1)])


def test_ib3_beats_ib2_under_label_noise_and_keeps_fewer_rows():
    """20 % of the labels flipped: in each of ten draws more accurate on clean rows, with fewer rows kept."""
    gains, kept = [], []
    for seed in range(10):
        x, y = two_clouds(1000, seed, noise=0.2)
        clean, truth = two_clouds(1000, 100 + seed)
        two, three = (InstanceBasedClassifier(policy=p).fit(x, y) for p in ("ib2", "ib3"))
        gains.append(three.score(clean, truth) - two.score(clean, truth))
        kept.append((two.n_kept_, three.n_kept_))
    assert min(gains) > 0.1, gains
    assert all(three < two / 2 for two, three in kept), kept


def test_without_noise_ib2_keeps_few_rows_and_loses_little():
    x, y = two_clouds(1000, 1, apart=5)
    clean, truth = two_clouds(1000, 2, apart=5)
    one, two = (InstanceBasedClassifier(policy=p).fit(x, y) for p in ("ib1", "ib2"))
    assert two.n_kept_ < 50
    assert two.score(clean, truth) > one.score(clean, truth) - 0.02


@pytest.mark.parametrize("policy", ["ib1", "ib2", "ib3"])
def test_rows_in_instalments_give_the_model_of_all_rows_where_ranges_are_known(policy):
    x, y = two_clouds(300, 7, noise=0.1)
    x[0], x[1] = x.min(axis=0), x.max(axis=0)  # the first rows span the ranges
    whole = InstanceBasedClassifier(policy=policy).fit(x, y)
    parts = InstanceBasedClassifier(policy=policy)
    for rows in (slice(0, 40), slice(40, 41), slice(41, 300)):
        parts.partial_fit(x[rows], y[rows], classes=[0, 1])
    assert parts.n_seen_ == 300
    np.testing.assert_array_equal(parts.kept_, whole.kept_)
    np.testing.assert_array_equal(parts.accepted_, whole.accepted_)
    np.testing.assert_array_equal(parts.predict(x), whole.predict(x))


def test_later_rows_may_widen_the_ranges():
    model = InstanceBasedClassifier(policy="ib1").partial_fit([[0.0], [1.0]], ["a", "b"])
    model.partial_fit([[10.0]], ["b"])
    assert model.predict([[0.4], [9.0]]).tolist() == ["a", "b"]
    assert model.distances([[0.0]])[0].tolist() == [0.0, 0.1]


def test_instalments_refuse_what_the_first_did_not_know():
    model = InstanceBasedClassifier().partial_fit({"c": ["x", "y"]}, ["a", "b"])
    with pytest.raises(InputError, match="'z' in row 0"):
        model.partial_fit({"c": ["z"]}, ["a"])
    with pytest.raises(InputError, match="'d', which is none of the classes"):
        model.partial_fit({"c": ["x"]}, ["d"])


def test_weights_show_rows_so_often():
    x, y = two_clouds(200, 9, noise=0.1)
    counts = np.random.default_rng(0).integers(0, 4, 200)
    rows = np.repeat(np.arange(200), counts)
    for policy in ("ib2", "ib3"):
        weighted = InstanceBasedClassifier(policy=policy).fit(x, y, counts)
        copied = InstanceBasedClassifier(policy=policy).fit(x[rows], y[rows])
        np.testing.assert_array_equal(weighted.kept_, rows[copied.kept_])
        thirds = InstanceBasedClassifier(policy=policy).fit(x, y, counts * 0.3)  # the smallest is shown once
        np.testing.assert_array_equal(thirds.kept_, weighted.kept_)
    with pytest.raises(InputError, match="Divide the weights"):
        InstanceBasedClassifier().fit(x, y, np.where(np.arange(200) == 3, 1e12, 1.0))


def test_a_missing_cell_is_as_far_as_can_be():
    model = InstanceBasedClassifier(policy="ib1").fit({"x": [0.0, 10.0], "c": ["u", "v"]}, ["a", "b"])
    assert model.distances({"x": [None], "c": ["u"]})[0].tolist() == [1.0, np.sqrt(2)]


def test_an_explanation_names_the_row_and_adds_up_the_columns():
    model = InstanceBasedClassifier(policy="ib1").fit({"x": [0.0, 10.0], "c": ["u", "v"]}, ["a", "b"])
    told = model.explain({"x": [2.0], "c": ["v"]})[0]
    assert told.prediction == "b"
    assert [e.contribution for e in told.evidence] == pytest.approx([0.64, 0.0])
    assert "row 1 at squared distance 0.64" in str(told)
    assert told.alternatives == (("a", pytest.approx(1.04)),)


def test_a_model_saved_goes_on_learning(tmp_path):
    x, y = two_clouds(300, 11, noise=0.2)
    model = InstanceBasedClassifier().fit(x[:200], y[:200])
    learnt.save(model, tmp_path / "m.learnt")
    again = learnt.load(tmp_path / "m.learnt")
    for one in (model, again):
        one.partial_fit(x[200:], y[200:])
    np.testing.assert_array_equal(again.kept_, model.kept_)
    np.testing.assert_array_equal(again.predict(x), model.predict(x))


@pytest.mark.parametrize("policy", ["ib1", "ib2", "ib3"])
def test_learning_goes_on_however_the_numbers_are_stored(policy):
    x, y = two_clouds(60, seed=4)
    x = np.round(x * 8)
    whole = InstanceBasedClassifier(policy=policy).fit({"a": x[:, 0], "b": x[:, 1]}, y)
    parts = [
        {"a": x[:30, 0].astype(int), "b": x[:30, 1]},  # columns of two types are no one matrix
        Table.of_matrix(x[30:45], ["a", "b"]),
        {"b": x[45:, 1].tolist(), "a": x[45:, 0].astype(np.float32)},
    ]
    for order in ([0, 1, 2], [1, 0, 2]):
        rows = np.concatenate([np.arange(60)[[slice(0, 30), slice(30, 45), slice(45, 60)][i]] for i in order])
        model, at = InstanceBasedClassifier(policy=policy), 0
        for i in order:
            n = len(parts[i]["a"]) if i != 1 else 15
            model.partial_fit(parts[i], y[rows[at : at + n]], classes=[0, 1])
            at += n
        assert model.n_seen_ == 60
        if order == [0, 1, 2] and policy == "ib1":
            assert model.kept_.tolist() == whole.kept_.tolist()
            asked = {"a": x[:, 0], "b": x[:, 1]}
            np.testing.assert_array_equal(model.predict(asked), whole.predict(asked))

"""Methods of learners on Dask collections: lazily, a collection back, the learner sent once."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import learnt
from learnt.errors import InputError, KindError, NotFittedError

N = 60


def people(n=N, seed=0):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {"age": rng.normal(40, 10, n).round(1), "town": rng.choice(["Bern", "Basel"], n), "note": ["x"] * n}
    )
    rows["ill"] = np.where(rows["age"] + rng.normal(0, 5, n) > 40, "yes", "no")
    rows.index = pd.RangeIndex(100, 100 + n)
    return rows


def spread(rows, n=3):
    return dd.from_pandas(rows, npartitions=n)


def here(lazy):
    return lazy.compute(scheduler="synchronous")


@pytest.fixture(scope="module")
def model():
    return learnt.NaiveBayesClassifier().fit(people()[["age", "town"]], people()["ill"])


def test_probabilities_are_a_frame_with_a_column_for_each_class(model):
    lazy = model.predict_proba(spread(people()))
    assert list(lazy.columns) == ["no", "yes"]
    assert lazy.npartitions == 3
    pd.testing.assert_frame_equal(
        here(lazy), pd.DataFrame(model.predict_proba(people()), people().index, ["no", "yes"])
    )


def test_predictions_are_a_series_that_can_stand_beside_the_rows(model):
    rows = spread(people())
    beside = here(rows.assign(said=model.predict(rows)))
    assert list(beside["said"]) == list(model.predict(people()))


def test_columns_that_the_model_ignores_are_not_even_read(model, tmp_path):
    people().to_parquet(tmp_path / "people.parquet")
    lazy = model.predict(dd.read_parquet(tmp_path)).optimize(fuse=False)
    assert "columns=['age', 'town']" in lazy.expr.tree_repr()
    assert list(lazy.compute(scheduler="synchronous")) == list(model.predict(people()))


def test_an_empty_partition_has_an_empty_answer_of_the_same_type(model):
    rows = spread(people())
    some = rows[rows["age"] > 1e9]
    assert here(model.predict(some)).dtype == model.predict(some).dtype
    proba = here(model.predict_proba(some))
    assert proba.shape == (0, 2)
    half = rows.map_partitions(lambda part: part[part.index < 110], meta=rows._meta)  # the last ones are empty
    assert list(here(model.predict(half))) == list(model.predict(people()[:10]))


def test_a_column_that_is_missing_is_told_at_once(model):
    with pytest.raises(InputError, match="'town' is missing"):
        model.predict(spread(people()[["age", "note"]]))


def test_a_learner_that_is_not_fitted_says_so_at_once():
    with pytest.raises(NotFittedError):
        learnt.NaiveBayesClassifier().predict(spread(people()))
    with pytest.raises(NotFittedError):
        learnt.NaiveBayesClassifier().predict(da.zeros((4, 2)))


def test_a_later_fit_does_not_change_what_was_asked_before():
    learner = learnt.MajorityClassifier().fit(people()[["age"]], ["a"] * N)
    lazy = learner.predict(spread(people()))
    learner.fit(people()[["age"]], ["b"] * N)
    assert set(here(lazy)) == {"a"}
    assert set(here(learner.predict(spread(people())))) == {"b"}


def test_a_column_of_text_that_passes_stays_what_it_is():
    rows = people()
    rows["town"] = rows["town"].astype("category")
    unknown = spread(rows)
    unknown["town"] = unknown["town"].cat.as_unknown()
    scaler = learnt.StandardScaler().fit(rows[["age", "town"]])
    lazy = scaler.transform(unknown)
    assert not lazy["town"].cat.known
    pd.testing.assert_frame_equal(here(lazy), scaler.transform(rows[["age", "town"]]))


def test_a_frame_without_the_names_of_fitting_is_taken_by_position():
    rows = people()[["age"]].assign(b=1.0)
    model = learnt.LinearRegression().fit(rows.to_numpy(), np.arange(N))
    with pytest.warns(UserWarning, match="without feature names"):
        found = here(model.predict(spread(rows)))
    np.testing.assert_array_equal(found, model.predict(rows.to_numpy()))


def test_an_array_of_several_blocks_of_columns_is_taken_row_by_row():
    rows = np.random.default_rng(0).normal(size=(50, 4))
    model = learnt.PCA(2).fit(rows)
    lazy = model.transform(da.from_array(rows, chunks=(20, 3)))
    assert lazy.chunks == ((20, 20, 10), (2,))
    np.testing.assert_array_equal(here(lazy), model.transform(rows))
    back = model.inverse_transform(lazy)
    assert back.shape == (50, 4)
    np.testing.assert_allclose(here(back), model.inverse_transform(model.transform(rows)))


def test_an_array_whose_lengths_nobody_knows_is_answered_all_the_same():
    rows = spread(people()[["age"]]).to_dask_array()
    model = learnt.KMeans(2, random_state=0).fit(people()[["age"]].to_numpy())
    assert len(here(model.predict(rows))) == N
    with pytest.raises(InputError, match="compute_chunk_sizes"):
        model.explain(rows)


def test_sparse_answers_come_in_sparse_blocks():
    rows = people()[["age"]].to_numpy()
    model = learnt.DecisionTreeClassifier(max_depth=2).fit(rows, people()["ill"])
    expected = model.decision_path(rows)
    lazy = model.decision_path(da.from_array(rows, chunks=20))
    assert lazy.shape == expected.shape
    made = here(lazy)
    assert (made != expected).nnz == 0


def test_an_array_of_one_dimension_or_of_another_width_is_told_at_once(model):
    with pytest.raises(InputError, match="1 dimensions"):
        model.predict(da.zeros(4))
    with pytest.raises(InputError, match="3 features"):
        model.predict(da.zeros((4, 3)))


def test_delayed_frames_give_delayed_answers(model):
    parts = [dask.delayed(people(20, seed)) for seed in range(3)]
    lazy = model.predict(parts)
    assert len(lazy) == 3
    for seed, answer in enumerate(dask.compute(*lazy, scheduler="synchronous")):
        np.testing.assert_array_equal(answer, model.predict(people(20, seed)))
    np.testing.assert_array_equal(here(model.predict(parts[0])), model.predict(people(20, 0)))


def test_an_explanation_is_a_line_for_each_row_and_column_under_the_index_of_the_row(model):
    lazy = model.explain(spread(people()))
    assert list(lazy.columns) == ["prediction", "column", "value", "contribution", "words"]
    made = here(lazy)
    assert list(made.index[:4]) == [100, 100, 101, 101]
    expected = model.explain(people()).to_frame(long=True)
    np.testing.assert_array_equal(made["contribution"], expected["contribution"])
    assert list(made["value"]) == list(expected["value"])


def test_lines_of_an_array_count_its_rows():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    model = learnt.LinearRegression().fit(rows, rows[:, 0])
    made = here(model.explain(da.from_array(rows, chunks=(11, 2))))
    assert list(made.index) == list(np.repeat(np.arange(30), 2))


def test_intervals_are_a_frame_of_low_and_high():
    rows = people()[["age"]]
    model = learnt.LinearRegression().fit(rows, np.arange(N))
    lazy = model.predict_interval(spread(rows), level=0.5)
    assert list(lazy.columns) == ["low", "high"]
    np.testing.assert_array_equal(here(lazy), np.asarray(model.predict_interval(rows, level=0.5)))


def test_what_needs_all_rows_at_once_is_refused_in_words(model):
    with pytest.raises(KindError, match=r"spread over partitions.*\.compute\(\)"):
        model.check(spread(people()))
    with pytest.raises(KindError, match="list of delayed frames is spread"):
        learnt.Table([dask.delayed(people())])


def test_a_learner_in_a_search_is_asked_by_partition_too():
    rows = people()
    search = learnt.Tuned(learnt.DecisionTreeClassifier(), space={"max_depth": [1, 2]}, cv=2)
    found = search.fit(rows[["age"]], rows["ill"])
    lazy = found.predict(spread(rows[["age"]]))
    assert lazy.npartitions == 3
    np.testing.assert_array_equal(here(lazy), found.predict(rows[["age"]]))


class Counting(learnt.MajorityClassifier, listed=False):
    """Tells in whose hands it came, once for each time it is unpickled."""

    came = 0

    def __setstate__(self, state):
        type(self).came += 1
        self.__dict__.update(state)


def came_here():
    from tests.learner.partitions import test_mapping

    return test_mapping.Counting.came


@pytest.mark.costly
def test_a_learner_is_sent_to_each_worker_once_however_many_partitions_there_are(small_cluster):
    model = Counting().fit(people()[["age"]], people()["ill"])
    before = small_cluster.run(came_here)
    lazy = model.predict(spread(people(400), 40))
    found = small_cluster.compute(lazy).result(timeout=600)
    assert len(found) == 400
    after = small_cluster.run(came_here)
    assert all(after[worker] - before[worker] <= 1 for worker in after)
    assert sum(after.values()) > sum(before.values())


@pytest.mark.costly
def test_kernels_use_the_threads_of_their_worker(small_cluster):
    model = learnt.KMeans(2, random_state=0).fit(people()[["age"]])
    found = small_cluster.compute(model.predict(spread(people()[["age"]]))).result(timeout=600)
    assert len(found) == N
    assert set(small_cluster.run(learnt.threads).values()) == {1}

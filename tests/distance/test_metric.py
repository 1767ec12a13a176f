"""A metric with what it took from rows: what it knows of itself, how it is kept in files, and who shares it."""

import dataclasses
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.saving.saving_box import edited, holding, write

import learnt
from learnt import Table
from learnt.distance import Metric, OwnMetric, pairwise, resolve
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.neighbors import build_index

NUMBERS = np.random.default_rng(0).normal(size=(30, 3)).round(1) + 0.05
MIXED = Table(
    {
        "x": [*np.linspace(0, 1, 29), None],
        "c": list("abc") * 10,
        "name": ["Ann", "Anne", "Hans", "Hannes", "Eva", None] * 5,
    }
)


def test_what_a_metric_knows_of_itself():
    facts = {
        name: (m.is_metric, m.needs_all_cells, m.by_products, m.has_boxes)
        for name, m in {
            **{n: resolve(n, NUMBERS) for n in ("euclidean", "manhattan", "hamming", "cosine", "mahalanobis")},
            "mixed": resolve("mixed", MIXED),
            "text": resolve("mixed", MIXED, text_columns=["name"]),
            "own": resolve(lambda a, b: 0.0, MIXED),
        }.items()
    }
    assert facts == {
        "euclidean": (True, True, True, True),
        "manhattan": (True, True, False, True),
        "hamming": (True, True, False, False),
        "cosine": (False, True, True, True),
        "mahalanobis": (True, True, True, True),
        "mixed": (True, False, False, False),
        "text": (False, False, False, False),
        "own": (None, False, False, False),
    }


@pytest.mark.parametrize(
    "name", ["euclidean", "manhattan", "chebyshev", "hamming", "cosine", "mahalanobis", "minkowski"]
)
def test_an_index_measures_as_the_metric_does(name):
    metric = resolve(name, NUMBERS, p=3.0)
    away, near = build_index(NUMBERS, metric).query(NUMBERS, 5)
    np.testing.assert_allclose(away, np.take_along_axis(pairwise(NUMBERS, metric=metric), near, 1), rtol=1e-13)


def test_the_scan_of_a_mixed_table_measures_as_the_metric_does():
    metric = resolve("mixed", MIXED, column_weights=[2.0, 1.0, 0.5])
    away, near = build_index(MIXED, metric).query(MIXED, 5)
    np.testing.assert_array_equal(away, np.take_along_axis(pairwise(MIXED, metric=metric), near, 1))


def test_the_parts_of_columns_add_up_to_the_distance():
    for metric in (
        resolve("mixed", MIXED),
        resolve("auto", MIXED),
        resolve("mixed", MIXED, text_columns=["name"]),
        resolve("auto", MIXED, np.repeat(["u", "v"], 15), nominal="value_difference"),
    ):
        parts = list(metric.parts(MIXED, MIXED))
        total = sum(w * part for w, part in zip(metric.column_weights, parts, strict=True))
        np.testing.assert_allclose(total ** (1 / metric.power), pairwise(MIXED, metric=metric), rtol=1e-12)


def test_value_differences_of_numbers_compare_means():
    table = Table({"c": ["a", "a", "b", "b", "c"]})
    metric = resolve("mixed", table, [1.0, 3.0, 4.0, 4.0, 6.0], nominal="value_difference")
    np.testing.assert_allclose(metric.value_tables["c"], [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]])


def test_rows_count_by_their_weight():
    table, y = Table({"c": ["a", "a", "b", "b"]}), ["+", "-", "+", "-"]
    metric = resolve("mixed", table, y, nominal="value_difference", sample_weight=[3, 1, 1, 3])
    assert metric.value_tables["c"][0, 1] == pytest.approx(0.5)
    twice = resolve("mahalanobis", NUMBERS, sample_weight=np.r_[2.0, np.ones(29)])
    np.testing.assert_allclose(
        twice.inverse_covariance, resolve("mahalanobis", np.vstack([NUMBERS, NUMBERS[:1]])).inverse_covariance
    )


def test_a_resolved_metric_is_returned_as_it_is():
    metric = resolve("mixed", MIXED)
    assert resolve(metric, NUMBERS) is metric
    assert isinstance(resolve(max, NUMBERS), OwnMetric)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"nominal": "value_difference"}, ParameterError, "Give y"),
        ({"nominal": "value_difference", "y": ["a"]}, InputError, "30 rows, y has 1"),
        ({"nominal": "value_difference", "y": [None, *"ab" * 14, "a"]}, InputError, "missing in row 0"),
        ({"nominal": "vague"}, ParameterError, "nominal is 'vague'"),
        ({"text_columns": ["nome"]}, ParameterError, "nome"),
        ({"text_columns": ["x"]}, ParameterError, "numeric"),
        ({"column_weights": [1.0]}, ParameterError, "Expected 3 numbers"),
        ({"column_weights": [1.0, -1.0, 1.0]}, ParameterError, "at least 0"),
        ({"power": 3}, ParameterError, "Expected 1 or 2"),
        ({"metric": "euclidean", "text_columns": ["name"]}, ParameterError, "text_columns needs"),
        ({"metric": "mahalanobis"}, InputError, "numbers without gaps"),
        ({"metric": "minkowski", "p": 0.5}, ParameterError, "triangle"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, error, words):
    settings = {"metric": "mixed", **settings}
    with pytest.raises(error, match=words):
        resolve(settings.pop("metric"), MIXED, **settings)


# Files


def kept(metric, tmp_path):
    path = tmp_path / "metric.learnt"
    learnt.save(holding(metric), path)
    return path


@pytest.mark.parametrize(
    "metric",
    [
        resolve("minkowski", NUMBERS, p=3.5, column_weights=[1.0, 2.0, 0.5]),
        resolve("mahalanobis", NUMBERS),
        resolve("auto", MIXED, ["u", "v"] * 15, nominal="value_difference", text_columns=["name"]),
    ],
    ids=lambda m: m.name,
)
def test_a_metric_comes_back_from_a_file_and_from_a_pickle(metric, tmp_path):
    rows = NUMBERS if metric.needs_all_cells else MIXED
    for again in (learnt.load(kept(metric, tmp_path)).predict(), pickle.loads(pickle.dumps(metric))):
        assert isinstance(again, Metric)
        np.testing.assert_array_equal(pairwise(rows, metric=again), pairwise(rows, metric=metric))


def set_field(name, value):
    def change(header, document):
        def walk(node):
            if isinstance(node, dict):
                if isinstance(node.get("fields"), dict) and "name" in node["fields"]:
                    node["fields"][name] = value
                for part in node.values():
                    walk(part)
            elif isinstance(node, list):
                for part in node:
                    walk(part)

        walk(document)

    return change


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "os.system"),
        ("name", 3),
        ("p", 0.5),
        ("p", "2"),
        ("power", 7),
        ("column_weights", [1.0]),
        ("ranges", "wide"),
        ("text", [0]),
        ("value_tables", [1]),
        ("function", "eval"),
    ],
)
def test_a_file_that_lies_about_a_metric_is_refused(field, value, tmp_path):
    content = kept(resolve("mixed", MIXED), tmp_path).read_bytes()
    assert edited(content, set_field("power", 2)) != content  # the field is found
    path = write(tmp_path / "hostile.learnt", edited(content, set_field(field, value)))
    with pytest.raises(SavedModelError):
        learnt.load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"column_weights": np.ones(2)},
        {"ranges": np.ones(4)},
        {"inverse_covariance": np.eye(3)},
        {"name": "mahalanobis"},
        {"text": (3,)},
        {"names": ("x", "c", "other")},
        {"value_tables": {"c": np.zeros((2, 2))}, "names": ("x", "c", "name")},
        {"value_tables": {"c": np.full((3, 3), -1.0)}, "names": ("x", "c", "name")},
        {"value_tables": {"c": np.zeros((3, 3))}},
    ],
)
def test_a_metric_that_does_not_fit_the_rows_beside_it_is_refused(change):
    metric = resolve("mixed", MIXED)
    metric.check(MIXED)
    with pytest.raises(SavedModelError):
        dataclasses.replace(metric, **change).check(MIXED)


def test_nan_in_weights_is_refused_at_once():
    with pytest.raises(ParameterError, match="column weights"):
        Metric("euclidean", column_weights=np.array([np.nan]))


def test_a_label_that_no_row_has_is_far_from_all_others():
    towns = Table({"town": ["Bern", "Basel", "Chur"]}, kinds={"town": "nominal"})
    for y in (["yes", "no"], [1.0, 2.0]):
        metric = resolve("mixed", towns.rows(0, 2), y, nominal="value_difference")
        place = towns["town"].categories.index("Chur")
        away = metric.value_tables["town"]
        np.testing.assert_array_equal(away[place], np.where(np.arange(3) == place, 0.0, 1.0))
        np.testing.assert_array_equal(away, away.T)


@pytest.mark.parametrize(
    ("name", "p", "kept"),
    [
        ("euclidean", 2.0, np.asarray),
        ("euclidean", 2.0, csr_array),
        ("manhattan", 1.0, np.asarray),
        ("minkowski", 3.0, np.asarray),
        ("minkowski", 9.0, np.asarray),
    ],
)
def test_rows_next_to_ones_far_off_are_measured_as_if_alone(name, p, kept):
    rows = np.array([[1.0, 2.0], [0.0, 0.5], [1e300, 0.0], [0.0, 1e120], [3e-200, 0.0], [0.0, 0.0], [1e300, 3e299]])
    metric = Metric(name, p) if name == "minkowski" else Metric(name)
    exact = np.abs(rows[:, None].astype(np.longdouble) - rows[None])
    largest = np.maximum(exact.max(axis=2), np.nextafter(0, 1))
    wanted = (largest * ((exact / largest[..., None]) ** p).sum(axis=2) ** (1 / np.longdouble(p))).astype(float)
    np.testing.assert_allclose(metric.distances(kept(rows), kept(rows)), wanted, rtol=1e-12)
    near = build_index(kept(rows[:2]), metric).query(kept(rows), 2)[0]
    np.testing.assert_allclose(near, np.sort(wanted[:, :2], axis=1), rtol=1e-12)


def test_mahalanobis_coordinates_beyond_all_numbers_are_the_largest():
    metric = Metric("mahalanobis", inverse_covariance=np.array([[4.0, 1.0], [1.0, 4.0]]))
    rows = np.array([[0.0, 0.0], [1.0, 0.0]])
    far = np.array([[1.7e308, 1.7e308], [1.7e308, -1.7e308], [1e200, 1.7e308], [3.0, 0.0]])
    with np.errstate(over="ignore"):
        found = metric.distances(far, rows)
    np.testing.assert_allclose(found[3], [6.0, 4.0])
    assert (found[:3] > 1e308).all()
    near, which = build_index(rows, metric).query(far, 1)
    assert which[3] == 1
    assert (near[:3] > 1e308).all()

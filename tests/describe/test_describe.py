"""describe: its numbers against NumPy, SciPy and pandas, its words against what was put in."""

from __future__ import annotations

import itertools
import json
import math
import re
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from numpy.testing import assert_allclose

import learnt
from learnt import datasets
from learnt.data import Column, Table
from learnt.describe import confidence_limits, correlation, covariance, describe, mean, outliers, variance
from learnt.describe.pairs import correlation_ratio, cramers_v
from learnt.errors import InputError, KindError, LearntError, ParameterError
from learnt.statistics.moments import BLOCK, Moments


@pytest.fixture
def people():
    rng = np.random.default_rng(7)
    n = 500
    frame = pd.DataFrame(
        {
            "height": rng.normal(170, 9, n),
            "income": rng.lognormal(8, 0.9, n),
            "children": rng.poisson(1.3, n).astype(float),
            "town": rng.choice(["Bern", "Basel", "Genf"], n, p=[0.6, 0.3, 0.1]),
            "member": rng.random(n) < 0.3,
        }
    )
    frame["weight"] = 0.9 * frame["height"] - 90 + rng.normal(0, 5, n)
    for column in ("height", "income", "weight"):
        frame.loc[rng.random(n) < 0.1, column] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    return frame


# One column.


@pytest.mark.parametrize("column", ["height", "income", "children", "weight"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numeric_statistics_are_those_of_pandas_and_scipy(people, column, dtype):
    people[column] = people[column].astype(dtype)
    x = people[column].dropna().astype(np.float64)
    s = describe(people)[column]
    assert (s.rows, s.missing, s.count, s.distinct) == (500, people[column].isna().sum(), len(x), x.nunique())
    found = [s.mean, s.variance, s.sd, s.minimum, s.q1, s.median, s.q3, s.maximum]
    expected = [x.mean(), x.var(), x.std(), x.min(), *x.quantile([0.25, 0.5, 0.75]), x.max()]
    assert_allclose(found, expected, rtol=1e-12)
    assert_allclose(s.skewness, scipy.stats.skew(x), rtol=1e-10)
    assert_allclose(s.confidence, scipy.stats.t.interval(0.95, len(x) - 1, x.mean(), scipy.stats.sem(x)), rtol=1e-12)


def test_category_counts_are_those_of_pandas(people):
    s = describe(people)["town"]
    expected = people["town"].value_counts()
    assert s.counts == expected.to_dict()
    assert s.top(2) == list(expected.items())[:2]
    assert s.missing == people["town"].isna().sum()
    assert s.commonest == ("Bern", expected["Bern"])
    assert describe(people)["member"].counts == people["member"].value_counts().to_dict()


def test_histogram_counts_every_finite_cell_once(people):
    for column in ("height", "income"):
        bars = describe(people)[column].histogram
        expected, edges = np.histogram(people[column].dropna(), bins=12)
        assert bars.counts.tolist() == expected.tolist()
        assert_allclose(bars.edges, edges, rtol=1e-12)
    children = describe(people)["children"].histogram
    assert children.counts.tolist() == np.bincount(people["children"].astype(int)).tolist()


def test_tukeys_fences_find_the_planted_outliers_and_name_their_rows():
    x = np.concatenate([np.linspace(0, 10, 101), [99.0, -80.0]])
    found = describe({"x": x})["x"].outliers
    q1, q3 = np.quantile(x, [0.25, 0.75])
    assert_allclose([found.low, found.high], [q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)])
    assert (found.count, found.far, found.examples) == (2, 2, ((101, 99.0), (102, -80.0)))
    assert outliers(x).tolist() == [101, 102]


def test_a_column_mostly_of_one_value_has_no_outliers():
    assert describe({"x": [0.0] * 90 + [1.0] * 10})["x"].outliers.count == 0
    assert outliers([0.0] * 90 + [1.0] * 10).tolist() == []


def test_numbers_far_from_the_origin_keep_their_variance():
    x = 1e9 + np.tile([0.0, 1.0, 2.0], 100_001)
    assert_allclose(describe({"x": x})["x"].variance, np.var(x - 1e9, ddof=1), rtol=1e-9)


def test_a_constant_has_exactly_no_variance():
    for constant in (0.1, 1 / 3, 1e15 / 7):
        s = describe({"x": np.full(3 * BLOCK + 5, constant)})["x"]
        assert (s.mean, s.variance, s.constant, s.median) == (constant, 0.0, True, constant)


@pytest.mark.parametrize("cuts", [[], [0], [1], [BLOCK], [0, 0, 5, 5, 700]])
def test_moments_of_parts_add_up_to_those_of_the_whole(cuts):
    rng = np.random.default_rng(3)
    x, w = rng.gamma(2, size=1000) + 50, rng.random(1000)
    x[::7], x[::31] = np.nan, np.inf
    parts = [Moments.of(a, b) for a, b in zip(np.split(x, cuts), np.split(w, cuts), strict=True)]
    total, whole = sum(parts, Moments()), Moments.of(x, w)
    for field in Moments.__dataclass_fields__:
        assert_allclose(getattr(total, field), getattr(whole, field), rtol=1e-9, err_msg=field)
    assert (Moments() + Moments()).weight == 0


# Weights are frequencies.


def test_a_row_twice_is_a_row_of_weight_two(people):
    times = np.random.default_rng(1).integers(0, 4, len(people))
    weighted = describe(people, target="town", sample_weight=times).to_dict()
    repeated = describe(people.loc[people.index.repeat(times)], target="town").to_dict()
    for name, column in repeated["columns"].items():
        for fact, value in column.items():
            if fact in ("outliers", "identifier_like"):  # rows are numbered anew
                continue
            if fact in ("histogram", "commonest", "counts", "kind"):
                assert weighted["columns"][name][fact] == value, (name, fact)
            else:
                assert_allclose(weighted["columns"][name][fact], value, rtol=1e-10, err_msg=f"{name} {fact}")
    assert_allclose(weighted["correlations"]["matrix"], repeated["correlations"]["matrix"], atol=1e-12)
    for a, b in zip(weighted["relations"], repeated["relations"], strict=True):
        assert (a["column"], a["measure"]) == (b["column"], b["measure"])
        assert_allclose(a["value"], b["value"], atol=1e-10)


def test_a_column_may_hold_the_weights():
    d = describe({"x": [10.0, 20.0], "times": [3, 1]}, sample_weight="times")
    assert list(d) == ["x"]
    assert (d.weight, d["x"].mean, d["x"].variance) == (4, 12.5, 25.0)
    assert "weight 4" in str(d)


def test_examples_keep_their_row_numbers_when_rows_of_weight_zero_go():
    x, w = [5.0, 900.0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    assert describe({"x": x}, sample_weight=w)["x"].outliers.examples == ((1, 900.0),)


# The sample statistics on their own.


def test_grouped_data_give_what_the_single_observations_give():
    x, y, f = [1.0, 4.0, 6.0], [2.0, 3.0, 9.0], [5, 2, 3]
    xs, ys = np.repeat(x, f), np.repeat(y, f)
    assert_allclose(mean(x, frequencies=f), xs.mean())
    assert_allclose(variance(x, frequencies=f), xs.var(ddof=1))
    assert_allclose(covariance(x, y, frequencies=f), np.cov(xs, ys)[0, 1])
    assert_allclose(correlation(x, y, frequencies=f), np.corrcoef(xs, ys)[0, 1])
    assert_allclose(confidence_limits(x, frequencies=f), confidence_limits(xs))


def test_relative_frequencies_need_the_number_of_observations_to_divide_by_it_less_one():
    x, f, p = [1.0, 4.0, 6.0], [5, 2, 3], [0.5, 0.2, 0.3]
    assert_allclose(mean(x, frequencies=p), mean(x, frequencies=f))
    assert_allclose(variance(x, frequencies=p, ddof=0), variance(x, frequencies=f, ddof=0))
    assert_allclose(variance(x, frequencies=p, n=10), variance(x, frequencies=f))
    assert_allclose(confidence_limits(x, frequencies=p, n=10), confidence_limits(x, frequencies=f))
    with pytest.raises(ParameterError, match="sum to 1"):
        variance(x, frequencies=p)


def test_pairs_with_a_missing_half_are_left_out():
    assert_allclose(correlation([1, None, 3, 5], [2, 9, None, 1]), -1)
    assert covariance([1.0, np.nan, 3.0], [1.0, 100.0, 5.0]) == 4.0


def test_what_is_not_defined_is_nan_and_no_crash():
    undefined = [mean([]), variance([1.0]), correlation([1, 1], [1, 2]), *confidence_limits([3.0]), variance([])]
    assert all(math.isnan(value) for value in undefined)


def test_correlation_survives_tiny_and_huge_numbers():
    x, y = np.arange(5.0), np.array([1.0, 3, 2, 5, 4])
    assert_allclose(correlation(x * 1e-200, y * 1e200), np.corrcoef(x, y)[0, 1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean(["a", "b"]), "nominal"),
        (lambda: mean([1.0, math.inf]), "infinite.*row 1"),
        (lambda: mean([1.0, 2.0], frequencies=[1, -1]), "row 1"),
        (lambda: mean([1.0, 2.0], frequencies=[1]), "1 values"),
        (lambda: correlation([1.0], [1.0, 2.0]), "1 values and y has 2"),
        (lambda: confidence_limits([1.0, 2.0], level=95), "between 0 and 1"),
        (lambda: describe({"x": [1.0]}, level=1.0), "between 0 and 1"),
        (lambda: describe({"age": [1.0]}, target="aeg"), "'age'"),
        (lambda: describe({"x": [1.0], "w": ["a"]}, sample_weight="w"), "nominal"),
        (lambda: describe({"x": [1.0]}, sample_weight="v"), "'v'"),
        (lambda: describe({"x": [1.0]}, sample_weight=[math.nan]), "row 0"),
    ],
)
def test_errors_say_what_is_wrong_and_where(call, words):
    with pytest.raises(LearntError, match=words) as caught:
        call()
    assert isinstance(caught.value, (InputError, ParameterError, KindError))


# Two columns.


def test_correlations_are_pairwise_complete_as_in_pandas(people):
    found = describe(people).correlations
    expected = people[list(found.names)].corr(min_periods=3)
    assert_allclose(found.matrix, expected, atol=1e-12)
    a, b, r = found.strongest(1)[0]
    assert {a, b} == {"height", "weight"}
    assert found.between(a, b) == r


def test_complete_columns_correlate_as_in_numpy():
    x = np.random.default_rng(2).normal(size=(20_000, 7)) @ np.random.default_rng(3).normal(size=(7, 7)) + 1e6
    assert_allclose(describe(x).correlations.matrix, np.corrcoef(x.T), atol=1e-9)


def test_columns_never_present_together_have_no_correlation():
    d = describe({"a": [1.0, 2, 3, None, None, None], "b": [None, None, None, 1.0, 2, 3]})
    assert math.isnan(d.correlations.between("a", "b"))
    assert d.correlations.strongest() == []


def test_a_column_constant_where_the_other_is_present_has_no_correlation():
    d = describe({"a": [0.1, 0.1, 0.1, 0.1, 7.0], "b": [1.0, 2.0, 3.0, 4.0, None]})
    assert math.isnan(d.correlations.between("a", "b"))


def test_cramers_v_is_bergsmas():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, 400), rng.integers(0, 4, 400)
    b[:150] = a[:150]
    table = np.array([[np.sum((a == i) & (b == j)) for j in range(4)] for i in range(3)])
    chi2 = scipy.stats.chi2_contingency(table, correction=False).statistic
    phi2 = max(0, chi2 / 400 - 2 * 3 / 399)
    expected = math.sqrt(phi2 / (min(3 - 2**2 / 399, 4 - 3**2 / 399) - 1))
    assert_allclose(cramers_v(a, b, np.ones(400)), expected, rtol=1e-12)


def test_cramers_v_of_very_many_labels_counts_sparsely_and_agrees():
    rng = np.random.default_rng(6)
    a = rng.integers(0, 50, 2000)
    b = (a + rng.integers(0, 3, 2000)) % 50
    stretched = cramers_v(a * 100, b * 100, np.ones(2000))  # 4951² cells, nearly all without rows
    assert_allclose(stretched, cramers_v(a, b, np.ones(2000)), rtol=1e-12)


def test_correlation_ratio_is_the_adjusted_share_of_one_way_anova():
    rng = np.random.default_rng(8)
    codes, y = rng.integers(0, 4, 300), rng.normal(size=300)
    y += codes
    groups = [y[codes == c] for c in range(4)]
    f = scipy.stats.f_oneway(*groups).statistic
    eta2 = 1 - 1 / (1 + 3 * (f - 1) / 299) if f > 1 else 0  # ε² in terms of F
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / 296
    assert_allclose(correlation_ratio(codes, y, np.ones(300)) ** 2, 1 - within / y.var(ddof=1), rtol=1e-12)
    assert_allclose(correlation_ratio(codes, y, np.ones(300)) ** 2, eta2, rtol=1e-9)


def test_an_identifier_does_not_look_like_a_predictor():
    rng = np.random.default_rng(0)
    n = 300
    d = describe(
        {"id": [f"i{k}" for k in range(n)], "x": rng.normal(size=n), "y": rng.choice(["a", "b"], n)}, target="y"
    )
    assert all(abs(relation.value) < 0.2 for relation in d.relations)


def test_relations_to_the_target_are_sorted_and_name_their_measure():
    d = describe(datasets.iris())
    assert [r.column for r in d.relations] == ["petallength", "petalwidth", "sepallength", "sepalwidth"]
    assert {r.measure for r in d.relations} == {"η"}
    assert {r.measure for r in describe(datasets.play_tennis()).relations} == {"V"}
    numeric = describe(datasets.cpu()).relations
    cpu = datasets.cpu()
    for relation in numeric:
        assert relation.measure == "r"
        expected = np.corrcoef(cpu[relation.column].values, cpu["class"].values)[0, 1]
        assert_allclose(relation.value, expected, atol=1e-12)


# Notices.


def notices(data, **settings):
    return {(n.what, n.column) for n in describe(data, **settings).notices}


def test_notices_find_what_was_planted_and_nothing_else():
    rng = np.random.default_rng(4)
    n = 400
    x = rng.normal(size=n)
    spoilt = rng.normal(size=n)
    spoilt[3], far = math.inf, rng.normal(size=n)
    far[17] = 1e6
    data = {
        "fine": rng.normal(size=n),
        "id": [f"user {i}" for i in range(n)],
        "number": np.arange(n) + 1000.0,
        "always": ["x"] * n,
        "nearly": [0.0] * (n - 2) + [1.0, 2.0],
        "holes": np.where(np.arange(n) % 3 == 0, np.nan, rng.normal(size=n)),
        "empty": [None] * n,
        "spoilt": spoilt,
        "far": far,
        "x": x,
        "x again": 2 * x + 0.01 * rng.normal(size=n),
        "many": [f"l{i % 130}" for i in range(n)],
        "y": ["rare"] * 5 + ["usual"] * (n - 5),
    }
    assert notices(data, target="y") == {
        ("identifier", "id"),
        ("identifier", "number"),
        ("constant", "always"),
        ("constant", "nearly"),
        ("missing", "holes"),
        ("empty", "empty"),
        ("infinite", "spoilt"),
        ("outliers", "far"),
        ("correlated", "x"),
        ("levels", "many"),
        ("target", "y"),
    }


def test_measured_integers_that_all_differ_are_no_identifier():
    rng = np.random.default_rng(0)
    assert notices({"price": rng.choice(100_000, 300, replace=False).astype(float)}) == set()


def test_declared_labels_without_rows_are_told():
    assert ("unused", "Type") in notices(datasets.glass())
    assert ("target", "y") in notices({"x": [1.0, 2.0], "y": ["a", None]}, target="y")


def test_a_large_normal_sample_raises_no_alarm():
    assert notices({"x": np.random.default_rng(0).normal(size=300_000)}) == set()


# Hostile tables.


@pytest.mark.parametrize(
    "data",
    [
        {"a": [], "b": []},
        {"a": [1.0]},
        {"a": [None, None]},
        {"a": [math.inf, -math.inf, math.nan]},
        {"a": [1e308, -1e308, 1e308, 5e-324]},
        {"a": [1e-300, 2e-300, 3e-300], "b": [1e300, 2e300, 4e300]},
        {"a": [True, None], "b": [False, False]},
        {"new\nline\x1b[31m": ["tab\there", "<b>&amp;"], "名前": ["東京", None]},
        {"x": [2.0**60, 2.0**60 + 4096], "y": [-0.0, 0.0]},
    ],
)
@pytest.mark.parametrize("width", [40, 100])
def test_odd_tables_are_described_in_lines_that_fit(data, width):
    from rich.cells import cell_len

    d = describe(data)
    for line in d.to_text(width).splitlines():
        assert cell_len(line) <= width
        assert line.isprintable()
    json.dumps(d.to_dict(), allow_nan=False)
    assert "\x1b" not in d._repr_html_()


def test_a_table_without_columns_is_described():
    assert str(describe(Table.of_columns([], n_rows=0))).startswith("0 rows × 0 columns")


def test_text_fits_at_every_width_for_every_bundled_table():
    for name in datasets.names():
        d = describe(datasets.load(name))
        for width in (40, 57, 80, 100, 140):
            assert max(map(len, d.to_text(width).splitlines())) <= width, (name, width)


def test_ten_thousand_categories_and_a_thousand_columns_stay_readable():
    wide = describe(np.random.default_rng(0).normal(size=(30, 1000)))
    assert len(str(wide).splitlines()) < 120
    assert "940 more" in str(wide)
    many = describe({"c": [f"l{i}" for i in range(10_000)] * 2})
    assert len(str(many)) < 1000
    assert re.search(r"· 99\d\d more", str(many))


def test_the_sum_of_large_finite_numbers_may_overflow_but_not_their_mean():
    assert_allclose(describe({"x": [1.6e308, 1.7e308, 1.5e308]})["x"].mean, 1.6e308)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_escaped_and_balanced():
    nasty = "<script>alert(1)</script>"
    d = describe({nasty: [nasty, "b"] * 5, "x": range(10), "y'\"<": [1.0, 2.0] * 5}, target=nasty)
    page = d.to_html(title=nasty)
    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.seen
    assert tags.seen.count("svg") >= 3
    assert describe(datasets.iris())._repr_html_().count("<svg") >= 4


# Other ways in and out.


def test_description_is_a_mapping_of_columns(people):
    d = describe(people)
    assert list(d) == list(people.columns)
    assert len(d) == 6
    assert repr(d) == str(d)
    with pytest.raises(KeyError, match="height"):
        d["heigth"]


def test_kinds_and_order_can_be_overridden():
    d = describe(
        {"zip": [8001, 8002, 8001], "size": ["S", "L", "S"]}, kinds={"zip": "nominal"}, ordinal={"size": [*"SML"]}
    )
    assert d["zip"].counts == {8001: 2, 8002: 1}
    assert d["size"].kind == "ordinal"
    assert list(d["size"].counts) == ["S", "M", "L"]
    assert d["size"].top(5) == [("S", 2), ("L", 1)]


def test_a_path_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n3,y\n")
    assert describe(path)["a"].mean == describe(str(path))["a"].mean == 2.0


def test_a_sparse_table_is_described_as_its_dense_twin():
    import scipy.sparse

    dense = np.random.default_rng(0).poisson(0.3, size=(60, 5)).astype(float)
    found = describe(scipy.sparse.csr_matrix(dense)).to_dict()
    assert found == describe(dense).to_dict()


def test_large_tables_on_threads_give_what_small_steps_give():
    x = np.random.default_rng(0).normal(size=(30_000, 5))
    whole = describe(x)
    alone = describe(x[:, [3]])
    assert whole["x3"].mean == alone["x0"].mean
    assert whole["x3"].q1 == np.quantile(x[:, 3], 0.25)


def test_describing_is_watched_column_by_column():
    with learnt.watch() as log:
        describe(datasets.iris())
    assert [step.iteration for step in log.steps] == [1, 2, 3, 4, 5]
    assert log["column"][-1] == "class"


def test_to_dict_is_json_with_the_figures_of_the_fields():
    d = describe(datasets.labor())
    back = json.loads(json.dumps(d.to_dict(), allow_nan=False))
    assert back["columns"]["duration"]["mean"] == d["duration"].mean
    assert dict(map(tuple, back["columns"]["class"]["counts"])) == d["class"].counts
    assert back["correlations"]["names"] == list(d.correlations.names)


# Scans.


@pytest.fixture
def files(tmp_path, people):
    big = pd.concat([people] * 8, ignore_index=True)
    big["serial"] = np.arange(len(big))
    paths = [tmp_path / f"part{i}.csv" for i in range(3)]
    for path, part in zip(paths, np.array_split(np.arange(len(big)), 3), strict=True):
        big.iloc[part].to_csv(path, index=False)
    return paths, big


def test_a_small_scan_is_described_exactly(files):
    paths, big = files
    found = describe(learnt.scan(paths, target="town"))
    assert found.sampled is None
    assert json.dumps(found.to_dict()) == json.dumps(describe(big, target="town").to_dict())


def test_a_large_scan_has_exact_sums_and_sampled_quantiles(files, monkeypatch):
    from learnt.describe import scanned

    paths, big = files
    monkeypatch.setattr(scanned, "SAMPLE_ROWS", 1000)
    found = describe(learnt.scan(paths, target="town", batch_rows=301))
    exact = describe(big, target="town")
    assert (found.sampled, found.n_rows) == (1000, len(big))
    assert "sample of 1,000 rows" in str(found)
    for name in ("height", "income", "children"):
        a, b = found[name], exact[name]
        assert (a.missing, a.count, a.minimum, a.maximum) == (b.missing, b.count, b.minimum, b.maximum)
        assert_allclose(
            [a.mean, a.variance, a.skewness, *a.confidence], [b.mean, b.variance, b.skewness, *b.confidence]
        )
    for name in ("height", "income"):
        # The share of rows below the sampled median is ½ ± 4 standard errors.
        assert abs((big[name].dropna() < found[name].median).mean() - 0.5) < 4 * 0.5 / math.sqrt(850)
        for row, value in found[name].outliers.examples:
            assert big[name][row] == value
    assert_allclose(found["income"].outliers.count, exact["income"].outliers.count, rtol=0.5)
    assert found["town"].counts == exact["town"].counts
    assert found["serial"].identifier_like
    assert not found["children"].identifier_like


def test_the_sample_of_a_scan_does_not_depend_on_how_it_is_cut(files, monkeypatch):
    from learnt.describe import scanned

    monkeypatch.setattr(scanned, "SAMPLE_ROWS", 1000)
    medians = {describe(learnt.scan(files[0], batch_rows=rows))["height"].median for rows in (97, 1000, 10_000)}
    assert len(medians) == 1


def test_a_scan_may_name_its_weights(files):
    paths, big = files
    found = describe(learnt.scan(paths), sample_weight="children")
    exact = describe(big, sample_weight="children")
    assert found.weight == exact.weight == big["children"].sum()
    assert_allclose(found["height"].mean, exact["height"].mean)
    with pytest.raises(ParameterError, match="Name a column"):
        describe(learnt.scan(paths), sample_weight=[1.0])


def test_an_ordinal_column_keeps_its_order_in_the_summary():
    column = Column("size", "ordinal", np.array([2, 0, 2, -1], dtype=np.int32), ("S", "M", "L"))
    s = describe(Table.of_columns([column]))["size"]
    assert (s.top(3), s.missing, s.distinct) == ([("S", 1), ("L", 2)], 1, 2)


def test_dates_stand_under_a_heading_of_their_own():
    found = describe(Table({"since": [date(2024, 5, 1), date(2024, 6, 1)], "age": [3.0, 4.0]}))
    lines = [line.split() for line in found.to_text().splitlines() if line]
    headings = {line[0] for line, below in itertools.pairwise(lines) if below[0] in ("since", "age")}
    assert headings >= {"date", "numeric"}
    below_date = next(below for line, below in itertools.pairwise(lines) if line[0] == "date")
    assert below_date[0] == "since"
    assert "Columns of dates" in found.to_html()
    only = describe(Table({"since": [date(2024, 5, 1), date(2024, 6, 1)]})).to_text()
    assert "numeric" not in only

"""Tests of ranks and the critical-difference diagram, against SciPy, counting, and Demšar's published example."""

import itertools
import math
import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from learnt.errors import FileError, InputError
from learnt.evaluate.significance import (
    critical_difference,
    friedman_test,
    nemenyi,
    rank_diagram,
    sign_test,
    tied_groups,
    wilcoxon_test,
)

SCIPY = {"two": "two-sided", "greater": "greater", "less": "less"}

#: AUC of four variants of C4.5 on fourteen data sets (J. Demšar, JMLR 7, 2006, table 6).
DEMSAR = dict(
    zip(
        ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"),
        np.transpose(
            [
                (0.763, 0.768, 0.771, 0.798),
                (0.599, 0.591, 0.590, 0.569),
                (0.954, 0.971, 0.968, 0.967),
                (0.628, 0.661, 0.654, 0.657),
                (0.882, 0.888, 0.886, 0.898),
                (0.936, 0.931, 0.916, 0.931),
                (0.661, 0.668, 0.609, 0.685),
                (0.583, 0.583, 0.563, 0.625),
                (0.775, 0.838, 0.866, 0.875),
                (1.000, 1.000, 1.000, 1.000),
                (0.940, 0.962, 0.965, 0.962),
                (0.619, 0.666, 0.614, 0.669),
                (0.972, 0.981, 0.97501, 0.975),  # printed as equal, ranked 2 and 3
                (0.957, 0.978, 0.946, 0.970),
            ]
        ),
        strict=True,
    )
)


@pytest.mark.parametrize("tail", SCIPY)
@pytest.mark.parametrize("n", [3, 10, 25])
def test_wilcoxons_test_is_scipys_exact_one(tail, n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.3, 1, n), rng.normal(0, 1, n)
    test, theirs = wilcoxon_test(a, b, tail=tail), stats.wilcoxon(a, b, alternative=SCIPY[tail], method="exact")
    assert test.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    above = theirs.statistic if tail != "two" else stats.wilcoxon(a, b, alternative="greater").statistic
    assert test.statistic == above


@pytest.mark.parametrize("tail", SCIPY)
@pytest.mark.parametrize("zeros", ["drop", "split"])
def test_many_differences_with_ties_follow_scipys_bell_curve(tail, zeros):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 12, 200).astype(float), rng.integers(0, 11, 200).astype(float)
    method = {"drop": "wilcox", "split": "zsplit"}[zeros]
    theirs = stats.wilcoxon(a, b, method, alternative=SCIPY[tail], method="asymptotic")
    assert wilcoxon_test(a, b, tail=tail, zeros=zeros).p_value == pytest.approx(theirs.pvalue, rel=1e-9)


def test_ties_among_few_differences_are_counted_out_exactly():
    d = np.array([1, 1, -1, 2, 2, 3, -3, 5.0])
    ranks = stats.rankdata(np.abs(d))
    sums = np.array([ranks[list(signs)].sum() for signs in itertools.product([False, True], repeat=len(d))])
    w = ranks[d > 0].sum()
    assert wilcoxon_test(d, np.zeros(8)).statistic == w
    assert wilcoxon_test(d, np.zeros(8), tail="greater").p_value == pytest.approx((sums >= w).mean(), rel=1e-12)
    assert wilcoxon_test(d, np.zeros(8), tail="less").p_value == pytest.approx((sums <= w).mean(), rel=1e-12)


def test_demsars_wilcoxon_example_has_the_published_rank_sums():
    test = wilcoxon_test(DEMSAR["C4.5+m"], DEMSAR["C4.5"], zeros="split")
    assert test.statistic == 93
    assert 14 * 15 / 2 - test.statistic == 12
    assert test.significant
    assert "2 pairs without a difference" in str(test)


@pytest.mark.parametrize("tail", SCIPY)
@pytest.mark.parametrize(("wins", "losses"), [(5, 1), (0, 8), (7, 7), (300, 250)])
def test_the_sign_test_is_the_binomial_one(tail, wins, losses):
    a, b = np.repeat([1.0, 0.0, 3.0], [wins, losses, 4]), np.repeat([0.0, 1.0, 3.0], [wins, losses, 4])
    theirs = stats.binomtest(wins, wins + losses, 0.5, alternative=SCIPY[tail])
    assert sign_test(a, b, tail=tail).p_value == pytest.approx(theirs.pvalue, rel=1e-9)


def test_demsars_friedman_example_has_the_published_values():
    test = friedman_test(DEMSAR)
    assert [round(r, 3) for r in test.ranks.values()] == [3.143, 2.0, 2.893, 1.964]
    n, k = 14, 4
    uncorrected = 12 * n / (k * (k + 1)) * (sum(r**2 for r in test.ranks.values()) - k * (k + 1) ** 2 / 4)
    assert uncorrected == pytest.approx(9.28, abs=0.005)
    assert (n - 1) * uncorrected / (n * (k - 1) - uncorrected) == pytest.approx(3.69, abs=0.005)
    assert test.statistic > uncorrected  # ours makes up for ties
    assert test.iman_davenport.critical_region[0][0] == pytest.approx(2.85, abs=0.01)
    assert test.significant
    assert test.iman_davenport.significant


def test_friedmans_test_is_scipys_with_and_without_ties():
    for digits in (8, 1):
        columns = [np.random.default_rng(j).normal(0.1 * j, 1, 12).round(digits) for j in range(5)]
        theirs = stats.friedmanchisquare(*columns)
        test = friedman_test(np.column_stack(columns))
        assert (test.statistic, test.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
        f = 11 * theirs.statistic / (12 * 4 - theirs.statistic)
        assert test.iman_davenport.statistic == pytest.approx(f, rel=1e-9)
        assert test.iman_davenport.p_value == pytest.approx(stats.f.sf(f, 4, 44), rel=1e-9)


def test_lower_is_better_turns_the_ranks_round():
    errors = {name: 1 - scores for name, scores in DEMSAR.items()}
    assert friedman_test(errors, higher_is_better=False).ranks == friedman_test(DEMSAR).ranks


def test_ranks_that_tell_nothing_are_answered_and_not_divided_by():
    same = friedman_test({"a": [1, 1, 1], "b": [1, 1, 1], "c": [1, 1, 1]})
    assert (same.statistic, same.p_value, same.iman_davenport.p_value) == (0, 1, 1)
    always = friedman_test({"a": [3, 3, 3], "b": [2, 2, 2], "c": [1, 1, 1]})
    assert always.iman_davenport.statistic == math.inf
    assert always.iman_davenport.p_value == 0
    for few in ({"a": [1, 2], "b": [2, 1]}, {"a": [1], "b": [2], "c": [3]}, {}):
        assert friedman_test(few).p_value == 1
        assert "three learners" in str(friedman_test(few))


def test_data_sets_with_a_missing_score_are_left_out_of_all_ranks():
    holes = {name: np.append(scores, np.nan if name == "C4.5" else 0.5) for name, scores in DEMSAR.items()}
    assert friedman_test(holes).ranks == friedman_test(DEMSAR).ranks
    assert "1 data set with a missing score was left out" in str(friedman_test(holes))
    with pytest.raises(InputError, match=r"learners have \[2, 3\] scores"):
        friedman_test({"a": [1, 2, 3], "b": [1, 2], "c": [1, 2, 3]})


def test_a_frame_of_scores_is_a_dict_of_scores():
    import pandas as pd
    import polars as pl

    for frame in (pd.DataFrame(DEMSAR), pl.DataFrame(DEMSAR)):
        assert friedman_test(frame).ranks == friedman_test(DEMSAR).ranks


#: Critical values of the two-tailed Nemenyi test, as published (J. Demšar 2006, table 5).
PUBLISHED = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}


@pytest.mark.parametrize("alpha", PUBLISHED)
def test_critical_differences_are_the_published_ones(alpha):
    for k, q in zip(range(2, 11), PUBLISHED[alpha], strict=True):
        assert critical_difference(k, 14, alpha) == pytest.approx(q * math.sqrt(k * (k + 1) / (6 * 14)), abs=0.0015)


def test_demsars_nemenyi_example_tells_no_pair_apart_at_5_but_two_at_10_percent():
    strict, lenient = nemenyi(DEMSAR), nemenyi(DEMSAR, alpha=0.1)
    assert round(strict.critical_difference, 2) == 1.25
    assert round(lenient.critical_difference, 2) == 1.12
    assert strict.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert lenient.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    names = list(lenient.ranks)
    for i, one in enumerate(names):
        for j, other in enumerate(names[:i]):
            tied = any(one in group and other in group for group in lenient.groups)
            assert (lenient.p_values[i, j] > 0.1) == tied


def test_nemenyi_for_two_learners_is_a_normal_test():
    test = nemenyi({"a": [1, 2, 3, 4, 5.0], "b": [2, 1, 1, 1, 1]})
    z = (1.8 - 1.2) / math.sqrt(2 * 3 / (6 * 5))
    assert test.p_values[0, 1] == pytest.approx(2 * stats.norm.sf(z), rel=1e-6)
    with pytest.raises(InputError, match="1 learners on 2 data sets"):
        nemenyi({"a": [1, 2]})


# The picture


def texts(drawing):
    """(x, y, text, size) of all words of a picture."""
    root = ET.fromstring(drawing.svg)
    found = (e for e in root.iter() if e.tag.endswith("}text"))
    return [(float(e.get("x")), float(e.get("y")), e.text, float(e.get("font-size"))) for e in found]


def drawn_boxes(words):
    """Where each text lies, measured by matplotlib in its own font, as wide as a viewer's is likely to be."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    for x, y, text, size in words:
        box = TextPath((0, 0), text, size=size, prop=FontProperties(family="DejaVu Sans")).get_extents()
        yield text, x, x + box.width, y - 0.75 * size, y + 0.2 * size


@pytest.mark.costly
@pytest.mark.parametrize("k", [2, 3, 25, 60])
def test_labels_never_overlap_and_stay_inside_the_picture(k):
    rng = np.random.default_rng(k)
    ranks = {f"GradientBoostingClassifier no. {i}": float(r) for i, r in enumerate(rng.uniform(1, k, k).round(1))}
    drawing = rank_diagram(ranks, critical_difference=k / 3)
    boxes = list(drawn_boxes(texts(drawing)))
    assert set(ranks) <= {text for text, *_ in boxes}
    for (one, left, right, top, bottom), (other, left2, right2, top2, bottom2) in itertools.combinations(boxes, 2):
        apart = right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
        assert apart, f"{one} and {other} overlap"
    assert all(left >= 0 and right <= drawing.sheet.width for _, left, right, _, _ in boxes)
    assert all(top >= 0 and bottom <= drawing.sheet.height for *_, top, bottom in boxes)


def bars(drawing):
    root = ET.fromstring(drawing.svg)
    rects = (e for e in root.iter() if e.tag.endswith("}rect") and len(e) and e[0].text.startswith("not told"))
    return [(float(e.get("x")), float(e.get("y")), float(e.get("width")), e[0].text) for e in rects]


def test_bars_join_given_groups_or_those_within_the_critical_difference():
    ranks = {"a": 1.0, "b": 2.0, "c": 3.5}
    assert [words for *_, words in bars(rank_diagram(ranks, critical_difference=1.2))] == ["not told apart: a, b"]
    assert bars(rank_diagram(ranks)) == []
    given = bars(rank_diagram(ranks, [("b", "c"), ("a", "b"), ("c",)]))
    assert sorted(words for *_, words in given) == ["not told apart: a, b", "not told apart: b, c"]
    assert len({y for _, y, *_ in given}) == 2  # they meet at b, so each has a level of its own
    with pytest.raises(InputError, match="'d'"):
        rank_diagram(ranks, [("a", "d")])


def test_a_group_that_leaves_out_one_in_between_has_a_thin_bar_with_marks():
    drawing = rank_diagram({"a": 1, "b": 2, "c": 3}, [("a", "c")])
    assert drawing.svg.count('fill="#3b75af"') == 3
    assert rank_diagram({"a": 1, "b": 2, "c": 3}, [("a", "b", "c")]).svg.count('fill="#3b75af"') == 1


def test_the_picture_is_written_and_hostile_names_stay_harmless(tmp_path):
    ranks = {"<script>alert(1)</script>": 1.0, "x" * 10_000: 2.0, "new\nline\x1b[31m": 2.0, "$\\frac$": 3.0}
    drawing = rank_diagram(ranks, critical_difference=1.5, path=tmp_path / "cd.svg")
    drawing.save(tmp_path / "cd.png")
    root = ET.parse(tmp_path / "cd.svg").getroot()
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    assert drawing.sheet.width < 1200
    assert (tmp_path / "cd.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FileError, match=r"svg or \.png"):
        rank_diagram(ranks, path=tmp_path / "cd.gif")
    with pytest.raises(InputError, match="nan"):
        rank_diagram({"a": np.nan})
    with pytest.raises(InputError, match="no ranks"):
        rank_diagram({})


def test_tied_groups_and_nemenyi_draw_themselves():
    ties = tied_groups(DEMSAR, n_train=9, n_test=1)
    assert all(name in ties.plot().svg for name in DEMSAR)
    assert "critical difference 1.25" in nemenyi(DEMSAR)._repr_svg_()


def test_the_diagram_on_the_page_is_up_to_date():
    folder = Path(__file__).parents[3] / "docs" / "pictures"
    for name, svg in runpy.run_path(str(folder / "significance.py"))["pictures"]():
        stored = (folder / f"{name}.svg").read_text("utf-8")
        assert stored == svg, f"{name}.svg is old: run python docs/pictures/significance.py and look at it"

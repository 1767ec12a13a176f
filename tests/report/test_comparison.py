"""The report of a comparison as text: complete, harmless, repeatable, and true to the comparison."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.report.comparisons import HOSTILE, REGRESSORS, answered_by_hand, compared, hostile_comparison, scores_of

import learnt
from learnt.errors import FileError
from learnt.evaluate.comparison.comparison import Comparison
from learnt.report.comparison import render, write
from learnt.report.comparison.verdict import choice, expectation, limits, reading
from learnt.report.comparison.verdict import tiles as tiles_of

ORDER = [
    "verdict", "columns", "method", "leaderboard", "left-out", "disagreement", "model", "slices", "rows", "more-data",
    "importance", "reproduce",
]  # fmt: skip


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Insights are left out where they would take long, by times that were measured: not on a busy machine."""
    monkeypatch.setattr("learnt.report.comparison.insights.subject.LONGEST", float("inf"))


@pytest.fixture(scope="module")
def vote() -> Comparison:
    return compared(learnt.datasets.load("vote"), "Class")


@pytest.fixture(scope="module")
def vote_page(vote) -> str:
    return render(vote)


class Seen(HTMLParser):
    """Elements and their attributes, in order, and the text between them."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def words(self) -> str:
        return " ".join("".join(self.text).split())


def test_the_sections_come_in_order_and_none_failed(vote_page):
    keys = [a["id"] for tag, a in Seen(vote_page).elements if tag == "section"]
    assert keys == ORDER
    assert "data-failed" not in vote_page


@pytest.mark.parametrize("repeats", [1, 2])
def test_numbers_have_a_report_too(repeats):
    page = render(compared(learnt.datasets.load("cpu"), "class", REGRESSORS, repeats=repeats))
    assert "data-failed" not in page
    assert "root mean squared error" in page
    assert "weigh-slider" not in page


def test_the_page_loads_nothing(vote_page):
    for tag, attributes in Seen(vote_page).elements:
        assert tag not in ("img", "iframe", "object", "embed", "form", "base"), tag
        assert tag != "link" or attributes["href"] == "data:,"
        assert not (tag == "script" and "src" in attributes)
        for name in ("src", "href", "action", "srcset", "poster", "data", "background"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, name)
    style = vote_page[vote_page.index("<style>") : vote_page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    (policy,) = (a["content"] for tag, a in Seen(vote_page).elements if "http-equiv" in a)
    assert policy.startswith("default-src 'none';")


def test_the_same_comparison_gives_the_same_page_but_for_what_was_measured():
    def page(shift: float) -> str:
        comparison = compared(learnt.datasets.load("iris"), "class", seconds=shift)
        return re.sub(r'data-measured="[^"]*">[^<]*<', "<", render(comparison))

    assert page(1.0) == page(77.0)


def test_only_measured_times_are_marked_as_such(vote_page):
    marked = re.findall(r'data-measured="[^"]*">([^<]*)<', vote_page)
    time = r"[\d.e-]+ (ms|s)|20\d\d-\d\d-\d\d \d\d:\d\d UTC"
    assert len(marked) == 2 * 6 + 2  # fitting and predicting of six learners, the whole, and the date
    assert all(re.fullmatch(time, words) for words in marked)


def test_the_leaderboard_shows_means_intervals_and_letters_of_the_comparison(vote, vote_page):
    table = re.search(r'<table id="leaderboard-table">.*?</table>', vote_page, re.DOTALL).group()
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)[1:]
    for standing, row in zip(vote.leaderboard(), rows, strict=True):
        assert f"<b>{standing.mean:.3f}</b>" in row
        assert f">{standing.low:.3f} to {standing.high:.3f}<" in row
        assert f'data-value="{standing.letters}">{standing.letters}<' in row
        assert standing.name in row.replace("<wbr>", "")


def test_reasons_of_learners_without_a_place_are_told(vote_page):
    text = Seen(vote_page).words()
    for words in ("It reached its limit of 60 s.", "2 of 5", "ValueError: no <b>luck</b>", "it reads documents"):
        assert words in text
    assert "<b>luck</b>" not in vote_page


NAMES = ("RandomForestClassifier", "C45Classifier", "MajorityClassifier")


@pytest.fixture(scope="module")
def forest_and_tree() -> Comparison:
    return compared(learnt.datasets.load("iris"), "class", NAMES)


def verdict_of(comparison: Comparison) -> list[str]:
    """What to use, what to expect of it, what can be read, and what cannot be concluded."""
    chosen = {s.name: s for s in comparison.leaderboard()}[comparison.best.name]
    parts = (choice(comparison), expectation(comparison, chosen), reading(comparison) or "", limits(comparison))
    return [Seen(str(part)).words() for part in parts]


def test_the_most_accurate_is_used_and_a_readable_one_within_reach_is_named_with_its_price(forest_and_tree):
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(5), C45Classifier=range(6), MajorityClassifier=range(100)
    )
    use, expect, read, limit = verdict_of(comparison)
    assert use == "Use RandomForestClassifier: it has the best score."
    assert "0.967 (95 % interval" in expect
    assert "MajorityClassifier, which looks at no column, reaches 0.333." in expect
    assert read.startswith("Most readable within reach: C45Classifier; it errs on 4.0 % of rows")
    assert limit.startswith("The best of them all may as well be C45Classifier")
    assert "that they are equally good is not shown either" in limit


def test_a_readable_learner_near_the_best_may_lack_proof_that_it_beats_the_baseline(forest_and_tree):
    # The forest is right wherever the baseline is, and in 20 rows more; the tree wins 60 rows and loses 43.
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(40), C45Classifier=range(60, 103), MajorityClassifier=range(60)
    )
    assert comparison.verdict.unproven
    assert comparison.readable is None
    _, _, read, _ = verdict_of(comparison)
    assert read.startswith(
        "No learner that can be read is both within reach and shown to be better than the baseline; C45Classifier is "
        "within reach: it errs on"
    )
    assert "Readable, not shown to be better than the baseline" in {tile.what for tile in tiles_of(comparison)}


def test_a_clear_winner_is_called_one_and_the_nearest_readable_has_its_price(forest_and_tree):
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(2), C45Classifier=range(30), MajorityClassifier=range(100)
    )
    use, _, read, limit = verdict_of(comparison)
    assert use == "Use RandomForestClassifier: it is the best of the 3 learners compared."
    assert read.startswith("No learner that can be read is within reach; C45Classifier comes nearest: it errs on")
    assert limit == "The best of them all is found with a confidence of 95 %."
    tiles = {tile.what: tile for tile in tiles_of(comparison)}
    assert list(tiles) == ["Most accurate", "Nearest that can be read", "Baseline", "Learners compared"]
    assert (
        "20.0 % of rows, RandomForestClassifier on 1.3 %" in Seen(str(tiles["Nearest that can be read"].more)).words()
    )


def test_a_winner_that_can_be_read_is_both(forest_and_tree):
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(30), C45Classifier=range(2), MajorityClassifier=range(100)
    )
    use, _, read, _ = verdict_of(comparison)
    assert use.startswith("Use C45Classifier")
    assert read == "Its model can be read."
    assert [tile.what for tile in tiles_of(comparison)] == [
        "Most accurate, and readable", "Baseline", "Learners compared",
    ]  # fmt: skip


def test_where_nothing_is_shown_to_be_learnt_that_is_said(forest_and_tree):
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(99), C45Classifier=range(40, 140), MajorityClassifier=range(100)
    )
    use, expect, read, limit = verdict_of(comparison)
    assert use.startswith("It is not shown that anything was learnt: RandomForestClassifier has the best score")
    assert "that it does better than that is not shown" in expect
    assert read == ""
    assert "MajorityClassifier or C45Classifier" in limit
    assert "Most accurate" not in {tile.what for tile in tiles_of(comparison)}


def test_a_baseline_that_nobody_beats_is_used_with_the_reason(forest_and_tree):
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(110), C45Classifier=range(120), MajorityClassifier=range(100)
    )
    use, _, _, _ = verdict_of(comparison)
    assert use.startswith("Use MajorityClassifier: no learner is shown to do better than this baseline")


def test_what_only_probabilities_show_is_told_with_its_metric(forest_and_tree):
    """All answer the same class, but one of them knows which rows belong to it."""
    comparison = answered_by_hand(
        forest_and_tree, RandomForestClassifier=range(100), C45Classifier=range(100), MajorityClassifier=range(100)
    )
    truth = comparison.problem.target
    for outcome in comparison.done:
        sure = outcome.name == "RandomForestClassifier"
        for result in outcome.results:
            result.answer[:] = 0
            likely = np.full((len(result.test), 3), [0.4, 0.3, 0.3])
            if sure:
                likely[np.arange(len(result.test)), truth[result.test]] += 0.1
                likely[:, 0] += 0.1
            result.probabilities[:] = likely / likely.sum(axis=1, keepdims=True)
        outcome.scores = scores_of(comparison.problem, comparison.metrics, outcome.results, comparison.n_folds)
    use, *_ = verdict_of(replace(comparison, ties=None))
    assert use.startswith("Use RandomForestClassifier: by area under the ROC curve it is the best")
    assert "by accuracy no learner is shown to be better than the baseline" in use


def test_bars_of_the_rank_diagram_join_those_that_share_a_letter(vote, vote_page):
    figure = re.search(r'<figure id="figure-ranks">.*?</figure>', vote_page, re.DOTALL).group()
    assert "Nemenyi" in figure
    assert "too sure" in figure
    drawn = str(vote.ties.plot().svg)
    assert drawn.count("<title>") == figure.count("<title>") >= len(vote.ties.groups) - 1
    for learner, rank in vote.ties.ranks.items():
        assert f"{learner} {learnt.show.words.number(rank)}" in figure


def test_one_learner_alone_is_compared_with_nothing():
    use, _, _, limit = verdict_of(compared(learnt.datasets.load("iris"), "class", ("C45Classifier",)))
    assert "the only learner that finished" in use
    assert "nothing can be said" in limit


def test_a_comparison_that_nobody_finished_still_has_a_report(vote):
    empty = replace(vote, outcomes=[o for o in vote.outcomes if o.status != "done"], ties=None)
    page = render(empty)
    assert "data-failed" not in page
    assert "None of 3 learners finished" in page
    assert "It reached its limit of 60 s." in page


def test_a_part_that_fails_does_not_take_the_page_with_it(vote, monkeypatch):
    def broken(comparison):
        raise RuntimeError("<b>no</b>")

    monkeypatch.setattr("learnt.report.comparison.readable.readable", broken)
    page = render(vote)
    assert "This could not be computed (RuntimeError: &lt;b&gt;no&lt;/b&gt;)" in page
    assert 'id="leaderboard"' in page


def test_the_method_tells_settings_and_folds_as_they_were(vote):
    from learnt.report.comparison.method import method

    plain = Seen(str(method(vote).body)).words()
    assert "6 learners of the software learnt" in plain
    assert "5-fold cross-validation, stratified by the class (random seed 0)" in plain
    assert "Every learner was used with its default settings." in plain
    other = [replace(o, results=o.results[::-1]) for o in vote.done]  # an order that we would not give them
    next(o for o in other if o.name == "C45Classifier").learner = learnt.C45Classifier(confidence=0.1)
    changed = replace(vote, outcomes=other)
    words = Seen(str(method(changed).body)).words()
    assert "except C45Classifier(confidence=0.1)." in words
    assert "5-fold cross-validation, cut by a splitter of the user's own" in words


# Harm


def test_hostile_names_are_text_and_nothing_else():
    page = render(hostile_comparison())
    assert "data-failed" not in page
    seen = Seen(page)
    known = {tag for tag, _ in Seen(render(compared(learnt.datasets.load("iris"), "class"))).elements}
    known |= {"wbr", "abbr", "details", "summary"}
    assert {tag for tag, _ in seen.elements} <= known
    for tag, attributes in seen.elements:
        assert not any(name.startswith("on") for name in attributes), tag
    assert [t for t, _ in seen.elements].count("h1") == 1
    assert "{{ 7 * 7 }}" in page
    for sign in ("\x1b", "\x07", "\u202e", "\u200f", "\u2066"):
        assert sign not in page
    assert max(len(word) for word in seen.words().split() if "base64" not in word) < 1000


@pytest.mark.costly
def test_five_thousand_columns_and_long_labels_stay_small():
    rng = np.random.default_rng(0)
    table = {f"column {j} {'y' * 300}": rng.normal(size=40) for j in range(5000)}
    table["long"] = [("z" * 10_000) + str(i % 4) for i in range(40)]
    table["y"] = ["a", "b"] * 20
    page = render(compared(table, "y", ("MajorityClassifier", "DecisionStumpClassifier"), cv=2))
    assert "data-failed" not in page
    assert len(page.encode()) < 2_000_000
    rows = re.search(r'aria-label="Columns".*?</table>', page, re.DOTALL).group().count("<tr>")
    assert rows == 51
    assert "4,951 more columns" in page


def test_a_place_that_cannot_be_written_is_said(vote, tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write(vote, tmp_path / "no" / "such" / "folder.html")


def test_write_gives_the_path_of_the_page(vote, tmp_path):
    path = write(vote, tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_every_hostile_name_is_shown_or_shortened():
    text = Seen(render(hostile_comparison())).words()
    for name in HOSTILE:
        start = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)[:20]
        assert " ".join(start.split()) in text, start

"""Explanations add up, read well, and are safe to show."""

from __future__ import annotations

import html.parser
import json
import pickle
from typing import Any

import hypothesis.strategies as st
import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given

import learnt
from learnt.explain import Evidence, Explanation, Explanations
from learnt.show.numbers import number, signed
from learnt.show.words import label, printable

mpl.use("Agg")


def car(**changes: Any) -> Explanation:
    fields: dict[str, Any] = {
        "prediction": 23.49,
        "kind": "sum",
        "base": 23.51,
        "base_words": "average",
        "evidence": (
            Evidence("weight", 3504.0, -3.1, "500 above average"),
            *(Evidence(f"small {i}", None, 0.01) for i in range(5)),
            Evidence("town", "Bern", 2.1),
            Evidence("hp", np.int64(130), 0.93),
        ),
        "total": 23.49,
        "total_words": "mpg",
    }
    return Explanation(**{**fields, **changes})


def test_the_text_shows_the_arithmetic_largest_first_and_sums_up_the_rest() -> None:
    assert str(car()).splitlines() == [
        "mpg 23.49 = 23.51 (average) − 3.1 (weight) + 2.1 (town) + 0.93 (hp) + 0.05 (5 more)",
        "  weight = 3504   −3.1  ████████│          500 above average",
        "  town = 'Bern'   +2.1          │█████",
        "  hp = 130       +0.93          │██",
        "  … and 5 more, together +0.05",
    ]


def test_more_lines_are_shown_on_request_and_small_terms_never() -> None:
    evidence = tuple(Evidence(f"c{i}", i, float(i)) for i in range(20))
    everything = car(evidence=evidence)
    assert everything.text(most=3).splitlines()[-1] == "  … and 16 more, together +136"  # c0 adds nothing
    assert len(everything.text(most=20).splitlines()) == 1 + 19  # a rest of one gets its own line


def test_the_evidence_keeps_the_order_of_the_table_and_by_size_the_largest_first() -> None:
    explanation = car()
    assert explanation.evidence[0].column == "weight"
    assert explanation.evidence[1].column == "small 0"
    assert [e.column for e in explanation.by_size()[:4]] == ["weight", "town", "hp", "small 0"]


def test_distances_name_the_cluster_and_the_next_nearest() -> None:
    evidence = (Evidence("a", 1.0, 2.4), Evidence("b", 2, 1.0))
    text = str(Explanation(2, "distances", 0.0, "", evidence, 3.4, "squared distance", ((0, 5.1), (1, 9.0))))
    first, *rest = text.splitlines()
    assert first == "cluster 2: squared distance 3.4 = 2.4 (a) + 1 (b); next nearest: cluster 0 at 5.1"
    assert rest == ["  a = 1  +2.4  │████████", "  b = 2    +1  │███"]


def test_frequencies_read_as_a_reason() -> None:
    answer = Explanation("yes", "frequency", 9 / 14, "9 of 14 rows are", (), 9 / 14, "share", (("no", 5 / 14),))
    assert str(answer) == "'yes' because 9 of 14 rows are"


@pytest.mark.parametrize("kind", ["sum", "distances", "frequency", "log-odds", "votes"])
def test_no_evidence_and_odd_numbers_are_shown_too(kind: str) -> None:
    for evidence in [(), (Evidence("a", None, 0.0),), (Evidence("a", float("inf"), float("nan")),)]:
        explanation = car(kind=kind, evidence=evidence, base=-1.0, base_words="")
        assert str(explanation)
        assert explanation._repr_html_()


def test_beside_an_infinite_contribution_the_others_keep_their_lines() -> None:
    evidence = (Evidence("a", 1, float("-inf")), Evidence("b", 2, 0.5), Evidence("c", 3, -0.25))
    assert [line[:5] for line in str(car(evidence=evidence, total=float("-inf"))).splitlines()[1:]] == [
        "  a =",
        "  b =",
        "  c =",
    ]
    alone = str(car(evidence=evidence[:1], total=float("-inf")))
    assert "████████│" in alone.splitlines()[1]


def test_no_answer_reads_as_reject_not_as_missing() -> None:
    refused = car(
        prediction=None, kind="risk", base_words="0.5 × 1", evidence=(), total=0.5, alternatives=((None, 0.9),)
    )
    assert str(refused) == "reject: mpg 0.5 = 0.5 × 1; reject would cost 0.9"


def test_infinite_contributions_are_shown_as_full_bars() -> None:
    evidence = (Evidence("a", 1, float("-inf")), Evidence("b", 1, 2.0))
    assert "−∞  ████████│" in str(car(evidence=evidence))


@given(st.lists(st.floats(-1e6, 1e6), max_size=8), st.floats(-1e6, 1e6))
def test_the_parts_add_up(contributions: list[float], base: float) -> None:
    evidence = tuple(Evidence(f"c{i}", i, c) for i, c in enumerate(contributions))
    total = base + sum(contributions)
    explanation = Explanation(total, "sum", base, "", evidence, total, "")
    assert explanation.add_up() == pytest.approx(total, abs=1e-8)


def test_to_dict_is_ready_for_json_and_missing_is_none() -> None:
    explanation = car(prediction=np.float32(0.5), alternatives=((np.str_("no"), np.float64(2)),))
    back = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert back["prediction"] == 0.5
    assert back["evidence"][7] == {"column": "hp", "value": 130, "contribution": 0.93, "words": ""}
    assert back["evidence"][1]["value"] is None
    assert back["alternatives"] == [{"prediction": "no", "total": 2.0}]


class Tags(html.parser.HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_html_is_well_formed_and_nothing_from_the_data_becomes_a_tag() -> None:
    evil = "<script>alert(1)</script>'\"&"
    evidence = (Evidence(evil, evil, -1.0, evil), Evidence("ok", 2, 3.0))
    page = Tags(car(evidence=evidence, base_words=evil, total_words=evil)._repr_html_())
    assert page.open == []
    assert page.seen == {"div", "p", "table", "tbody", "tr", "td"}
    assert page.text.count("<script>") >= 3


def test_control_characters_in_names_and_words_cannot_reach_the_terminal() -> None:
    evil = "a\x1b[2Jb\nc"
    text = str(car(evidence=(Evidence(evil, evil, 1.0, evil),), base_words=evil, total_words=evil))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 2


def test_long_names_are_cut() -> None:
    lines = str(car(evidence=(Evidence("x" * 500, 1, 1.0), Evidence("y", 1, -2.0)))).splitlines()
    assert max(map(len, lines[1:])) < 80


def test_the_plot_walks_from_base_to_total() -> None:
    ax = car().plot()
    bars = ax.patches
    assert len(bars) == 4  # three columns and the rest
    edges = np.array([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars])
    assert edges[0, 0] == pytest.approx(23.51)
    np.testing.assert_allclose(edges[1:, 0], edges[:-1, 1])
    assert edges[-1, 1] == pytest.approx(23.49)
    mpl.pyplot.close(ax.figure)


def test_names_that_look_like_formulas_are_drawn_as_they_are() -> None:
    ax = car(evidence=(Evidence("$\\bad{", "$x$", 1.0),), prediction="$\\frac{").plot()
    ax.figure.canvas.draw()  # would raise if it were parsed
    mpl.pyplot.close(ax.figure)


def test_explanations_are_made_when_asked_for_and_slices_are_lazy() -> None:
    made: list[int] = []

    def make(row: int) -> Explanation:
        made.append(row)
        return car(prediction=row)

    many = Explanations(1_000_000, make)
    part = many[10:100:5]
    assert (len(many), len(part), made) == (1_000_000, 18, [])
    assert part[1].prediction == 15
    assert part[-1].prediction == 95
    assert many[np.int64(3)].prediction == 3
    assert made == [15, 95, 3]
    assert [e.prediction for e in many[5:8]] == [5, 6, 7]
    assert [e.prediction for e in many[::-1][:2]] == [999_999, 999_998]


def test_rows_out_of_range_are_refused() -> None:
    with pytest.raises(IndexError, match="There is no row 3"):
        Explanations(3, lambda i: car())[3]
    with pytest.raises(IndexError):
        Explanations(0, lambda i: car())[-1]


def test_many_explanations_print_as_the_first_few_with_their_row_numbers() -> None:
    text = str(Explanations(50, lambda i: car(evidence=()))[20:])
    assert text.count("row ") == 3
    assert text.startswith("row 20: ")
    assert text.endswith("… and 27 more rows")
    assert str(Explanations(0, lambda i: car())) == "no rows"
    assert Tags(Explanations(5, lambda i: car())._repr_html_()).text.count("row") == 4


def test_an_explanation_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(car())) == car()


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (-3.1, "−3.1"), (23.45678, "23.46"), (1234.56, "1235"),
        (12345.6, "12346"), (1234567.0, "1234567"), (1e12, "1e+12"), (0.00012344, "0.0001234"),
        (2.5e-05, "0.000025"), (1e-9, "1e-09"), (float("inf"), "∞"), (float("-inf"), "−∞"), (float("nan"), "nan"),
    ],
)  # fmt: skip
def test_numbers_have_four_significant_digits(x: float, text: str) -> None:
    assert number(x) == text
    assert signed(x) == (text if text.startswith("−") else "+" + text)


@given(st.floats(-1e8, 1e8).filter(lambda x: abs(x) > 1e-8))
def test_written_numbers_are_right_to_four_digits(x: float) -> None:
    assert float(number(x).replace("−", "-")) == pytest.approx(x, rel=6e-4)


def test_labels_are_quoted_and_missing_is_said() -> None:
    values = ["a'b", None, float("nan"), np.float32(0.1), True, np.int8(3), b"x"]
    assert [label(v) for v in values] == ['"a\'b"', "missing", "missing", "0.1", "True", "3", "b'x'"]
    assert printable("tab\there") == "tab\\there"


TABLE = {"age": [31.0, None, 45.0, 28.5], "town": ["Bern", "Basel", None, "Bern"], "ok": [True, False, True, None]}
TEXTS = ["red apple", "green pear", "Grüne Birne", None]
TARGETS = {"classification": ["a", "b", "b", "a"], "regression": [1.0, 2.5, 3.0, 0.5]}


PREDICTORS = [entry for entry in learnt.learners() if hasattr(entry.cls, "predict")]


@pytest.mark.parametrize("entry", PREDICTORS, ids=lambda entry: entry.name)
def test_every_learners_explanations_add_up_to_its_predictions(entry: Any) -> None:
    model = entry.cls()
    few = {"n_clusters": 2, "random_state": 0} if entry.task == "clustering" else {}
    model.set_params(**{name: value for name, value in few.items() if name in model.get_params()})
    rows: Any = TEXTS if "text" in entry.abilities else TABLE
    if not entry.abilities & {"nominal", "text"}:
        rows = {"age": TABLE["age"]}
    model.fit(rows, TARGETS.get(entry.task))
    explanations, predictions = model.explain(rows), model.predict(rows)
    assert len(explanations) == 4
    for explanation, prediction in zip(explanations, predictions, strict=True):
        assert explanation.prediction == pytest.approx(prediction)
        assert explanation.add_up() == pytest.approx(explanation.total, rel=1e-9, abs=1e-12)
        if explanation.kind == "sum":
            assert explanation.total == pytest.approx(prediction)
        if rows is TABLE:
            assert {e.column for e in explanation.evidence} <= set(TABLE)
        json.dumps(explanation.to_dict())
        Tags(explanation._repr_html_())

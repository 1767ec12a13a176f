"""Decisions: the rules, their ties, thresholds, odds, and the losses they are made with."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import learnt
from learnt.bayes import LossMatrix, decide, from_odds, likelihood_ratio, loss_matrix, odds, optimal_threshold
from learnt.errors import FileError, InputError, LearntError, ParameterError

ILL = {("ill", "well"): 50, ("well", "ill"): 1}
RNG = np.random.default_rng(0)


def probabilities(n, k, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(k), n)


# Rules


def test_the_expected_losses_are_those_of_the_definition():
    p, costs = probabilities(200, 3), RNG.normal(size=(3, 3))
    made = decide(p, costs)
    expected = np.array([[sum(p[i, c] * costs[c, a] for c in range(3)) for a in range(3)] for i in range(200)])
    np.testing.assert_allclose(made.expected_loss, expected, atol=1e-14)
    np.testing.assert_array_equal(made.answers, expected.argmin(axis=1))
    np.testing.assert_allclose(made.risk, expected.min(axis=1), atol=1e-14)


def test_rows_of_the_loss_are_truths_and_columns_answers():
    assert decide([0.5, 0.5], [[0, 10], [1, 0]]).answers.tolist() == [0]
    assert decide([0.5, 0.5], [[0, 1], [10, 0]]).answers.tolist() == [1]


def test_without_a_loss_the_most_probable_class_is_the_answer():
    p = probabilities(100, 4)
    made = decide(p, classes=list("abcd"))
    assert made.rule == "map"
    np.testing.assert_array_equal(made.answers, np.array(list("abcd"))[p.argmax(axis=1)])
    np.testing.assert_allclose(made.risk, 1 - p.max(axis=1))


def test_maximum_likelihood_divides_the_priors_out():
    prior = np.array([0.9, 0.1])
    likelihood = np.array([[0.2, 0.3]])
    posterior = prior * likelihood / (prior * likelihood).sum()
    assert decide(posterior, classes=["a", "b"]).answers.tolist() == ["a"]
    for priors in (prior, {"b": 0.1, "a": 0.9}):
        assert decide(posterior, rule="ml", priors=priors, classes=["a", "b"]).answers.tolist() == ["b"]


def test_maximum_likelihood_needs_priors_that_can_be_divided_out():
    for priors, said in ((None, "without priors"), ([1, 0], "is 0"), ([0.5, 0.6], "add up"), ({"c": 1}, "'c'")):
        with pytest.raises(ParameterError, match=said):
            decide([0.5, 0.5], rule="ml", priors=priors, classes=["a", "b"])


def test_chow_rejects_where_the_largest_probability_is_below_one_minus_the_cost():
    p = probabilities(500, 3)
    made = decide(p, rule="reject", reject_cost=0.4)
    np.testing.assert_array_equal(made.rejected, 1 - p.max(axis=1) > 0.4)
    assert [a is None for a in made.answers.tolist()] == made.rejected.tolist()
    assert made.answers[~made.rejected].tolist() == p[~made.rejected].argmax(axis=1).tolist()
    assert (made.risk <= 0.4 + 1e-12).all()


def test_rejecting_and_its_cost_belong_together():
    for settings in ({"rule": "reject"}, {"rule": "risk", "reject_cost": 1.0}, {"rule": "map", "reject_cost": 0.1}):
        with pytest.raises(ParameterError, match="reject"):
            decide([0.5, 0.5], **settings)
    with pytest.raises(ParameterError, match="nan"):
        decide([0.5, 0.5], reject_cost=float("nan"))
    assert decide([0.5, 0.5], reject_cost=0.1).answers.tolist() == [None]


def test_of_equal_risks_the_first_action_wins_also_where_rounding_parts_them():
    assert decide([0.5, 0.5], classes=["b", "a"]).answers.tolist() == ["b"]
    assert decide([1 / 3, 1 / 3, 1 / 3], np.ones((3, 3))).answers.tolist() == [0]
    p = 1 / 51
    assert decide([1 - p, p], ILL, classes=["well", "ill"]).answers.tolist() == ["well"]
    assert decide([1 - p - 1e-9, p + 1e-9], ILL, classes=["well", "ill"]).answers.tolist() == ["ill"]
    assert decide([0.5, 0.5], reject_cost=0.5).answers.tolist() == [0]  # to refuse comes last


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), st.lists(st.floats(-5, 5), min_size=9, max_size=9))
def test_no_action_has_less_risk_than_the_one_taken(weights, costs):
    p = np.array([weights]) / sum(weights)
    made = decide(p, np.reshape(costs, (3, 3)))
    assert made.risk[0] <= made.expected_loss.min() + 1e-10


def test_a_row_is_decided_alone_as_among_others():
    p, costs = probabilities(50, 3, 4), np.round(RNG.normal(size=(3, 3)), 1)
    together = decide(p, costs)
    for i in range(50):
        alone = decide(p[i], costs)
        assert alone.answers[0] == together.answers[i]
        np.testing.assert_array_equal(alone.expected_loss[0], together.expected_loss[i])


def test_actions_may_be_others_than_the_classes():
    loss = {("ill", "home"): 50, ("well", "home"): 0, ("ill", "test"): 2, ("well", "test"): 2}
    made = decide([[0.99, 0.01], [0.5, 0.5]], loss, classes=["well", "ill"])
    assert made.actions == ("home", "test")
    assert made.answers.tolist() == ["home", "test"]
    with pytest.raises(ParameterError, match="'well'"):
        decide([0.5, 0.5], loss, classes=["well", "ill"], rule="map")


def test_a_decision_prints_the_expected_loss_of_each_action():
    made = decide([[0.99, 0.01], [0.9, 0.1]], ILL, classes=["well", "ill"])
    lines = str(made).splitlines()
    assert lines[0].split() == ["row", "answer", "loss", "of", "'well'", "loss", "of", "'ill'"]
    assert lines[1].split() == ["0", "'well'", "0.5", "0.99"]
    assert lines[2].split() == ["1", "'ill'", "5", "0.9"]
    assert "more rows" in str(decide(probabilities(40, 2)))
    assert "reject" in str(decide([0.5, 0.5], reject_cost=0.1))
    assert "<script>" not in decide([0.5, 0.5], classes=["<script>", "b"])._repr_html_()


@pytest.mark.parametrize(
    ("proba", "said"),
    [
        ([[0.5, 0.4]], "Row 0"),
        ([[0.5, 0.5], [1.5, -0.5]], "Row 1"),
        ([[np.nan, 1.0]], "Row 0"),
        (["a", "b"], "predict_proba"),
        (np.zeros((2, 2, 2)), "shape"),
        (object(), "predict_proba"),
    ],
)
def test_what_are_no_probabilities_is_refused_with_the_row(proba, said):
    with pytest.raises(InputError, match=said):
        decide(proba)


def test_classes_and_columns_must_pair_up_and_labels_need_an_order():
    with pytest.raises(InputError, match="2 columns"):
        decide([0.5, 0.5], classes=["a", "b", "c"])
    with pytest.raises(ParameterError, match="classes="):
        decide([0.5, 0.5], ILL)
    with pytest.raises(ParameterError, match="'maximum'"):
        decide([0.5, 0.5], rule="maximum")


# Thresholds and odds


@given(st.floats(0.1, 100), st.floats(0.1, 100), st.floats(-5, 5), st.floats(-5, 5), st.floats(0.001, 0.999))
def test_the_threshold_divides_the_answers_of_least_risk(alarm, miss, right_no, right_yes, p):
    loss = [[right_no, right_no + alarm], [right_yes + miss, right_yes]]
    threshold = optimal_threshold(loss)
    if abs(p - threshold) > 1e-6:
        assert decide([1 - p, p], loss).answers[0] == (p > threshold)


def test_the_threshold_is_where_the_sign_of_the_log_odds_lemma_changes():
    loss = np.array([[1.0, 4.0], [9.0, 2.0]])  # truth −, +; answer −, +
    t = optimal_threshold(loss)
    assert np.log(t / (1 - t)) + np.log((9 - 2) / (4 - 1)) == pytest.approx(0)


def test_a_threshold_needs_two_classes_and_two_costs():
    for loss in (np.ones((3, 3)), [[0, 1], [0, 0]], [[0, -1], [1, 0]]):
        with pytest.raises(ParameterError):
            optimal_threshold(loss)
    assert optimal_threshold(ILL, positive="ill") == pytest.approx(1 - optimal_threshold(ILL, positive="well"))
    with pytest.raises(ParameterError, match="'dead'"):
        optimal_threshold(ILL, positive="dead")


def test_odds_and_probabilities_are_two_ways_to_say_the_same():
    p = np.linspace(0, 1, 11)
    np.testing.assert_allclose(from_odds(odds(p)), p)
    assert odds(1.0) == np.inf
    assert from_odds(np.inf) == 1
    np.testing.assert_allclose(odds([[0.2, 0.3, 0.5]], of="c", classes="abc"), 1)
    np.testing.assert_allclose(odds([[0.2, 0.3, 0.5]], of="b", against="a", classes="abc"), 1.5)
    for bad in (lambda: odds(1.2), lambda: odds([np.nan]), lambda: from_odds(-1), lambda: odds([[1.0]], of=3)):
        with pytest.raises(LearntError):
            bad()
    for of_words in (lambda: odds("likely"), lambda: from_odds(["4:1"])):
        with pytest.raises(InputError, match=r"(likely|4:1).*Expected numbers"):
            of_words()


def test_the_likelihood_ratio_does_not_depend_on_the_prior():
    likelihood = np.array([0.02, 0.08, 0.4])
    for prior in ([0.2, 0.3, 0.5], [0.98, 0.01, 0.01]):
        posterior = likelihood * prior / (likelihood @ prior)
        assert likelihood_ratio(posterior, prior, of=2, against=0)[0] == pytest.approx(20)


def test_the_likelihood_ratio_of_two_classes_is_that_of_the_second():
    given = {"ham": 6 / 7, "spam": 1 / 7}
    assert likelihood_ratio([[0.6, 0.4]], given, classes=["ham", "spam"])[0] == pytest.approx(4)
    assert likelihood_ratio([[0.6, 0.4]], given, of="ham", classes=["ham", "spam"])[0] == pytest.approx(1 / 4)
    with pytest.raises(ParameterError, match=r"3 classes.*of="):
        likelihood_ratio([[0.2, 0.3, 0.5]], [0.2, 0.3, 0.5])
    with pytest.raises(ParameterError, match="A likelihood ratio came without priors"):
        likelihood_ratio([[0.6, 0.4]], None)


# Losses


def test_a_loss_in_every_form_is_the_same_loss(tmp_path):
    costs = np.array([[0.0, 1.0], [50.0, 0.0]])
    (tmp_path / "loss.csv").write_text("truth,ill, well\nill,0,50\nwell,1,0\n")
    (tmp_path / "loss.json").write_text(json.dumps({"ill": {"well": 50}, "well": {"ill": 1}}))
    (tmp_path / "matrix.json").write_text(json.dumps(costs.tolist()))
    forms = [
        ILL,
        {"ill": {"well": 50}, "well": {"ill": 1}},
        costs,
        costs.tolist(),
        pd.DataFrame([[0, 50], [1, 0]], index=["ill", "well"], columns=["ill", "well"]),
        LossMatrix(("ill", "well"), ("ill", "well"), costs[::-1, ::-1].copy()),
        tmp_path / "loss.csv",
        str(tmp_path / "loss.json"),
        tmp_path / "matrix.json",
    ]
    for form in forms:
        found = loss_matrix(form, ["well", "ill"])
        assert (found.classes, found.actions) == (("well", "ill"), ("well", "ill"))
        np.testing.assert_array_equal(found.costs, costs)


def test_labels_that_are_no_text_are_found_in_files(tmp_path):
    path = tmp_path / "loss.csv"
    for header, classes in ((("0", "1"), [0, 1]), (("0", "1"), [0.0, 1.0]), (("false", "true"), [False, True])):
        path.write_text(f"truth,{header[0]},{header[1]}\n{header[0]},0,2\n{header[1]},3,0\n")
        np.testing.assert_array_equal(loss_matrix(path, classes).costs, [[0, 2], [3, 0]])


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ({}, "empty"),
        ({("a", "b"): 1}, "truth is 'b'"),
        ({("a", "b"): 1, ("z", "a"): 1}, "'z'"),
        ({"a": 3}, "pairs"),
        ({("a", "b"): "dear", ("b", "a"): 1}, "dear"),
        ({("a", "b"): np.inf, ("b", "a"): 1}, "finite"),
        ({("a", "b"): np.nan, ("b", "a"): 1}, "finite"),
        ([[0, 1]], "shape"),
        ([1, 2], "shape"),
        ([["x"]], "is not a loss"),
        (7, "shape"),
        (object(), "is not a loss"),
    ],
)
def test_what_is_no_loss_is_refused(loss, said):
    with pytest.raises(ParameterError, match=said):
        loss_matrix(loss, ["a", "b"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", ""),
        ("a.csv", "truth,a,b\na,0\nb,1,0\n"),
        ("a.csv", "truth,a,b\na,0,x\nb,1,0\n"),
        ("a.csv", "truth,a,b\na,0,1\na,1,0\n"),
        ("a.json", "{"),
        ("a.xml", "<a/>"),
    ],
)
def test_a_file_that_holds_no_loss_is_named(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=name):
        loss_matrix(tmp_path / name, ["a", "b"])
    with pytest.raises(FileError, match="absent"):
        loss_matrix(tmp_path / "absent.csv")


def test_the_names_can_be_had_from_the_front_door():
    assert learnt.decide is decide
    assert learnt.optimal_threshold(ILL, positive="ill") == pytest.approx(1 / 51)

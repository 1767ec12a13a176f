"""Which learners are tied: the pairs, the letters, and what is said of them."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from learnt.errors import InputError, ParameterError
from learnt.evaluate.significance import adjust, corrected_t_test, tied_groups
from learnt.evaluate.significance.letters import cliques, letters


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    fold = rng.normal(0, 0.02, 10)
    means = {"forest": 0.9, "tree": 0.895, "bayes": 0.86, "majority": 0.6}
    return {name: mean + fold + rng.normal(0, 0.01, 10) for name, mean in means.items()}


def test_every_pair_is_the_corrected_t_test_with_holms_p_values(scores):
    ties = tied_groups(scores, n_train=90, n_test=10)
    assert len(ties.pairs) == 6
    for pair in ties.pairs:
        d = scores[pair.better] - scores[pair.worse]
        assert pair.difference > 0
        assert pair.difference == pytest.approx(d.mean())
        t = d.mean() / math.sqrt((1 / 10 + 10 / 90) * d.var(ddof=1))
        assert (pair.statistic, pair.p_value) == pytest.approx((t, 2 * stats.t.sf(t, 9)), rel=1e-9)
        test = corrected_t_test(scores[pair.better], scores[pair.worse], 90, 10)
        assert (pair.low, pair.high) == pytest.approx(test.interval)
    np.testing.assert_allclose([p.adjusted_p_value for p in ties.pairs], adjust([p.p_value for p in ties.pairs]))
    assert [p.significant for p in ties.pairs] == [p.adjusted_p_value <= 0.05 for p in ties.pairs]


def test_the_best_its_ties_and_the_letters_agree(scores):
    ties = tied_groups(scores, n_train=90, n_test=10)
    assert ties.names == ("forest", "tree", "bayes", "majority")
    assert ties.with_best == ("forest", "tree")
    assert ties.letters == {"forest": "a", "tree": "a", "bayes": "b", "majority": "c"}
    assert ties.groups == (("forest", "tree"), ("bayes",), ("majority",))
    assert [ties.record(name) for name in ties.names] == [(2, 1, 0), (2, 1, 0), (1, 0, 2), (0, 0, 3)]
    assert "cannot be told apart from tree" in ties.words
    assert "significantly better than the other 2" in ties.words


def test_errors_are_better_when_lower(scores):
    errors = {name: 1 - values for name, values in scores.items()}
    one, other = tied_groups(scores, 90, 10), tied_groups(errors, 90, 10, higher_is_better=False)
    assert (one.names, one.letters, one.with_best) == (other.names, other.letters, other.with_best)
    np.testing.assert_array_equal(one.wins, other.wins)
    assert other.pair("forest", "bayes").difference == pytest.approx(one.pair("bayes", "forest").difference)
    assert other.ranks == one.ranks


def test_wins_ties_and_losses_count_folds(scores):
    scores["twin"] = scores["tree"] * (1 + 1e-15)  # equal but for rounding
    ties = tied_groups(scores, 90, 10)
    i, j = ties.names.index("forest"), ties.names.index("bayes")
    assert ties.wins[i, j] == (scores["forest"] > scores["bayes"]).sum()
    np.testing.assert_array_equal(ties.losses, ties.wins.T)
    off = ~np.eye(5, dtype=bool)
    assert ((ties.wins + ties.ties + ties.losses)[off] == 10).all()
    assert ties.ties[ties.names.index("tree"), ties.names.index("twin")] == 10
    assert ties.pair("tree", "twin").p_value == 1


def test_the_order_of_learners_and_folds_changes_nothing(scores):
    one = tied_groups(scores, 90, 10)
    turned = tied_groups({name: scores[name][::-1] for name in reversed(scores)}, 90, 10)
    assert one.names == turned.names
    assert one.letters == turned.letters


def test_a_difference_too_small_to_matter_is_a_tie():
    fold = np.random.default_rng(1).normal(0.8, 0.05, 10)
    wobble = np.tile([0.0001, -0.0001], 5)
    scores = {"one": fold, "other": fold - 0.002 + wobble}
    assert tied_groups(scores, 90, 10).with_best == ("one",)
    assert tied_groups(scores, 90, 10, practical=0.01).with_best == ("one", "other")


def test_a_stopped_learner_is_compared_on_the_folds_it_has(scores):
    scores["slow"] = np.where(np.arange(10) < 4, scores["majority"] + 0.35, np.nan)
    ties = tied_groups(scores, 90, 10)
    assert ties.names[-1] == "slow"  # fewer folds never make it the best
    assert ties.pair("slow", "majority").folds == 4
    assert ties.ties.shape == (5, 5)
    assert "nan" not in str(ties)
    assert json.loads(json.dumps(ties.to_dict(), allow_nan=False))["letters"] == ties.letters


def test_learners_without_two_scores_are_set_apart():
    scores = {"good": [0.9, 0.8, 0.85], "once": [0.99, np.nan, np.nan], "never": [np.nan] * 3}
    ties = tied_groups(scores, 2, 1)
    assert ties.untested == ("once", "never")
    assert (ties.names, ties.with_best, ties.letters) == (("good",), ("good",), {"good": "a"})
    assert "nothing to compare" in str(ties)
    nothing = tied_groups({"once": [0.9]}, 2, 1)
    assert nothing.names == nothing.with_best == nothing.pairs == ()
    assert "nothing can be concluded" in str(nothing)
    assert str(tied_groups({}, 2, 1)) == str(nothing)


def test_identical_and_flat_scores_give_answers():
    same = tied_groups({"a": [0.5] * 5, "b": [0.5] * 5, "c": [1.0] * 5}, 8, 2)
    assert same.letters == {"c": "a", "a": "b", "b": "b"}
    assert same.pair("a", "b").p_value == 1
    assert same.pair("a", "c").p_value == 0
    assert "variance is 0" in same.pair("a", "c").note


def test_infinite_losses_are_judged_by_signs():
    loss = np.random.default_rng(0).uniform(0.3, 0.4, 10)
    scores = {"sure": np.where(np.arange(10) % 2, np.inf, 1.0), "calm": loss}
    ties = tied_groups(scores, 90, 10, higher_is_better=False)
    pair = ties.pair("sure", "calm")
    assert (pair.better, pair.p_value) == ("calm", stats.binomtest(10, 10).pvalue)
    assert ties.with_best == ("calm",)
    assert "sign test" in pair.note
    json.dumps(ties.to_dict(), allow_nan=False)


def test_wrong_input_is_refused_in_words(scores):
    with pytest.raises(InputError, match=r"\[2, 3\] scores"):
        tied_groups({"a": [1, 2, 3], "b": [1, 2]}, 2, 1)
    with pytest.raises(InputError, match="n_train=0"):
        tied_groups(scores, 0, 1)
    with pytest.raises(ParameterError, match="alpha=0"):
        tied_groups(scores, 90, 10, alpha=0)
    with pytest.raises(ParameterError, match="practical"):
        tied_groups(scores, 90, 10, practical=-1)
    with pytest.raises(ParameterError, match="no pair of 'forest' and 'nobody'"):
        tied_groups(scores, 90, 10).pair("forest", "nobody")


def test_on_pure_noise_a_false_difference_is_rare_however_many_pairs():
    rng = np.random.default_rng(3)
    found = sum(
        any(p.significant for p in tied_groups({str(i): rng.normal(size=10) for i in range(6)}, 90, 10).pairs)
        for _ in range(200)
    )
    assert found <= 17  # 5 % of 200 and a little for chance; without Holm it would be some 60


@st.composite
def relations(draw):
    k = draw(st.integers(1, 9))
    tied = np.eye(k, dtype=bool)
    for i in range(k):
        for j in range(i):
            tied[i, j] = tied[j, i] = draw(st.booleans())
    return tied


@settings(max_examples=200, deadline=None)
@given(relations())
def test_two_share_a_letter_exactly_when_they_are_tied(tied):
    k = len(tied)
    groups = cliques(tied)
    signs = letters(groups, k)
    for i in range(k):
        assert signs[i]
        for j in range(k):
            assert bool(set(signs[i]) & set(signs[j])) == tied[i, j]
    for left_out in range(len(groups)):
        fewer = letters(groups[:left_out] + groups[left_out + 1 :], k)
        shared = all(bool(set(fewer[i]) & set(fewer[j])) == tied[i, j] for i in range(k) for j in range(k))
        assert not shared  # no letter is needless


def test_ranks_in_reach_of_each_other_give_a_letter_per_stretch():
    values = np.arange(6.0)
    groups = cliques(np.abs(values[:, None] - values) < 2.5)
    assert groups == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    assert letters(groups, 6) == ["a", "ab", "abc", "bcd", "cd", "d"]


def test_even_a_hostile_pattern_of_ties_is_lettered_quickly():
    k = 60  # everyone is tied with all but one: listing all largest groups would take 2**30 of them
    tied = ~np.eye(k, dtype=bool)[np.arange(k) ^ 1]
    groups = cliques(tied)
    signs = [{g for g, group in enumerate(groups) if i in group} for i in range(k)]
    assert all(bool(signs[i] & signs[j]) == tied[i, j] for i in range(k) for j in range(k))
    assert len(set(letters(groups, k))) == k


def test_who_is_better_than_one_is_said_by_the_same_tests_as_the_letters():
    rng = np.random.default_rng(3)
    base = rng.normal(0.6, 0.02, 10)
    scores = {"base": base} | {f"l{j}": base + 0.05 + rng.normal(0, 0.03, 10) for j in range(8)}
    found = tied_groups(scores, n_train=90, n_test=10)
    better = set(found.better_than("base"))
    assert better
    for name in found.names:
        if name != "base":
            assert (name in better) == (not set(found.letters[name]) & set(found.letters["base"]))

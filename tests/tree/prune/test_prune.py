"""Pruning functions over a grown tree: each against its definition, written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency, fisher_exact, hypergeom
from tests.tree.mixed_tables import mixed_table
from tests.tree.plain_c45 import grow_plainly

from learnt import DecisionTreeRegressor, Table, datasets
from learnt.tree.grow.chi2 import independence_p, stop_by_chi2
from learnt.tree.prune.error_based import collapse, prune_error_based
from learnt.tree.prune.mdl import class_bits, prune_mdl
from learnt.tree.prune.pessimistic import pessimistic_errors
from learnt.tree.prune.reduced_error import hold_out, prune_reduced_error
from learnt.tree.prune.routing import Router, merge_entries
from learnt.tree.reach import leaves_of


def prunings(tree, i=0):
    """Every set of inner nodes that may become leaves together, as tuples; small trees only."""
    if tree.is_leaf[i]:
        return [()]
    kept = [sum(parts, ()) for parts in itertools.product(*(prunings(tree, int(c)) for c in tree.children_of(i)))]
    return [(i,), *kept]


def wrong_rows(tree, table, codes, weights=None):
    """The weight of the rows whose leaf has another class, cut up where cells are missing."""
    sent = Router(tree, table).send(0, np.arange(table.n_rows), np.ones(table.n_rows) if weights is None else weights)
    return float(sent.weight[tree.value.argmax(axis=1)[sent.leaf] != codes[sent.row]].sum())


# Pessimistic errors


def test_the_textbooks_upper_limits_are_met():
    """2 of 6, 1 of 2, 2 of 6 with z = 0.69; together they err more than their parent's 5 of 14: prune."""
    n, e = np.array([6, 2, 6, 14]), np.array([2, 1, 2, 5])
    limits = pessimistic_errors(n, e, estimate="wilson", z=0.69) / n
    np.testing.assert_allclose(limits, [0.47, 0.72, 0.47, 0.45], atol=0.005)
    assert limits[:3] @ n[:3] / 14 == pytest.approx(0.51, abs=0.005)


@pytest.mark.parametrize("confidence", [0.01, 0.25, 0.5])
def test_the_binomial_limit_is_the_rate_at_which_so_few_errors_are_that_improbable(confidence):
    for n, e in ((1, 0), (6, 2), (14, 5), (100, 0), (100, 40), (7, 6)):
        rate = float(pessimistic_errors(n, e, confidence, "binomial")) / n
        assert binom.cdf(e, n, rate) == pytest.approx(confidence, abs=1e-9)
    assert pessimistic_errors(5, 5, confidence, "binomial") == 5


def test_j48s_limit_is_exact_without_errors_straight_up_to_one_and_wilsons_from_there():
    n = 20
    none, one = (float(pessimistic_errors(n, e)) for e in (0, 1))
    assert none == pytest.approx(float(pessimistic_errors(n, 0, estimate="binomial")))
    assert float(pessimistic_errors(n, 0.3)) == pytest.approx(none + 0.3 * (one - none))
    assert one == pytest.approx(float(pessimistic_errors(n, 1.5, estimate="wilson")))
    assert pessimistic_errors(3, 2.8) == pytest.approx(3)
    assert pessimistic_errors(3, 3) == 3


@pytest.mark.parametrize("estimate", ["j48", "binomial", "wilson"])
def test_limits_lie_between_the_errors_and_the_rows_and_grow_with_both(estimate):
    n = np.linspace(1, 60, 80)[:, None]  # J48's straight line runs too high for parts of a row
    e = n * np.linspace(0, 1, 30)
    limit = pessimistic_errors(n, e, 0.25, estimate)
    assert (limit >= e - 1e-9).all()
    assert (limit <= n * (1 + 1e-9)).all()
    assert (np.diff(limit, axis=1) > -1e-9).all()
    assert pessimistic_errors(0, 0, 0.25, estimate) == 0


# Rows on their way down


def test_sent_rows_keep_their_weight_and_meet_the_weights_the_tree_was_grown_with():
    table, codes = mixed_table(3, 150, missing=0.3)
    tree = grow_plainly(table, codes)
    for own_shares in (True, False):
        unknown = np.zeros(tree.node_count)
        sent = Router(tree, table).send(0, np.arange(150), np.ones(150), own_shares=own_shares, unknown=unknown)
        np.testing.assert_allclose(np.bincount(sent.row, sent.weight), 1)
        reached = np.bincount(sent.leaf, sent.weight, tree.node_count)
        np.testing.assert_allclose(reached[tree.is_leaf], tree.weight[tree.is_leaf], atol=1e-9)
        np.testing.assert_allclose(unknown, tree.missing_weight, atol=1e-9)


def test_entries_of_one_row_merge_into_one():
    row, weight = merge_entries(np.array([4, 1, 4, 4]), np.array([0.5, 1, 0.25, 0.125]))
    assert row.tolist() == [1, 4]
    assert weight.tolist() == [1, 0.875]


# Collapsing and error-based pruning


@pytest.mark.parametrize("seed", range(8))
def test_collapsing_cuts_what_does_not_help_on_the_training_rows_and_nothing_else(seed):
    table, codes = mixed_table(seed, 60)
    tree = grow_plainly(table, codes)
    found = collapse(tree)
    counts = np.where(tree.weight[:, None] > 0, tree.value, 0)
    errors = counts.sum(axis=1) - counts.max(axis=1)

    def useful(i):
        sub = tree.subtree(i)
        value = np.where(sub.weight[:, None] > 0, sub.value, 0)[sub.is_leaf]
        return (value.sum(axis=1) - value.max(axis=1)).sum() < errors[i] - 1e-3

    cut = [c.node for c in found.cuts]
    assert all(not useful(i) for i in cut)
    kept = tree.collapsed(cut)
    assert kept.node_count == found.tree.node_count
    value = np.where(found.tree.weight[:, None] > 0, found.tree.value, 0)[found.tree.is_leaf]
    assert (value.sum(axis=1) - value.max(axis=1)).sum() == pytest.approx(
        sum(errors[i] for i in np.flatnonzero(tree.is_leaf)), abs=1e-3 * (len(cut) + 1)
    )


@pytest.mark.parametrize("seed", range(8))
def test_without_raising_no_pruning_of_the_tree_is_expected_to_err_much_less(seed):
    """Each node saved may cost 0.1 errors; but for that, from the leaves up is as good as trying everything."""
    table, codes = mixed_table(seed, 25, classes=2)
    tree = grow_plainly(table, codes, least=2)
    options = prunings(tree)
    assert len(options) < 20_000

    def expected(t):
        counts = np.where(t.weight[:, None] > 0, t.value, 0)[t.is_leaf]
        return float(pessimistic_errors(counts.sum(axis=1), counts.sum(axis=1) - counts.max(axis=1)).sum())

    found = prune_error_based(tree)
    best = min(expected(tree.collapsed(nodes)) for nodes in options)
    assert expected(found.tree) <= best + 0.1 * len(found.cuts) + 1e-6


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("raising", [True, False])
def test_pruning_again_changes_no_more_than_pruning_never_grows(seed, raising):
    table, codes = mixed_table(seed, 150, missing=0.1)
    tree = grow_plainly(table, codes, least=1)
    rows = (table, codes, None) if raising else None
    once = prune_error_based(tree, rows=rows)
    assert once.tree.node_count <= tree.node_count
    twice = prune_error_based(once.tree, rows=rows)
    assert twice.tree.node_count == once.tree.node_count
    assert twice.cuts == ()
    assert once.tree.weight[once.tree.is_leaf].sum() == pytest.approx(150)


def test_the_nodes_of_a_raised_branch_hold_the_rows_that_come_there_now():
    raised = 0
    for seed in range(6):
        table, codes = mixed_table(seed, 150, missing=0.15)
        found = prune_error_based(grow_plainly(table, codes, least=1, binary=True), rows=(table, codes, None))
        raised += any("branch" in cut.why for cut in found.cuts)
        tree, unknown = found.tree, np.zeros(found.tree.node_count)
        sent = Router(tree, table).send(0, np.arange(150), np.ones(150), own_shares=True, unknown=unknown)
        reached = np.bincount(sent.leaf, sent.weight, tree.node_count)
        np.testing.assert_allclose(reached[tree.is_leaf], tree.weight[tree.is_leaf], atol=1e-9)
        np.testing.assert_allclose(unknown, tree.missing_weight, atol=1e-9)
        inner = np.flatnonzero(~tree.is_leaf)
        below = [tree.weight[tree.children_of(i)].sum() for i in inner]
        np.testing.assert_allclose(below, tree.weight[inner])
    assert raised >= 4


def test_a_cut_tells_which_node_lost_what_and_for_what():
    table, codes = mixed_table(1, 100)
    found = prune_error_based(grow_plainly(table, codes, least=1))
    head, *lines = str(found).splitlines()
    assert head.startswith(f"{len(found.cuts)} cuts; {found.tree.node_count} nodes are left")
    assert len(lines) == len(found.cuts)
    assert lines[0].startswith(f"  node {found.cuts[0].node} ({found.cuts[0].size_before} nodes): a leaf is expected")
    assert found.cuts[0].after <= found.cuts[0].before + 0.1 + 1e-6


# Reduced errors


@pytest.mark.parametrize("seed", range(8))
def test_reduced_error_pruning_finds_the_smallest_of_the_best_prunings(seed):
    table, codes = mixed_table(seed, 30, classes=2)
    new, truth = mixed_table(seed + 100, 40, classes=2)
    weights = np.random.default_rng(seed).integers(1, 4, 40).astype(float)
    tree = grow_plainly(table, codes)
    options = [tree.collapsed(nodes) for nodes in prunings(tree)]
    assert len(options) < 20_000
    found = prune_reduced_error(tree, new, truth, weights).tree
    errors = [wrong_rows(t, new, truth, weights) for t in options]
    assert wrong_rows(found, new, truth, weights) == pytest.approx(min(errors), abs=1e-5)
    smallest = min(t.node_count for t, e in zip(options, errors, strict=True) if e <= min(errors) + 1e-9)
    assert found.node_count == smallest


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_reduced_error_pruning_of_numbers_finds_the_smallest_of_the_best_prunings(seed, absolute):
    rng = np.random.default_rng(seed)
    (x, y), (new, truth) = ((rng.normal(size=(n, 3)), rng.normal(size=n)) for n in (24, 30))
    y, truth = y + (x[:, 0] > 0), truth + (new[:, 0] > 0)
    weights = rng.integers(1, 4, 30).astype(float)
    tree = DecisionTreeRegressor(min_samples_leaf=3).fit(x, y).tree_

    def cost(tree, nodes, targets):
        gap = np.abs(targets - tree.value[nodes, 0])
        return gap if absolute else gap**2

    def errors_of(tree):
        return float(weights @ cost(tree, leaves_of(tree, Table(new)), truth))

    options = [tree.collapsed(nodes) for nodes in prunings(tree)]
    errors = [errors_of(option) for option in options]
    found = prune_reduced_error(tree, Table(new), truth, weights, cost).tree
    assert errors_of(found) == pytest.approx(min(errors), rel=1e-9)
    smallest = min(t.node_count for t, e in zip(options, errors, strict=True) if e <= min(errors) * (1 + 1e-12))
    assert found.node_count == smallest


def test_a_regressor_pruned_by_reduced_errors_is_smaller_and_better_on_noise():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 4))
    y, new = (x[:, 0] > 0) + rng.normal(0, 0.5, 900), rng.normal(size=(2000, 4))
    whole, pruned = (DecisionTreeRegressor(prune=p).fit(x, y) for p in (None, "reduced_error"))
    truth = (new[:, 0] > 0).astype(float)
    assert pruned.get_n_leaves() < whole.get_n_leaves() / 5
    assert pruned.score(new, truth) > 0.8 > whole.score(new, truth)
    assert len(pruned.cuts_) > 0
    scaled = DecisionTreeRegressor(prune="reduced_error").fit(x, y * 1e-9)
    assert scaled.get_n_leaves() == pruned.get_n_leaves()


def test_the_held_out_rows_are_every_third_of_each_class():
    codes = np.random.default_rng(0).integers(0, 3, 300)
    held = hold_out(codes, 3)
    assert held.sum() == 100
    share = np.bincount(codes[held]) / np.bincount(codes)
    np.testing.assert_allclose(share, 1 / 3, atol=0.02)
    np.testing.assert_array_equal(hold_out(np.zeros(7, int), 3), [0, 0, 1, 0, 0, 1, 0])


# Description length


def test_the_bits_of_classes_count_all_ways_they_could_have_fallen():
    """Two classes among five rows: six possible counts, and C(5, 2) orders of two and three."""
    assert class_bits(np.array([[2.0, 3.0]]))[0] == pytest.approx(np.log2(6) + np.log2(10))
    assert class_bits(np.array([[0.0, 0.0]]))[0] == 0


@pytest.mark.parametrize("seed", range(8))
def test_mdl_pruning_finds_the_shortest_description(seed):
    table, codes = mixed_table(seed, 40, classes=2)
    tree = grow_plainly(table, codes)
    p = table.n_columns

    def bits(t):
        total = 0.0
        for i in range(t.node_count):
            total += 1
            if t.is_leaf[i]:
                total += class_bits(np.where(t.weight[i] > 0, t.value[i : i + 1], 0))[0]
            else:
                total += np.log2(p)
                if np.isfinite(t.threshold[i]):
                    total += np.log2(max(t.weight[i] - t.missing_weight[i] - 1, 1))
        return total

    options = [tree.collapsed(nodes) for nodes in prunings(tree)]
    found = prune_mdl(tree, table.schema)
    assert bits(found.tree) == pytest.approx(min(bits(t) for t in options))


def test_mdl_keeps_what_is_sure_and_cuts_what_is_noise():
    x = np.random.default_rng(0).random(300)
    from learnt import C45Classifier

    clear = C45Classifier(prune="mdl", collapse=False).fit({"x": x}, x > 0.5)
    assert clear.get_n_leaves() == 2
    noise = C45Classifier(prune="mdl", collapse=False).fit({"x": x}, np.random.default_rng(1).random(300) > 0.5)
    assert noise.get_n_leaves() == 1


# Chi²


@pytest.mark.parametrize("counts", [[[8, 2], [1, 5]], [[3, 1], [0, 4], [2, 2]], [[5, 1, 0], [1, 4, 2], [0, 2, 3]]])
def test_p_values_are_scipys(counts):
    assert independence_p(counts) == pytest.approx(chi2_contingency(counts, correction=False).pvalue)
    assert independence_p(counts, "yates") == pytest.approx(chi2_contingency(counts, correction=True).pvalue)


@pytest.mark.parametrize("counts", [[[8, 2], [1, 5]], [[3, 0], [0, 3]], [[1, 1], [1, 1]], [[10, 0], [3, 9]]])
def test_the_exact_test_of_two_branches_and_two_classes_is_fishers(counts):
    assert independence_p(counts, "exact") == pytest.approx(fisher_exact(counts).pvalue)


def test_the_exact_test_adds_up_all_tables_that_are_no_more_probable():
    """Three branches of 3, 4, 2 rows, 5 of 9 of class 0: all ways to deal them, one by one."""
    seen = np.array([[3, 0], [1, 3], [1, 1]])

    def probability(a, b):
        return hypergeom.pmf(a, 9, 5, 3) * hypergeom.pmf(b, 6, 5 - a, 4)

    limit = probability(3, 1) * (1 + 1e-9)
    ways = [probability(a, b) for a in range(4) for b in range(5) if 0 <= 5 - a - b <= 2]
    assert sum(ways) == pytest.approx(1)
    assert independence_p(seen, "exact") == pytest.approx(sum(p for p in ways if p <= limit))


def test_an_exact_test_of_too_many_tables_is_left_to_chi2():
    counts = np.random.default_rng(0).integers(50, 90, (5, 4))
    assert independence_p(counts, "exact") == independence_p(counts)


def test_branches_or_classes_without_rows_do_not_count():
    assert independence_p([[8, 2, 0], [0, 0, 0], [1, 5, 0]]) == independence_p([[8, 2], [1, 5]])
    assert independence_p([[5, 0], [3, 0]]) == 1
    assert independence_p([[5, 3]]) == 1


def test_growing_stops_at_the_first_split_that_may_be_chance():
    tree = grow_plainly(*_weather())
    p = independence_p(np.where(tree.weight[tree.children_of(0), None] > 0, tree.value[tree.children_of(0)], 0))
    assert stop_by_chi2(tree, p + 0.001).tree.node_count > 1
    stopped = stop_by_chi2(tree, p - 0.001)
    assert stopped.tree.node_count == 1
    assert stopped.cuts[0].node == 0
    assert stopped.cuts[0].after == pytest.approx(p)


def _weather():
    table = datasets.load("weather_nominal")
    return table.drop("play"), table["play"].values

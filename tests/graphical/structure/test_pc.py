"""Tests of independence against SciPy's, and directions against graphs that can be tried one by one."""

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from tests.graphical.networks import Network, links_of

from learnt import learn_structure
from learnt.graphical.structure.independence import independence_test
from learnt.graphical.structure.orientation import complete, extend_to_dag, orient_colliders
from learnt.graphical.structure.rules import find_cycle


@pytest.mark.parametrize(("name", "theirs"), [("g2", "log-likelihood"), ("chi2", "pearson")])
def test_the_statistics_are_scipys(name, theirs):
    rng = np.random.default_rng(0)
    table = rng.integers(1, 30, size=(3, 4))
    statistic, df, p = independence_test(table, name)
    truth = chi2_contingency(table, correction=False, lambda_=theirs)
    assert (statistic, df, p) == pytest.approx((truth.statistic, truth.dof, truth.pvalue), rel=1e-9)
    strata = np.stack([table, table[::-1], np.zeros_like(table)])
    assert independence_test(strata, name)[:2] == pytest.approx((2 * statistic, 2 * df), rel=1e-9)
    gap = np.insert(table, 2, 0, axis=0)  # a state that never occurs
    assert independence_test(gap, name) == pytest.approx((statistic, df, p), rel=1e-9)
    assert independence_test(np.zeros((2, 2)), name) == (0.0, 0.0, 1.0)


def v_structures(dag):
    n = len(dag)
    return {
        (frozenset((x, y)), z)
        for z in range(n)
        for x, y in itertools.combinations(np.flatnonzero(dag[:, z]), 2)
        if not dag[x, y] and not dag[y, x]
    }


def all_dags(links):
    """Every directed graph without circles with these links."""
    pairs = [(a, b) for a, b in itertools.combinations(range(len(links)), 2) if links[a, b]]
    for turned in itertools.product([False, True], repeat=len(pairs)):
        dag = np.zeros_like(links)
        for (a, b), back in zip(pairs, turned, strict=True):
            dag[(b, a) if back else (a, b)] = True
        if not find_cycle(dag):
            yield dag


@pytest.mark.parametrize("seed", range(12))
def test_directions_are_those_that_all_equivalent_graphs_share(seed):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((5, 5)) < 0.5, 1)
    place = rng.permutation(5)
    dag = dag[np.ix_(place, place)]
    links = dag | dag.T
    wanted = v_structures(dag)
    separators = {}
    for x, y in itertools.combinations(range(5), 2):
        if not links[x, y]:  # a common child that is a collider is in no separator; others are in all
            middle = {z for z in range(5) if links[x, z] and links[y, z]}
            separators[frozenset((x, y))] = frozenset(z for z in middle if (frozenset((x, y)), z) not in wanted)
    found = complete(orient_colliders(links, separators))
    alike = [d for d in all_dags(links) if v_structures(d) == wanted]
    shared = np.any(alike, axis=0)
    np.testing.assert_array_equal(found, shared)
    one = extend_to_dag(found)
    assert any((one == d).all() for d in alike)


def test_a_collider_is_found_and_a_chain_left_open():
    collider = Network([[], [], [0, 1]], [2, 2, 3], seed=3, spread=0.3).table(5000)
    found = learn_structure(collider, "pc")
    assert found.parents == {"v0": [], "v1": [], "v2": ["v0", "v1"]}
    assert found.undirected == []
    chain = learn_structure(Network([[], [0], [1]], [2, 3, 2], seed=5, spread=0.3).table(5000), "pc")
    assert len(chain.undirected) == 2
    assert links_of(chain) == {frozenset(("v0", "v1")), frozenset(("v1", "v2"))}
    assert chain.steps[0].action == "unlink"


def test_few_rows_link_columns_that_have_nothing_to_do_with_each_other_no_more_often_than_the_level_says():
    rng = np.random.default_rng(3)
    tables = [{"x": rng.integers(0, 4, 25).astype(str), "z": rng.integers(0, 4, 25).astype(str)} for _ in range(200)]
    assert np.mean([len(links_of(learn_structure(t, "pc"))) for t in tables]) <= 0.075
    assert np.mean([len(links_of(learn_structure(t, "pc", test="g2"))) for t in tables]) >= 0.09


def test_directions_that_contradict_each_other_still_give_a_graph_without_circles():
    graph = np.zeros((4, 4), bool)
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        graph[a, b] = graph[b, a] = True  # no extension without a new v-structure
    assert not find_cycle(extend_to_dag(graph))

"""Structures: the right one where rows are many, optimal where that can be tried, and rules kept."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln
from tests.graphical.networks import Network, awkward_table, links_of

import learnt
from learnt import learn_structure
from learnt.errors import InputError, ParameterError

SPROUT = Network([[], [0], [1], [0], [2, 3], [4], [5]], [2, 3, 2, 2, 3, 2, 3], seed=4, spread=0.4)


def loglik(codes, x, parents, sizes):
    q = int(np.prod([sizes[p] for p in parents], dtype=int))
    place = np.zeros(codes.shape[1], int)
    for p in parents:
        place = place * sizes[p] + codes[p]
    counts = np.zeros((q, sizes[x]))
    np.add.at(counts, (place, codes[x]), 1)
    return counts


def family_score(codes, x, parents, sizes, name, s=1.0):
    counts = loglik(codes, x, parents, sizes)
    q, r = counts.shape
    n_j = counts.sum(axis=1)
    if name == "bdeu":
        a = s / (q * r)
        parts = (gammaln(a * r) - gammaln(a * r + n_j)).sum() + (gammaln(a + counts) - gammaln(a)).sum()
        return float(parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nansum(counts * np.log(counts / n_j[:, None])) - np.log(codes.shape[1]) / 2 * q * (r - 1))


def all_graphs(n):
    """Parents of each node, of every graph without circles: subsets of earlier nodes in every order."""
    seen = set()
    for order in itertools.permutations(range(n)):
        choices = [[c for k in range(i + 1) for c in itertools.combinations(sorted(order[:i]), k)] for i in range(n)]
        for some in itertools.product(*choices):
            graph = tuple(p for _, p in sorted(zip(order, some, strict=True)))
            if graph not in seen:
                seen.add(graph)
                yield graph


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_hill_climbing_with_tabu_and_restarts_finds_the_best_of_all_graphs(score):
    net = Network([[], [0], [0], [1, 2]], [2, 2, 3, 2], seed=2)
    codes = net.draw(400)
    known = {}

    def value(x, parents):
        if (x, parents) not in known:
            known[x, parents] = family_score(codes, x, parents, net.sizes, score, 5.0)
        return known[x, parents]

    best = max(sum(value(x, p) for x, p in enumerate(graph)) for graph in all_graphs(4))
    found = learn_structure(net.table(400), "hill", score=score, sample_size=5.0, tabu=5, restarts=5)
    assert found.score == pytest.approx(best, rel=1e-10)


def test_the_score_is_the_sum_of_families_and_of_steps():
    found = learn_structure(SPROUT.table(3000))
    codes = SPROUT.draw(3000)
    for name, parents in found.parents.items():
        places = [SPROUT.names.index(p) for p in parents]
        truth = family_score(codes, SPROUT.names.index(name), places, SPROUT.sizes, "bic")
        assert found.scores[name] == pytest.approx(truth, rel=1e-10)
    assert found.score == pytest.approx(found.steps[-1].score, rel=1e-12)
    gained = sum(step.gain for step in found.steps)
    assert found.steps[0].score + gained == pytest.approx(found.score, rel=1e-10)
    assert "add" in str(found.steps)


@pytest.mark.parametrize("method", ["hill", "pc"])
def test_links_are_found_where_rows_are_many(method):
    found = learn_structure(SPROUT.table(20_000), method, alpha=0.001)
    assert links_of(found) == SPROUT.links


def test_k2_along_the_true_order_finds_the_network():
    found = learn_structure(SPROUT.table(20_000), "k2", score="k2")
    assert [sorted(found.parents[n]) for n in SPROUT.names] == [
        sorted(SPROUT.names[p] for p in some) for some in SPROUT.parents
    ]


def test_chow_liu_is_the_spanning_tree_of_largest_information():
    from scipy.sparse.csgraph import minimum_spanning_tree

    net = Network([[], [0], [0], [1], [1], [2]], [3, 2, 4, 2, 3, 2], seed=5)
    codes = net.draw(1000)
    n = len(net.sizes)
    information = np.zeros((n, n))
    for a, b in itertools.combinations(range(n), 2):
        joint = np.zeros((net.sizes[a], net.sizes[b]))
        np.add.at(joint, (codes[a], codes[b]), 1 / 1000)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = joint * np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))
        information[a, b] = np.nansum(parts)
    tree = minimum_spanning_tree(-information).toarray()
    truth = {frozenset((net.names[a], net.names[b])) for a, b in np.argwhere(tree < 0)}
    found = learn_structure(net.table(1000), "chow_liu", root="v3")
    assert links_of(found) == truth
    assert found.parents["v3"] == []
    assert all(len(p) == 1 for name, p in found.parents.items() if name != "v3")
    assert sum(s.gain for s in found.steps) == pytest.approx(-tree.sum() * 1000)


def test_rules_are_kept():
    table = SPROUT.table(2000)
    found = learn_structure(
        table, required=[("v6", "v0")], forbidden=[("v0", "v1"), ("v1", "v0")], max_parents=1, tabu=3, restarts=2
    )
    assert "v6" in found.parents["v0"]
    assert frozenset(("v0", "v1")) not in links_of(found)
    assert max(map(len, found.parents.values())) == 1
    order = ["v6", "v5", ["v4", "v3"], "v2", "v1", "v0"]
    rank = {"v6": 0, "v5": 1, "v4": 2, "v3": 2, "v2": 3, "v1": 4, "v0": 5}
    assert all(rank[p] <= rank[x] for p, x in learn_structure(table, order=order).edges)
    assert all(rank[p] <= rank[x] for p, x in learn_structure(table, "k2", order=order).edges)
    assert learn_structure(table, max_parents=0).edges == []


def test_impossible_rules_are_refused():
    table = SPROUT.table(50)
    with pytest.raises(ParameterError, match="circle: 'v0' → 'v1' → 'v2' → 'v0'"):
        learn_structure(table, required=[("v0", "v1"), ("v1", "v2"), ("v2", "v0")])
    with pytest.raises(ParameterError, match="forbidden, or against"):
        learn_structure(table, required=[("v0", "v1")], forbidden={"v1": ["v0"]})
    with pytest.raises(ParameterError, match="max_parents"):
        learn_structure(table, required={"v2": ["v0", "v1"]}, max_parents=1)
    with pytest.raises(ParameterError, match="names a column"):
        learn_structure(table, forbidden=[("v0", "nobody")])
    with pytest.raises(ParameterError, match="twice"):
        learn_structure(table, "k2", order=["v0", "v0"])
    with pytest.raises(ParameterError, match="neither required"):
        learn_structure(table, "pc", required=[("v0", "v1")])
    with pytest.raises(ParameterError, match="score='mdl'"):
        learn_structure(table, score="mdl")
    with pytest.raises(ParameterError, match="not an edge"):
        learn_structure(table, required=["v0"])


@pytest.mark.parametrize("method", ["hill", "chow_liu", "k2", "pc"])
def test_hostile_tables_give_a_structure(method):
    one = learn_structure({"a": ["x"], "b": [1.0]}, method)
    assert one.edges == []
    assert learn_structure({"a": [None, None], "b": [None, None]}, method).score == 0
    assert learn_structure({"a": ["x", "y"]}, method).parents == {"a": []}
    rows = awkward_table(300)
    found = learn_structure(rows, method, max_parents=2)
    assert set(found.parents) == set(rows)
    assert np.isfinite(found.score)
    assert found.parents["nothing"] == found.parents["same"] == []
    assert "number" in str(found.notes[0])


def test_ten_thousand_labels_are_hashed_and_do_not_pay():
    rng = np.random.default_rng(0)
    n = 12_000
    ids = rng.integers(10_000, size=n)
    table = {"id": [f"r{i}" for i in ids], "other": [f"q{i}" for i in rng.integers(10_000, size=n)],
             "half": [f"h{i % 2}" for i in ids], "coin": [f"c{i}" for i in rng.integers(2, size=n)]}  # fmt: skip
    assert learn_structure(table).edges == []
    likely = learn_structure(table, score="loglik", max_parents=1)
    assert likely.scores["half"] == pytest.approx(0, abs=1e-6)  # the id tells it


def test_missing_cells_weaken_a_link_and_a_weight_is_so_many_rows():
    net = Network([[], [0]], [2, 2], seed=1, spread=0.3)
    table = net.table(300)
    whole = learn_structure(table, score="loglik", max_parents=1)
    gaps = {"v0": table["v0"], "v1": [v if i % 3 else None for i, v in enumerate(table["v1"])]}
    alone = learn_structure(gaps, score="loglik", max_parents=0)
    less = learn_structure(gaps, score="loglik", max_parents=1)
    assert 0 < less.score - alone.score < whole.score - learn_structure(table, score="loglik", max_parents=0).score
    weights = np.random.default_rng(0).integers(0, 4, 300)
    copied = {name: np.repeat(cells, weights) for name, cells in table.items()}
    assert learn_structure(table, sample_weight=weights).score == pytest.approx(learn_structure(copied).score)


def test_a_scan_gives_the_structure_of_the_table(tmp_path):
    table = learnt.Table(SPROUT.table(4000))
    path = tmp_path / "rows.csv"
    rows = zip(*(c.labels() for c in table.columns), strict=True)
    path.write_text("\n".join([",".join(table.schema.names), *(",".join(row) for row in rows)]) + "\n")
    for method in ("hill", "chow_liu", "pc"):
        whole, streamed = learn_structure(table, method), learn_structure(learnt.scan(path, batch_rows=700), method)
        assert streamed.parents == whole.parents
        assert streamed.scores == whole.scores  # counts are whole numbers: the same bits
    path.write_text("a,b\n" + "".join(f"{i * 0.5},x\n" for i in range(50)))
    with pytest.raises(InputError, match="sorts numeric columns"):
        learn_structure(learnt.scan(path))


def test_a_search_is_watched_and_the_same_for_any_number_of_threads():
    table = learnt.Table(SPROUT.table(1500))
    found = []
    for n in (1, 3):
        with learnt.threads(n), learnt.watch() as log:
            found.append(learn_structure(table, tabu=4, restarts=2, random_state=5))
        moves = [step for step in found[-1].steps if step.child]
        assert [s.objective for s in log.steps if s.what == "hill climbing"] == [m.score for m in moves]
    assert found[0].scores == found[1].scores
    assert found[0].taken == found[1].taken
    assert found[0].score >= learn_structure(table).score


def test_a_structure_prints_as_a_tree():
    found = learnt.graphical.Structure({"a": [], "b": ["a"], "c": ["a", "b"], "d": ["a"], "e": []})
    assert str(found) == "a\n├─ b\n│  └─ c  (and a)\n└─ d\ne"
    with pytest.raises(ValueError, match="circle"):
        learnt.graphical.Structure({"a": ["b"], "b": ["a"]})

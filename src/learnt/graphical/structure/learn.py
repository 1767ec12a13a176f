"""`learn_structure`: which columns of a table depend on which."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from learnt.data.table import Array, unknown_column
from learnt.engine.engines import Request, run
from learnt.engine.training import Training, prepare
from learnt.errors import ParameterError
from learnt.graphical.structure.coding import STRATEGIES, count_states, cutting_notes, find_edges
from learnt.graphical.structure.counting import PackRows, StateWeights
from learnt.graphical.structure.hill_climbing import climb_hills
from learnt.graphical.structure.independence import TESTS
from learnt.graphical.structure.k2 import search_k2
from learnt.graphical.structure.pc import search_pc
from learnt.graphical.structure.result import SearchStep, Structure
from learnt.graphical.structure.rules import Rules
from learnt.graphical.structure.scoring import SCORES, Scorer
from learnt.graphical.structure.trees import chow_liu
from learnt.learner.parameters import OneOf, Real, Seed, Whole, check_parameters, seed_from

METHODS = ("hill", "chow_liu", "k2", "pc")

DOMAINS = {
    "method": OneOf(*METHODS),
    "score": OneOf(*SCORES),
    "sample_size": Real(above=0),
    "max_parents": OneOf(None) | Whole(0),
    "tabu": Whole(0),
    "restarts": Whole(0),
    "perturb": OneOf(None) | Whole(1),
    "max_steps": OneOf(None) | Whole(0),
    "alpha": Real(above=0, below=1),
    "test": OneOf(*TESTS),
    "bins": OneOf(*STRATEGIES[:2]),
    "n_bins": Whole(1),
    "random_state": Seed(),
}


def learn_structure(
    X: Any,
    method: str = "hill",
    *,
    score: str = "bic",
    sample_size: float = 1.0,
    required: Any = (),
    forbidden: Any = (),
    order: Sequence[Any] | None = None,
    max_parents: int | None = None,
    tabu: int = 0,
    restarts: int = 0,
    perturb: int | None = None,
    max_steps: int | None = None,
    root: str | None = None,
    test: str = "chi2",
    alpha: float = 0.05,
    bins: str = "frequency",
    n_bins: int = 5,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> Structure:
    """Learn a directed graph over the columns of a table, its target too, or of a `scan` of files larger than memory.

    >>> rows = {"rain": ["yes", "yes", "no", "no"] * 25, "wet": ["yes", "yes", "no", "no"] * 24 + ["no"] * 4}
    >>> learn_structure(rows, "chow_liu", root="rain").parents
    {'rain': [], 'wet': ['rain']}

    `method` is one of

    - "hill": hill climbing over `score` ("bic", "aic", "bdeu" with equivalent `sample_size`, "k2", "loglik"), adding,
      removing and reversing edges; `tabu` moves long through worse structures, `restarts` times again after `perturb`
      random moves, at most `max_steps` each.
    - "chow_liu": the tree of largest mutual information, away from `root` (the first column).
    - "k2": along `order` (that of the columns), each takes the earlier ones that gain most.
    - "pc": links that tests of independence (`test` "chi2" or "g2" at level `alpha`) do not take away; those whose
      direction stays open are listed as `undirected`. `max_parents` limits what is given in a test.

    `required` and `forbidden` are edges (parent, child), `order` a list of columns, or of groups of columns, whose
    edges go forwards only: for "hill" and "k2". Numeric columns are cut into `n_bins` intervals, by `bins` "frequency"
    or, also of a scan, "width". Missing cells are dealt out to a column's states by their shares; tests leave such
    rows out.
    """
    given = dict(locals())
    check_parameters("learn_structure", DOMAINS, {name: given[name] for name in DOMAINS})
    training = prepare(X, None, sample_weight, None, "learn_structure", check_cells=True, with_target=True)
    names = training.schema.names
    if method in ("chow_liu", "pc") and (len(required) or order is not None):
        raise ParameterError(
            f"learn_structure: method={method!r} takes neither required edges nor an order. Expected them for 'hill' "
            "and 'k2'. Leave them out, or use one of those."
        )
    rules = Rules.of(names, required=required, forbidden=forbidden, order=order, max_parents=max_parents)
    first = 0
    if root is not None:
        if root not in names:
            raise ParameterError(f"learn_structure: root names a column. {unknown_column(str(root), names)}")
        first = names.index(root)
    how = {"tabu": tabu, "restarts": restarts, "perturb": perturb, "max_steps": max_steps}
    search = Search(method, score, sample_size, rules, first, how, test, alpha, max_parents, seed_from(random_state))
    plan = search.plan(training, bins, n_bins, _in_full(order, names))
    found: Structure = run(plan, training, "learn_structure")
    return found


def _in_full(order: Sequence[Any] | None, names: Sequence[str]) -> list[int]:
    """All columns in an order that agrees with `order`; those it does not name follow."""
    named = [name for part in order or () for name in ([part] if isinstance(part, str) else part)]
    return [names.index(name) for name in (*named, *(name for name in names if name not in named))]


class Search:
    """A method with all it needs to know, but for the rows."""

    def __init__(
        self,
        method: str,
        score: str,
        sample_size: float,
        rules: Rules,
        root: int,
        how: dict[str, Any],
        test: str,
        alpha: float,
        most_given: int | None,
        seed: int,
    ):
        self.method, self.score, self.sample_size, self.rules, self.root = method, score, sample_size, rules, root
        self.how, self.test, self.alpha, self.most_given, self.seed = how, test, alpha, most_given, seed

    def plan(
        self, training: Training, bins: str, n_bins: int, order: Sequence[int]
    ) -> Generator[Request, Any, Structure]:
        edges = yield from find_edges(training, bins, n_bins, 0, "learn_structure")
        sizes = count_states(training.schema, edges)
        states: StateWeights = yield PackRows(edges, sizes)
        scorer = Scorer(sizes, states, self.score, self.sample_size)
        dag, open_edges, steps = yield from self._find(scorer, order)
        names = self.rules.names
        parents = {x: np.flatnonzero(dag[:, j]).tolist() for j, x in enumerate(names)}
        yield from scorer.fill([(j, tuple(parents[x]), []) for j, x in enumerate(names)])
        said = [note.text for note in cutting_notes(list(edges), bins, n_bins)]
        return Structure(
            {x: [names[p] for p in some] for x, some in parents.items()},
            {x: scorer.of(j, parents[x]) for j, x in enumerate(names)},
            self.score,
            [[names[a], names[b]] for a, b in np.argwhere(np.triu(open_edges & open_edges.T)).tolist()],
            steps,
            said,
        )

    def _find(
        self, scorer: Scorer, order: Sequence[int]
    ) -> Generator[Request, Any, tuple[Array, Array, list[SearchStep]]]:
        names, none = self.rules.names, np.zeros_like(self.rules.allowed)
        if self.method == "hill":
            found = yield from climb_hills(scorer, self.rules, seed=self.seed, **self.how)
        elif self.method == "k2":
            found = yield from search_k2(scorer, self.rules, order)
        elif self.method == "chow_liu":
            likely = Scorer.__new__(Scorer)
            likely.__dict__ = scorer.__dict__ | {"score": "loglik", "scores": {}}
            found = yield from chow_liu(likely, names, self.root)
        else:
            allowed = self.rules.allowed & self.rules.allowed.T
            how: dict[str, Any] = {"alpha": self.alpha, "test": self.test, "most_given": self.most_given}
            dag, graph, steps = yield from search_pc(scorer, names, allowed, **how)
            return dag, graph, steps
        return found[0], none, found[1]

"""A discrete Bayesian network: variables, the arrows between them, and a table of probabilities for each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.notes import Note
from learnt.data.table import Array, Column, Table
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanation
from learnt.graphical.factors.factor import Factor
from learnt.graphical.inference.answering import Answering
from learnt.graphical.inference.compiled import Compiled
from learnt.graphical.inference.evidence import Findings, codes_of_rows, findings_of, unknown_variable
from learnt.graphical.inference.sampling import CHAINS, draw_rows
from learnt.graphical.network.ancestry import ancestors, parents_first
from learnt.graphical.network.directed import Directed
from learnt.graphical.network.fitting import Fitted
from learnt.graphical.network.node import Node, checked_table
from learnt.graphical.without_settings import WithoutSettings
from learnt.lazy import cached_property
from learnt.learner.parameters import Seed, Whole, check_parameters, seed_from
from learnt.learner.registry import register
from learnt.show.drawing import Drawing
from learnt.show.text_table import aligned_lines
from learnt.show.words import count_of, label, list_of, plain, short_name, spell


class BayesianNetwork(Directed, Fitted, Answering, WithoutSettings):
    """Discrete variables with arrows from causes to effects: each has a probability table given its parents.

        p(x₁, …, x_n) = Π_v p(x_v | x_parents(v))

    >>> garden = BayesianNetwork()
    >>> garden = garden.add("rain", table={"no": 0.8, "yes": 0.2})
    >>> garden = garden.add("sprinkler", parents=["rain"], states=["off", "on"], table=[[0.6, 0.4], [0.99, 0.01]])
    >>> garden = garden.add(
    ...     "grass", parents=["sprinkler", "rain"], states=["dry", "wet"],
    ...     table=[[[1.0, 0.0], [0.2, 0.8]], [[0.1, 0.9], [0.01, 0.99]]])
    >>> print(garden.infer("rain", {"grass": "wet"}))
    P(rain | grass = 'wet')
      no   0.6423  █████████████
      yes  0.3577  ███████
    >>> print(garden.d_separated("rain", "sprinkler", given=["grass"]))
    Not separated given grass: rain → sprinkler is open.

    | setting | default | meaning |
    |---|---|---|
    | `structure` | none | the parents of each variable, by name; tables come by `fit` or `set_table` |
    | `states` | none | the states of each variable, by name; else `fit` takes the labels of the table |

    `fit` learns the tables from rows, with `method="em"` also from rows with missing cells and for variables that are
    never seen. Questions are asked by `infer` and `most_probable`.

    Reference: Koller and Friedman, Probabilistic Graphical Models, 2009, chapters 3, 9, 10, 17 and 19.
    """

    task: ClassVar[str] = ""
    abilities: ClassVar[frozenset[str]] = frozenset()

    _nodes: dict[str, Node]
    #: The mean log-likelihood at each step of the last fit by EM.
    log_likelihoods_: list[float]

    def __init__(
        self, structure: Mapping[str, Sequence[str]] | Any = None, states: Mapping[str, Sequence[Any]] | None = None
    ):
        self._nodes = {}
        arrows: Any = getattr(structure, "parents", structure) or {}  # what structure learning found, or a dict
        given = {name: list(parents) for name, parents in arrows.items()}
        known = dict(states or {})
        for name in known:
            given.setdefault(name, [])
        for name, parents in list(given.items()):
            for parent in parents:
                if parent not in given:
                    raise InputError(
                        f"{name!r} has the parent {label(parent)}, which is not a variable of the structure."
                    )
        for name in parents_first(given):
            if name not in known and known:
                raise InputError(f"The states of {name!r} are missing. Give them in states, or give none and call fit.")
        if known or not given:
            # In the order given, so that columns of codes are where the caller put them.
            nodes = {n: Node(n, tuple(map(plain, known[n])), tuple(given[n])) for n in given}
            self._nodes = nodes
        else:
            self._structure = {name: tuple(parents) for name, parents in given.items()}

    # Building

    def add(
        self, name: str, parents: Sequence[str] = (), table: Any = None, states: Sequence[Any] | None = None
    ) -> Self:
        """A new variable, after its parents.

        `table` is an array with an axis for each parent and a last one for the states of its own, or nested dicts by
        state; `states` may be left out where the table is a dict that names them.
        """
        if isinstance(parents, str):
            raise InputError(f"Parents are given by a list of names, [{parents!r}], not by the text {parents!r}.")
        if name in self._nodes:
            raise InputError(f"There is a variable {name!r} already. Change its table by set_table.")
        for parent in parents:
            if parent not in self._nodes:
                hint = " A variable cannot be its own parent." if parent == name else " Add parents before children."
                raise InputError(unknown_variable(parent, self.variables) + hint)
        found = states if states is not None else _states_in(table, len(parents))
        if found is None:
            raise InputError(
                f"The states of {name!r} are missing. Give states=[…], or a table that is a dict by state."
            )
        if isinstance(found, str):
            raise InputError(f"The states of {name!r} are the text {found!r}. Expected a list of labels.")
        node = Node(name, tuple(map(plain, found)), tuple(parents))
        states_of = {p: self._nodes[p].states for p in parents}
        if table is not None:
            node = replace(node, table=checked_table(node, table, states_of))
        self._nodes[name] = node
        self._forget()
        return self

    def set_table(self, name: str, table: Any) -> Self:
        """Other probabilities for a variable."""
        node = self._node(name)
        states_of = {p: self._nodes[p].states for p in node.parents}
        self._nodes[name] = replace(node, table=checked_table(node, table, states_of))
        self._forget()
        return self

    def _forget(self) -> None:
        for made in ("_compiled", "factors", "_order"):
            self.__dict__.pop(made, None)

    # What it is made of

    def states(self, name: str) -> tuple[Any, ...]:
        return self._node(name).states

    def table(self, name: str) -> Factor:
        """p(name | parents), the parents' axes first."""
        node = self._node(name)
        if node.table is None:
            raise InputError(f"The variable {name!r} has no table yet. Give one by set_table, or call fit.")
        names = (*node.parents, name)
        return Factor._of(names, tuple(self._nodes[n].states for n in names), node.table, False)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The tables of all variables, in their order."""
        return tuple(self.table(name) for name in self._nodes)

    @cached_property
    def _order(self) -> Sequence[int]:
        place = {name: v for v, name in enumerate(self._nodes)}
        return [place[name] for name in parents_first(self.structure)]

    def _states(self) -> Mapping[str, Sequence[Any]]:
        return {name: node.states for name, node in self._nodes.items()}

    def _cuts(self) -> Mapping[str, Array]:
        return {name: node.cuts for name, node in self._nodes.items() if node.cuts is not None}

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What was done to columns: which were cut into intervals."""
        cut = list(self._cuts())
        if not cut:
            return ()
        which = f"Column {cut[0]!r} is" if len(cut) == 1 else f"Columns {list_of(list(map(repr, cut)), most=6)} are"
        return (Note(None, f"{which} cut into intervals of equally many rows, as by a Discretizer."),)

    def _relevant(self, names: Sequence[str]) -> Sequence[Factor]:
        needed = ancestors(self.structure, names)
        return [factor for name, factor in zip(self._nodes, self.factors, strict=True) if name in needed]

    def _start_rows(self, compiled: Compiled, findings: Findings, rng: np.random.Generator) -> Array:
        rows, log_weights = draw_rows(compiled, self._order, 20 * CHAINS, rng, findings.codes)
        best = np.argsort(-log_weights, kind="stable")[:CHAINS]
        weights = np.exp(log_weights - max(float(log_weights.max()), -1e300))
        if weights.sum() > 0:
            best = rng.choice(len(rows), CHAINS, p=weights / weights.sum())
        return rows[best]

    @property
    def n_parameters(self) -> int:
        """Free parameters: of each row of each table all probabilities but one."""
        return sum(
            int(np.prod([len(self._nodes[p].states) for p in node.parents], dtype=np.int64)) * (len(node.states) - 1)
            for node in self._nodes.values()
        )

    # Interventions

    def do(self, settings: Mapping[str, Any] | None = None, /, **states: Any) -> BayesianNetwork:
        """The network in which these variables are set from outside: their arrows from parents are cut.

        `do(rain="yes")`, or `do({"wet grass": "no"})`. A list or a dict of probabilities sets a variable at random.
        """
        twin = self.copy()
        for name, state in {**(settings or {}), **states}.items():
            node, v = self._node(name), list(self._nodes).index(name)
            free = Node(name, node.states, (), None, node.cuts)
            if isinstance(state, Mapping | list | tuple | np.ndarray):
                table = checked_table(free, state, {})
            else:
                code = int(findings_of(self._compiled, {name: state}).codes[0, v])
                if code < 0:
                    raise InputError(f"do() sets {name!r} to {spell(state)}. Expected one of its states.")
                table = np.eye(len(node.states))[code]
            twin._nodes[name] = replace(free, table=table)
        return twin

    def copy(self) -> BayesianNetwork:
        twin = BayesianNetwork()
        twin.__dict__.update(self.__getstate__())
        twin._nodes = dict(self._nodes)
        return twin

    # Rows

    def sample(self, n: int = 1, *, evidence: Mapping[str, Any] | None = None, random_state: Any = 0) -> Table:
        """Rows drawn from the network; given `evidence`, from exactly what that leaves."""
        check_parameters(
            "BayesianNetwork.sample", {"n": Whole(1), "random_state": Seed()}, {"n": n, "random_state": random_state}
        )
        rng = np.random.default_rng(seed_from(random_state))
        if evidence:
            from learnt.graphical.network.conditional import draw_given

            rows = draw_given(self._compiled, findings_of(self._compiled, evidence), n, rng)
        else:
            rows, _ = draw_rows(self._compiled, self._order, n, rng)
        columns = [
            Column(name, _kind(node.states), np.ascontiguousarray(rows[:, v]), node.states)
            for v, (name, node) in enumerate(self._nodes.items())
        ]
        return Table.of_columns(columns, n_rows=n)

    def log_likelihood(self, table: Any) -> Array:
        """log p of each row, missing cells summed over; −∞ where a row is impossible."""
        if isinstance(table, Mapping) and not any(isinstance(v, list | tuple | np.ndarray) for v in table.values()):
            table = {name: [value] for name, value in table.items()}
        rows = table if isinstance(table, Table) else Table(table)
        return self.log_evidence_of_codes(codes_of_rows(self._compiled, rows))

    def score(self, table: Any, sample_weight: Any = None) -> float:
        """The mean log-likelihood of the rows."""
        from learnt.engine.training import checked_weights

        found = self.log_likelihood(table)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(found))
        return float(np.average(found, weights=weights))

    def explain(self, query: str, evidence: Mapping[str, Any], state: Any = None) -> Explanation:
        """What each finding adds to the log-odds of a state of `query` (the most probable unless named), and how.

        The parts add up to the log-odds: the logarithms of likelihood ratios, averaged over the orders of findings.
        """
        from learnt.graphical.network.explaining import explain_posterior

        return explain_posterior(self, query, evidence, state)

    # Pictures and files

    def draw(self, evidence: Mapping[str, Any] | None = None, path: Any = None, *, bars: bool = True) -> Drawing:
        """The network with the probabilities of its states given `evidence`, which is marked; without `bars` the arrows
        alone. Written to `path` (.svg or .png) if one is given."""
        from learnt.graphical.drawing.network import draw_network

        return draw_network(self, evidence, path, bars=bars)

    def write_bif(self, path: str | os.PathLike[str]) -> None:
        """The network as a BIF file, or XMLBIF where the name ends in .xml or .xmlbif."""
        from learnt.graphical.network.files import write_network

        write_network(self, path)

    # As text, pickled, saved

    def __repr__(self) -> str:
        return f"BayesianNetwork({count_of(len(self.variables), 'variable')}, {count_of(len(self.edges), 'edge')})"

    def __str__(self) -> str:
        rows = [
            [
                short_name(name, 30),
                f"{len(node.states)}" if node else "?",
                ", ".join(short_name(p, 30) for p in parents) or "–",
            ]
            for name, parents in self.structure.items()
            for node in [self._nodes.get(name)]
        ]
        shown = rows[:60]
        more = [f"and {len(rows) - 60:,} more"] if len(rows) > 60 else []
        return "\n".join([repr(self), *aligned_lines([["variable", "states", "parents"], *shown], left=(0, 2)), *more])

    def _check_fitted_state(self) -> None:
        """Called after loading: what came from a file is checked as what comes from a user is."""
        nodes = self._nodes
        if any(name != node.name for name, node in nodes.items()):
            raise SavedModelError("The network calls a variable by two names.")
        absent = [p for node in nodes.values() for p in node.parents if p not in nodes]
        if absent:
            raise SavedModelError(f"The network has the unknown parent {absent[0][:80]!r}.")
        parents_first({name: node.parents for name, node in nodes.items()})
        for node in nodes.values():
            if node.table is not None:
                checked_table(node, node.table, {p: nodes[p].states for p in node.parents})


def _kind(states: Sequence[Any]) -> Any:
    return "boolean" if tuple(states) == (False, True) and all(isinstance(s, bool) for s in states) else "nominal"


def _states_in(table: Any, n_parents: int) -> list[Any] | None:
    """The states that a table of dicts names, in the order of the first row."""
    depth = 0
    while isinstance(table, Mapping) and table:
        key = next(iter(table))
        step = len(key) if isinstance(key, tuple) and depth < n_parents else 1
        if depth == n_parents:
            return list(table)
        depth += step
        table = table[key]
    return None


register(BayesianNetwork, "", frozenset(), listed=False)

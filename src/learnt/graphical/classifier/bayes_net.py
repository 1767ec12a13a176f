"""A Bayesian network as a classifier: naive, tree-augmented, learnt by a search, or given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from learnt import _core
from learnt.bayes import JointClassifier, drawn_between, generator, log_posterior
from learnt.data.notes import Note
from learnt.data.table import Array, Column, Table
from learnt.engine.engines import Plan
from learnt.engine.training import Training
from learnt.errors import SavedModelError
from learnt.explain import Explanation
from learnt.graphical.classifier.marginal import Marginals
from learnt.graphical.classifier.shape import NetworkShape, class_name, find_shape
from learnt.graphical.classifier.tables import Family, count_families, log_probabilities
from learnt.graphical.structure.coding import (
    STRATEGIES,
    count_states,
    cutting_notes,
    find_edges,
    table_codes,
)
from learnt.graphical.structure.counting import PackRows, StateWeights, flat_lists
from learnt.graphical.structure.result import Structure, text_tree
from learnt.graphical.structure.rules import in_order
from learnt.graphical.structure.scoring import SCORES, Scorer
from learnt.lazy import cached_property
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.show.words import label
from learnt.storable import Numbers, are_rising

#: Rows looked up at a time.
_BLOCK_ROWS = 1 << 16


class BayesNetClassifier(JointClassifier):
    """Classify by a network in which the class, and other columns, are parents of each column.

        log p(c | x) = log p(c | parents) + Σ_j log p(x_j | parents of j) − log p(x)

    >>> table = {"a": ["x", "x", "y", "y"] * 9, "b": ["x", "y", "x", "y"] * 9}
    >>> either = [a != b for a, b in zip(table["a"], table["b"])]
    >>> model = BayesNetClassifier().fit(table, either)
    >>> print(model.structure_text())
    class  (* has it as a parent)
    a *
    └─ b *
    >>> model.predict({"a": ["x", "x"], "b": ["x", "y"]}).tolist()
    [False, True]

    Naive Bayes cannot learn this table, in which each column alone tells nothing. "tan" lets each column depend on one
    more: the tree of largest mutual information given the class. "k2" and "hill" search for more parents; a dict of
    parents by column, the class being called "class", or a network of these columns and one more, is taken as it is.
    Numbers are cut into intervals. Cells that are missing, and labels never seen, are summed over exactly when
    predicting; when fitting, a row counts for the families whose cells it has.

    {settings}

    Attributes: `structure_`, with `parents`, the `scores` of families and the `steps` of the search; `log_tables_`,
    by node, log P(node | parents), axes parents × node × class; `edges_` of intervals; `target_`, the class's name.

    Reference: N. Friedman, D. Geiger, M. Goldszmidt, Bayesian network classifiers, 1997.
    """

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    fit_cost = 6.0
    simplicity = 20.0
    readable = True
    takes_text = "presence"
    search_space: ClassVar[dict[str, Any]] = {"structure": ("naive", "tan", "hill"), "alpha": (0.1, 0.5, 2.0)}

    structure: Any = setting(
        NetworkShape(), '"naive", "tan", "k2", "hill", parents by column, or a network', default="tan", kw_only=False
    )
    alpha: float = setting(Real(0), "added to each count", default=0.5)
    criterion: str = setting(OneOf(*SCORES), 'what "k2" and "hill" maximise', default="bic")
    max_parents: int = setting(Whole(1), 'of a column in "k2" and "hill", the class included', default=3)
    bins: str = setting(
        OneOf(*STRATEGIES), 'how numbers are cut: "mdl" where the class changes, "frequency", "width"', default="mdl"
    )
    n_bins: int = setting(Whole(1), 'intervals of "frequency" and "width"', default=10)

    structure_: Structure = attribute()
    log_tables_: dict[str, Numbers] = attribute()
    edges_: dict[str, Array] = attribute()
    target_: str = attribute()

    # Fitting

    def _plan(self, training: Training) -> Plan:
        k = len(self.classes_)
        self.edges_ = yield from find_edges(training, self.bins, self.n_bins, k, type(self).__name__)
        sizes = np.append(count_states(training.schema, self.edges_), k).astype(np.int32)
        states: StateWeights = yield PackRows(self.edges_, sizes, with_target=True)
        self.target_ = class_name(training.schema.names)
        names = self._nodes()
        searches = isinstance(self.structure, str) and self.structure in ("k2", "hill")
        scorer = Scorer(sizes, states, self.criterion if searches else "loglik")
        edges, steps = yield from find_shape(self.structure, scorer, names, self.max_parents)
        parents = [np.flatnonzero(edges[:, j]).tolist() for j in range(len(names))]
        yield from scorer.fill([(j, tuple(some), []) for j, some in enumerate(parents)])
        self.structure_ = Structure(
            {name: [names[p] for p in parents[j]] for j, name in enumerate(names)},
            {name: scorer.of(j, parents[j]) for j, name in enumerate(names)},
            scorer.score,
            [],
            steps,
            [note.text for note in cutting_notes(list(self.edges_), self.bins, self.n_bins)],
        )
        families = self._families
        counts = yield from count_families(families, scorer.cells, sizes, names)
        self.log_tables_ = {
            names[f.node]: log_probabilities(table, f.own, float(self.alpha))
            for f, table in zip(families, counts, strict=True)
        }
        weight = scorer.state_weights[-1]
        with np.errstate(divide="ignore"):
            self.class_log_prior_ = np.log((weight + self.alpha) / (weight.sum() + self.alpha * k))
        _ = self._lookup, self._sizes  # made now: predicting changes nothing

    def _nodes(self) -> list[str]:
        return [*self._schema.names, self.target_]

    @cached_property
    def _families(self) -> list[Family]:
        names = self._nodes()
        place = {name: j for j, name in enumerate(names)}
        target = len(names) - 1
        return [Family.of(j, [place[p] for p in self.structure_.parents[name]], target) for j, name in enumerate(names)]

    @cached_property
    def _sizes(self) -> Array:
        return count_states(self._schema, self.edges_)

    # Predicting

    @cached_property
    def _lookup(self) -> tuple[Array, Array, Array]:
        """The families that hold the class: their other columns, where each begins, and their tables joined."""
        target = len(self._schema)
        held = [f for f in self._families if target in f.axes]
        members, starts = flat_lists([f.axes[:-1] for f in held])
        names = self._nodes()
        tables = [self.log_tables_[names[f.node]].ravel() for f in held]
        return members, starts, np.concatenate(tables)

    def _marginals(self) -> Marginals:
        names = self._nodes()
        tables = [self.log_tables_[names[f.node]] for f in self._families]
        return Marginals(self._families, tables, len(names) - 1)

    def _joint(self, table: Table) -> Array:
        """log p(c, x) but for what is the same for all classes."""
        codes = table_codes(table, self.edges_)
        out = np.zeros((len(self.classes_), table.n_rows))
        _core.add_log_joint(codes, self._sizes, *self._lookup, out)
        if codes.min(initial=0) < 0:
            self._marginals().add(codes, out)
        return out

    def _log_posterior(self, table: Table) -> Array:
        starts = range(0, table.n_rows, _BLOCK_ROWS)
        blocks = (self._joint(table.rows(start, start + _BLOCK_ROWS)) for start in starts)
        parts = [log_posterior(joint, self.class_log_prior_) for joint in blocks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    # Explaining

    def _base(self, row: Table) -> tuple[Array, str]:
        base: Array = self._shares_of_log_odds(row)[len(self._schema)]
        return base, "prior odds"

    def _evidence(self, row: Table) -> list[tuple[str, Any, Array, str]]:
        shares = self._shares_of_log_odds(row)
        words = ["summed over" if c.missing[0] else "" for c in row.columns]
        return [(c.name, c.labels()[0], shares[j], words[j]) for j, c in enumerate(row.columns)]

    def _shares_of_log_odds(self, row: Table) -> Array:
        """What each node's family adds to log p(c, x), nodes × classes; with cells missing, what it adds to the sum
        over them after the families of earlier columns."""
        codes, k, target = table_codes(row, self.edges_), len(self.classes_), len(self._schema)
        found = np.zeros((target + 1, k))
        marginals = self._marginals()
        told: set[int] = set()
        for part, indices in marginals.parts(codes[:, 0] < 0):
            told.update(indices)
            within = [i for i in indices if self._families[i].node in part]
            others = [i for i in indices if i not in within]
            before = marginals.summed(within, part, codes)[0]
            for i in sorted(others, key=lambda i: self._families[i].node != target):
                within.append(i)
                after = marginals.summed(within, part, codes)[0]
                with np.errstate(invalid="ignore"):
                    gained = after - before
                found[self._families[i].node] += np.where(np.isneginf(after), -np.inf, gained)
                before = after
        for i, family in enumerate(self._families):
            known = [codes[j, 0] for j in family.axes if j != target]
            if i not in told and target in family.axes and min(known, default=0) >= 0:
                found[family.node] += marginals.tables[i][tuple(known)]
        return found

    def _explain_row(self, row: Table) -> Explanation:
        told = super()._explain_row(row)
        cells = {c.name: c for c in row.columns}
        evidence = []
        for part in told.evidence:
            parents = [p for p in self.structure_.parents[part.column] if p != self.target_]
            known = [f"{p}={label(cells[p].labels()[0])}" for p in parents if not cells[p].missing[0]]
            words = f"{part.words}, given {', '.join(known)}" if known and part.words else part.words
            evidence.append(replace(part, words=words))
        return replace(told, evidence=tuple(evidence))

    # Showing and drawing

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What was done to columns: numbers cut into intervals, words counted."""
        return (*super().notes_, *self.structure_.notes)

    def structure_text(self) -> str:
        """The network as a tree of text: each column under the one it depends on; a star: on the class too."""
        self._fitted_schema()
        return text_tree(self.structure_.parents, self.target_)

    def __str__(self) -> str:
        return self.structure_text() if "_schema" in self.__dict__ else repr(self)

    def sample(self, n: int = 1, random_state: Any = 0) -> tuple[Table, Array]:
        """`n` new rows drawn from the network, parents before children, and their classes; numbers evenly within their
        intervals."""
        schema = self._fitted_schema()
        rng = generator(type(self).__name__, n, random_state)
        names = self._nodes()
        codes = np.zeros((len(names), n), np.int32)
        edges = np.zeros((len(names), len(names)), bool)
        for family in self._families:
            edges[[j for j in family.axes if j != family.node], family.node] = True
        for j in in_order(edges):
            family, logs = self._families[j], self.log_tables_[names[j]]
            others = [a for a in range(logs.ndim) if a != family.own]
            upto = np.cumsum(np.exp(logs.transpose([*others, family.own])), axis=-1)
            rows = upto[tuple(codes[family.axes[a]] for a in others)] if others else upto[None]
            spot = rng.random((n, 1)) * rows[:, -1:]
            codes[j] = (spot >= rows).sum(axis=1).clip(max=rows.shape[1] - 1)
        columns = [Column.like(column, self._cells(j, codes[j], rng)) for j, column in enumerate(schema)]
        return Table.of_columns(columns, n_rows=n, named=schema.named), self.classes_[codes[-1]]

    def _cells(self, j: int, codes: Array, rng: np.random.Generator) -> Array:
        column = self._schema.columns[j]
        if column.coded:
            return codes if column.categories else np.full(len(codes), -1, np.int32)
        edges = self.edges_[column.name]
        if len(edges) < 2:
            return np.full(len(codes), edges[0] if len(edges) else np.nan)
        return drawn_between(rng, edges[codes], edges[codes + 1])

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        numeric = [c.name for c in self._schema if c.kind == "numeric"]
        if list(self.edges_) != numeric or not all(are_rising(e) for e in self.edges_.values()):
            raise SavedModelError("The edges are not rising numbers of the numeric columns.")
        names = self._nodes()
        if self.target_ in self._schema.names or list(self.structure_.parents) != names:
            raise SavedModelError("The structure is not one of the columns and the class.")
        sizes = [*self._sizes.tolist(), len(self.classes_)]
        shapes = {names[f.node]: tuple(sizes[j] for j in f.axes) for f in self._families}
        if {name: table.shape for name, table in self.log_tables_.items()} != shapes:
            raise SavedModelError("The tables of probabilities do not fit the structure.")

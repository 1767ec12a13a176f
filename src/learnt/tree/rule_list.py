"""An ordered list of rules, made from a C4.5 tree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.data.schema import ColumnSchema
from learnt.data.table import Array, Table
from learnt.engine.whole import InMemory, WholeTable, unpacked
from learnt.errors import SavedModelError
from learnt.explain import Evidence, Explanation, Explanations
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real
from learnt.show.numbers import number
from learnt.tree.c45 import C45Classifier
from learnt.tree.prune.rules import prune_rules
from learnt.tree.show.conditions import Among, Condition
from learnt.tree.show.rules import Rule, Rules, to_rules


class RuleListClassifier(Classifier):
    """Answer with the first rule that applies, in words a person can check.

    A C4.5 tree is grown and not pruned; every way to a leaf becomes a rule; from each rule conditions are
    dropped while its pessimistic error does not rise,

        e = (f + z²/2N + z·√(f/N − f²/N + z²/4N²)) / (1 + z²/N)

    f being the share of wrong ones among the N rows it covers; the rules are ordered by confidence, then by
    coverage; rules that the others make superfluous go. A row to which no rule applies gets the default.

    >>> table = {"sky": ["sun", "sun", "rain", "rain", "snow", "snow"], "play": ["yes", "yes", "no", "no", "no", "no"]}
    >>> print(RuleListClassifier().fit(table, "play"))
    1. sky is sun → yes (2, 100 %)
       otherwise → no (4, 100 %)

    {settings}

    Attributes: `rules_`, the list with its default; `n_tree_leaves_`, how many rules the tree had.
    A missing cell fulfils no condition.

    Reference: J. R. Quinlan, Simplifying decision trees, 1987.
    """

    abilities = frozenset({"missing", "nominal", "weights", "sparse", "probabilities"})
    whole = InMemory("sorts the rows for its tree")
    takes_text = "counts"
    fit_cost = 800.0
    simplicity = 8.0
    readable = True
    search_space: ClassVar[dict[str, Any]] = {"confidence": (0.1, 0.25, 0.5)}

    confidence: float = setting(
        Real(above=0, high=0.5), "of the pessimistic estimate: less makes rules shorter and fewer", default=0.25
    )
    estimate: Any = setting(
        OneOf("wilson", "binomial", "j48"),
        'that estimate: the formula above, C4.5\'s exact "binomial" limit, or "j48"',
        default="wilson",
    )
    min_samples_leaf: float = setting(Real(above=0), "least weight of two branches of a test in the tree", default=2)
    binary: bool = setting(Flag(), "test nominal columns for one category against the others", default=False)

    rules_: Rules = attribute()
    n_tree_leaves_: int = attribute()

    def _learn(self, rows: WholeTable) -> None:
        table, codes, weights = unpacked(rows.table), rows.target, rows.weights
        grower = C45Classifier(prune=None, min_samples_leaf=self.min_samples_leaf, binary=self.binary)
        tree = grower.fit(table, self.classes_[codes], weights).tree_
        self.n_tree_leaves_ = tree.n_leaves
        judged = {"confidence": self.confidence, "estimate": self.estimate}
        rules = to_rules(tree, self._schema, self.classes_)
        self.rules_ = prune_rules(rules, table, codes, self.classes_, weights, **judged)

    def _all_rules(self) -> tuple[Rule, ...]:
        return (*self.rules_, self.rules_.default)

    def _probabilities(self, table: Table) -> Array:
        shares = np.array([rule.shares for rule in self._all_rules()])
        return shares[self.rules_.first(unpacked(table))]

    def _explain(self, table: Table) -> Explanations:
        table = unpacked(table)
        fired = self.rules_.first(table)

        def explain_row(i: int) -> Explanation:
            return self._explained(int(fired[i]), table.rows(i, i + 1))

        return Explanations(table.n_rows, explain_row)

    def _explained(self, r: int, row: Table) -> Explanation:
        """The rule that applied: how each of its conditions changed the share of the class among training rows."""
        rule, labels = self._all_rules()[r], self.classes_.tolist()
        best = int(np.argmax(rule.shares))
        others = [c for c in np.argsort(-np.array(rule.shares), kind="stable").tolist() if c != best]
        last = r == len(self.rules_)
        return Explanation(
            prediction=labels[best],
            kind="path",
            base=rule.shares[best] if last else rule.steps[0],
            base_words="no rule applies" if last else f"before rule {r + 1}",
            evidence=() if last else _evidence(rule, row),
            total=rule.shares[best],
            total_words="probability",
            alternatives=tuple((labels[c], rule.shares[c]) for c in others),
        )

    def __str__(self) -> str:
        return str(self.rules_) if "rules_" in self.__dict__ else repr(self)

    def _repr_html_(self) -> str:
        about = super()._repr_html_()
        return about + self.rules_._repr_html_() if "rules_" in self.__dict__ else about

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        labels, columns = self.classes_.tolist(), {c.name: c for c in self._schema}
        for rule in self._all_rules():
            fits = len(rule.shares) == len(labels) and rule.prediction in labels
            if not fits or (rule.steps and len(rule.steps) != len(rule.conditions) + 1):
                raise SavedModelError("A rule does not fit the classes, or its own conditions.")
            if not all(c.column in columns and _applicable(c, columns[c.column]) for c in rule.conditions):
                raise SavedModelError("A rule tests columns or labels that the model does not have.")
        if not all(rule.steps for rule in self.rules_) or self.rules_.default.conditions:
            raise SavedModelError("The default has conditions, or a rule does not say how it came about.")


def _evidence(rule: Rule, row: Table) -> tuple[Evidence, ...]:
    changes = {c.column: (after - before, before, after, str(c)) for c, before, after in _steps(rule)}
    found = []
    for column in row.columns:
        cell = column.labels()[0]
        if column.name not in changes:
            found.append(Evidence(column.name, cell, 0.0))
            continue
        change, before, after, words = changes[column.name]
        found.append(Evidence(column.name, cell, change, f"{words}: {number(before)} → {number(after)}"))
    return tuple(found)


def _steps(rule: Rule) -> list[tuple[Condition, float, float]]:
    return list(zip(rule.conditions, rule.steps[:-1], rule.steps[1:], strict=True))


def _applicable(condition: Condition, column: ColumnSchema) -> bool:
    """Whether a condition from a file can be tested on a column."""
    if isinstance(condition, Among):
        return not condition.labels or (column.coded and all(label in column.categories for label in condition.labels))
    ends = [end for end in (condition.low, condition.high) if end is not None]
    if column.coded:
        return all(end in column.categories for end in ends)
    return all(isinstance(end, (int, float)) for end in ends)

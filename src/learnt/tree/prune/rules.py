"""Rules made shorter and put in order: each rule on its own, by the errors it must be expected to make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.tree.prune.pessimistic import Estimate, pessimistic_errors
from learnt.tree.show.conditions import Between, Condition, fulfilled
from learnt.tree.show.rules import Rule, Rules

MOST_DEFAULTS = 10  # only so many of the most frequent classes are tried as the default


def prune_rules(
    rules: Rules,
    table: Table,
    target: Array,
    classes: Any,
    weights: Array | None = None,
    *,
    confidence: float = 0.25,
    estimate: Estimate = "wilson",
) -> Rules:
    """Shorten the rules of a tree, put them in order, and leave out those that are not needed.

    `target` holds class codes. From each rule conditions are dropped while its pessimistic error on
    `table` does not rise; the one whose loss leaves the lowest error goes first. The most confident rule
    stands first, of equally confident ones the one that covers more. Then, from the last to the first,
    rules go whose rows are as well off, by pessimistic errors, with the rules behind them and the
    default, for which every class is tried.
    """
    labels = np.asarray(classes).tolist()
    weights = np.ones(table.n_rows) if weights is None else weights
    # Every column is compared many times: cells that lie side by side are read faster.
    columns = [replace(c, values=np.ascontiguousarray(c.values)) for c in table.columns]
    table = Table.of_columns(columns, n_rows=table.n_rows)
    judge = _Judge(table, target, weights, len(labels), confidence, estimate)
    kept = dict.fromkeys(judge.shortened(rule, labels) for rule in rules if rule.weight > 0)
    found = [judge.rule(conditions, labels) for conditions in kept]
    # Compared without the last digits, which depend on the order in which weights are added.
    found.sort(key=lambda rule: (-round(rule.confidence, 9), -round(rule.weight, 6)))
    return judge.listed(found, labels)


class _Judge:
    """Counts what conditions cover among the training rows."""

    def __init__(
        self, table: Table, target: Array, weights: Array, n_classes: int, confidence: float, estimate: Estimate
    ):
        self.table, self.target, self.weights, self.n_classes = table, target, weights, n_classes
        self.confidence, self.estimate = confidence, estimate

    def shortened(self, rule: Rule, labels: list[Any]) -> tuple[Condition, ...]:
        """The conditions of a rule without those that do not pay; of an interval one end may go."""
        conditions = [part for condition in rule.conditions for part in ends(condition)]
        # Which rows break which condition. A row that breaks one only is covered once that one is dropped.
        breaks = np.array([~c.test(self.table) for c in conditions]).reshape(len(conditions), self.table.n_rows)
        wrong = np.where(self.target != labels.index(rule.prediction), self.weights, 0.0)
        broken = breaks.sum(axis=0)
        while conditions:
            covered, almost = broken == 0, np.flatnonzero(broken == 1)
            lone = breaks[:, almost].argmax(axis=0)
            more = [np.bincount(lone, w[almost], len(conditions)) for w in (self.weights, wrong)]
            now = [float(w[covered].sum()) for w in (self.weights, wrong)]
            errors = self._expected(np.append(now[0], now[0] + more[0]), np.append(now[1], now[1] + more[1]))
            best = int(errors[1:].argmin())
            if errors[1 + best] > errors[0] + 1e-12:
                break
            broken -= breaks[best]
            breaks = np.delete(breaks, best, axis=0)
            del conditions[best]
        return joined(conditions)

    def _expected(self, weight: Array, wrong: Array) -> Array:
        """Pessimistic error rates; a rule that covers nothing is sure to be wrong."""
        return np.where(weight > 0, self._limits(weight, wrong) / np.where(weight > 0, weight, 1.0), 1.0)

    def _limits(self, weight: Array, wrong: Array) -> Array:
        return pessimistic_errors(weight, wrong, self.confidence, self.estimate)

    def rule(self, conditions: tuple[Condition, ...], labels: list[Any]) -> Rule:
        """The rule that these conditions make: its class is the heaviest it covers."""
        return _made(conditions, self._counts(fulfilled(conditions, self.table)), labels)

    def with_steps(self, rule: Rule, labels: list[Any]) -> Rule:
        """The rule with the share of its class after each condition."""
        covered = np.ones(self.table.n_rows, dtype=bool)
        counts = [self._counts(covered)]
        for condition in rule.conditions:
            covered &= condition.test(self.table)
            counts.append(self._counts(covered))
        best = labels.index(rule.prediction)
        return replace(rule, steps=tuple(float(c[best] / c.sum()) for c in counts))

    def listed(self, rules: list[Rule], labels: list[Any]) -> Rules:
        """The rules that are needed, and the default for the rest: the class that leaves fewest errors."""
        every = self._counts(np.ones(self.table.n_rows, dtype=bool))
        applies = self._applies(rules)
        answers = np.array([labels.index(rule.prediction) for rule in rules], dtype=np.int64)
        tried = [self._needed(applies, answers, int(c)) for c in np.argsort(-every, kind="stable")[:MOST_DEFAULTS]]
        _, alive, rest = min(tried, key=lambda found: (round(found[0], 6), int(found[1].sum())))
        default = _made((), rest if rest.any() else every, labels)
        return Rules(tuple(self.with_steps(rule, labels) for r, rule in enumerate(rules) if alive[r]), default)

    def _needed(self, applies: Array, answers: Array, default: int) -> tuple[float, Array, Array]:
        """Pessimistic errors of a list with this default, which rules it keeps, and the classes of the rows left.

        From the last to the first, a rule goes if the rows that came to it are as well off with the rules
        behind it and the default.
        """
        n, rows = len(answers), np.arange(self.table.n_rows)
        answers = np.append(answers, default)
        alive = np.ones(n + 1, dtype=bool)
        first = self._first(applies, alive, rows)
        came = self._came(first, rows, n)
        errors = self._total(came, answers)
        for r in range(n - 1, -1, -1):
            alive[r] = False
            moved = np.flatnonzero(first == r)
            onward = self._first(applies, alive, moved)
            changed = came + self._came(onward, moved, n)
            changed[r] = 0.0
            without = self._total(changed, answers)
            if without <= errors + 1e-9:
                first[moved], came, errors = onward, changed, without
            else:
                alive[r] = True
        return errors, alive[:n], came[n]

    def _applies(self, rules: list[Rule]) -> Array:
        """A bit per rule and row, and a last one for the default, which applies to every row."""
        bits = np.zeros((len(rules) // 8 + 1, self.table.n_rows), dtype=np.uint8)
        for r, rule in enumerate(rules):
            bits[r // 8] |= rule.test(self.table).astype(np.uint8) << (7 - r % 8)
        bits[-1] |= 1 << (7 - len(rules) % 8)
        return bits

    def _first(self, applies: Array, alive: Array, rows: Array) -> Array:
        """The first rule left that applies to each of these rows."""
        found = np.empty(len(rows), dtype=np.int64)
        for start in range(0, len(rows), 4096):
            some = rows[start : start + 4096]
            bits = np.unpackbits(applies[:, some], axis=0, count=len(alive))
            found[start : start + 4096] = (bits & alive[:, None]).argmax(axis=0)
        return found

    def _came(self, first: Array, rows: Array, n: int) -> Array:
        """Per rule, and for the default in the last line, the weight of each class that came to it."""
        k = self.n_classes
        counts: Array = np.bincount(first * k + self.target[rows], self.weights[rows], (n + 1) * k).reshape(-1, k)
        return counts

    def _total(self, came: Array, answers: Array) -> float:
        """The pessimistic errors of the whole list."""
        weight = came.sum(axis=1)
        right = came[np.arange(len(came)), answers]
        return float(self._limits(weight, np.maximum(weight - right, 0.0)).sum())

    def _counts(self, rows: Array) -> Array:
        counts: Array = np.bincount(self.target[rows], self.weights[rows], self.n_classes)
        return counts


def ends(condition: Condition) -> list[Condition]:
    """An interval as its two ends, any other condition as it is."""
    if isinstance(condition, Between) and None not in (condition.low, condition.high):
        return [replace(condition, high=None), replace(condition, low=None)]
    return [condition]


def joined(conditions: list[Condition]) -> tuple[Condition, ...]:
    """The two ends of an interval as one condition again."""
    whole: dict[str, Condition] = {}
    for condition in conditions:
        other = whole.get(condition.column)
        if isinstance(condition, Between) and isinstance(other, Between):
            low, high = other.low if condition.low is None else condition.low, condition.high
            condition = replace(other, low=low, high=other.high if high is None else high)
        whole[condition.column] = condition
    return tuple(whole.values())


def _made(conditions: tuple[Condition, ...], counts: Array, labels: list[Any]) -> Rule:
    total, best = float(counts.sum()), int(counts.argmax())
    shares = counts / total if total > 0 else np.full(len(counts), 1 / len(counts))
    return Rule(conditions, labels[best], total, float(shares[best]), tuple(shares.tolist()))

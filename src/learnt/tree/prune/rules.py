"""Rules made shorter and put in order: each rule on its own, by the errors it must be expected to make."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array, Table
from learnt.tree.covered_rows import TestedCells
from learnt.tree.prune.pessimistic import Estimate, pessimistic_errors
from learnt.tree.show.conditions import Between, Condition
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
        self.n_rows, self.target, self.weights, self.n_classes = table.n_rows, target, weights, n_classes
        self.confidence, self.estimate = confidence, estimate
        self.cells = TestedCells(table)
        self._known_limits: dict[tuple[float, float], float] = {}
        self.every = self._counts(slice(None))  # the weight of each class in all rows

    def shortened(self, rule: Rule, labels: list[Any]) -> tuple[Condition, ...]:
        """The conditions of a rule without those that do not pay; of an interval one end may go."""
        conditions = [part for condition in rule.conditions for part in ends(condition)]
        answer = labels.index(rule.prediction)
        if len(conditions) == 1:
            return join_ends(conditions) if self._pays(conditions, answer) else ()
        # Which rows break which condition. A row that breaks one only is covered once that one is dropped.
        breaks = np.array([~self.cells.test(c) for c in conditions]).reshape(len(conditions), self.n_rows)
        wrong = np.where(self.target != answer, self.weights, 0.0)
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
        return join_ends(conditions)

    def _pays(self, conditions: list[Condition], answer: int) -> bool:
        """Whether a rule errs less with its only condition than always to answer so."""
        with_it, without = (
            self._expected_of(counts, answer) for counts in (self._counts(self.cells.covered(conditions)), self.every)
        )
        return without > with_it + 1e-12

    def _expected_of(self, counts: Array, answer: int) -> float:
        """The pessimistic error rate of an answer to rows of these classes."""
        weight = float(counts.sum())
        return self._limit(weight, max(weight - float(counts[answer]), 0.0)) / weight if weight > 0 else 1.0

    def _expected(self, weight: Array, wrong: Array) -> Array:
        """Pessimistic error rates; a rule that covers nothing is sure to be wrong."""
        return np.where(weight > 0, self._limits(weight, wrong) / np.where(weight > 0, weight, 1.0), 1.0)

    def _limits(self, weight: Array, wrong: Array) -> Array:
        return pessimistic_errors(weight, wrong, self.confidence, self.estimate)

    def _limit(self, weight: float, wrong: float) -> float:
        """The same of one rule; many cover as many rows."""
        if (weight, wrong) not in self._known_limits:
            self._known_limits[weight, wrong] = float(self._limits(np.array(weight), np.array(wrong)))
        return self._known_limits[weight, wrong]

    def rule(self, conditions: tuple[Condition, ...], labels: list[Any]) -> Rule:
        """The rule that these conditions make: its class is the heaviest it covers."""
        return _made_rule(conditions, self._counts(self.cells.covered(conditions)), labels)

    def with_steps(self, rule: Rule, labels: list[Any]) -> Rule:
        """The rule with the share of its class after each condition."""
        first = [rule.conditions[: m + 1] for m in range(len(rule.conditions))]
        counts = [self.every, *(self._counts(self.cells.covered(conditions)) for conditions in first)]
        best = labels.index(rule.prediction)
        return replace(rule, steps=tuple(float(c[best] / c.sum()) for c in counts))

    def listed(self, rules: list[Rule], labels: list[Any]) -> Rules:
        """The rules that are needed, and the default for the rest: the class that leaves fewest errors."""
        applies = self._applies(rules)
        answers = np.array([labels.index(rule.prediction) for rule in rules], dtype=np.int64)
        tried = [
            self._needed_rules(applies, answers, int(c)) for c in np.argsort(-self.every, kind="stable")[:MOST_DEFAULTS]
        ]
        _, alive, rest = min(tried, key=lambda found: (round(found[0], 6), int(found[1].sum())))
        default = _made_rule((), rest if rest.any() else self.every, labels)
        return Rules(tuple(self.with_steps(rule, labels) for r, rule in enumerate(rules) if alive[r]), default)

    def _needed_rules(self, applies: Array, answers: Array, default: int) -> tuple[float, Array, Array]:
        """Pessimistic errors of a list with this default, which rules it keeps, and the classes of the rows left.

        From the last to the first, a rule goes if the rows that came to it are as well off with the rules
        behind it and the default.
        """
        n = len(answers)
        answers = np.append(answers, default)
        alive = np.packbits(np.ones(n + 1, dtype=bool))
        first = _first(applies, alive, np.arange(self.n_rows), 0)
        came = np.bincount(first, self.weights, n + 1).tolist()
        wrong = np.bincount(first, np.where(self.target == answers[first], 0.0, self.weights), n + 1).tolist()
        errors = self._limits(np.array(came), np.array(wrong)).tolist()
        # Rows go to rules further back only, which have been looked at: those of a rule are known from the start.
        by_rule, ends = np.argsort(first, kind="stable"), np.append(0, np.cumsum(np.bincount(first, minlength=n + 1)))
        for r in range(n - 1, -1, -1):
            alive[r // 8] &= ~np.uint8(1 << (7 - r % 8))
            moved = by_rule[ends[r] : ends[r + 1]]
            onward = _first(applies, alive, moved, r)
            missed = np.where(self.target[moved] == answers[onward], 0.0, self.weights[moved])
            after: dict[int, tuple[float, float]] = {}  # weight and wrong weight of the rules that get more
            for to, weight, off in zip(onward.tolist(), self.weights[moved].tolist(), missed.tolist(), strict=True):
                now = after.get(to) or (came[to], wrong[to])
                after[to] = now[0] + weight, now[1] + off
            change = sum(self._limit(*sums) - errors[to] for to, sums in after.items()) - errors[r]
            if change > 1e-9:
                alive[r // 8] |= np.uint8(1 << (7 - r % 8))
                continue
            first[moved], errors[r] = onward, 0.0
            for to, sums in after.items():
                (came[to], wrong[to]), errors[to] = sums, self._limit(*sums)
        return math.fsum(errors), np.unpackbits(alive, count=n).astype(bool), self._counts(first == n)

    def _applies(self, rules: list[Rule]) -> Array:
        """Per row a bit for each rule, and a last one for the default, which applies to every row."""
        bits = np.zeros((len(rules) // 8 + 1, self.n_rows), dtype=np.uint8)
        for r, rule in enumerate(rules):
            bits[r // 8, self.cells.covered(rule.conditions)] |= np.uint8(1 << (7 - r % 8))
        bits[-1] |= np.uint8(1 << (7 - len(rules) % 8))
        return np.ascontiguousarray(bits.T)

    def _counts(self, rows: Array | slice) -> Array:
        counts: Array = np.bincount(self.target[rows], self.weights[rows], self.n_classes)
        return counts


_FIRST_BIT = np.array([8 - int(byte).bit_length() for byte in range(256)])


def _first(applies: Array, alive: Array, rows: Array, least: int) -> Array:
    """The first rule left, of those from `least` on, that applies to each of these rows; both by bits."""
    start = least // 8
    found = np.empty(len(rows), dtype=np.int64)
    for i in range(0, len(rows), 4096):
        some = rows[i : i + 4096]
        bits = applies[some, start:] & alive[start:]
        byte = (bits != 0).argmax(axis=1)
        found[i : i + 4096] = 8 * (start + byte) + _FIRST_BIT[bits[np.arange(len(some)), byte]]
    return found


def ends(condition: Condition) -> list[Condition]:
    """An interval as its two ends, any other condition as it is."""
    if isinstance(condition, Between) and None not in (condition.low, condition.high):
        return [replace(condition, high=None), replace(condition, low=None)]
    return [condition]


def join_ends(conditions: list[Condition]) -> tuple[Condition, ...]:
    """The two ends of an interval as one condition again."""
    whole: dict[str, Condition] = {}
    for condition in conditions:
        other = whole.get(condition.column)
        if isinstance(condition, Between) and isinstance(other, Between):
            low, high = other.low if condition.low is None else condition.low, condition.high
            condition = replace(other, low=low, high=other.high if high is None else high)
        whole[condition.column] = condition
    return tuple(whole.values())


def _made_rule(conditions: tuple[Condition, ...], counts: Array, labels: list[Any]) -> Rule:
    total, best = float(counts.sum()), int(counts.argmax())
    shares = counts / total if total > 0 else np.full(len(counts), 1 / len(counts))
    return Rule(conditions, labels[best], total, float(shares[best]), tuple(shares.tolist()))

"""Freund and Mason's algorithm as they write it: sets of preconditions, every condition tried, row by row."""

from __future__ import annotations

import itertools
import math


def conditions(rows):
    """Every threshold between two cells and every category, as (column, kind, bound)."""
    for j in range(len(rows[0])):
        cells = sorted({row[j] for row in rows if row[j] is not None})
        if all(isinstance(cell, str) for cell in cells):
            yield from ((j, "is", cell) for cell in cells)
        else:
            yield from ((j, "up to", (a + b) / 2) for a, b in itertools.pairwise(cells))


def holds(condition, row):
    """True, False, or None for a missing cell."""
    j, kind, bound = condition
    if row[j] is None:
        return None
    return row[j] == bound if kind == "is" else row[j] <= bound


def fulfils(precondition, row):
    return all(holds(condition, row) is answer for condition, answer in precondition)


def boost(rows, signs, weights, rounds, epsilon=1.0):
    """The rules as (precondition, condition, value if true, value if false), the first without a condition."""
    plus = sum(w for w, y in zip(weights, signs, strict=True) if y > 0) + epsilon
    minus = sum(w for w, y in zip(weights, signs, strict=True) if y < 0) + epsilon
    root = 0.5 * math.log(plus / minus)
    weights = [w * math.exp(-y * root) for w, y in zip(weights, signs, strict=True)]
    preconditions, rules = [()], [((), None, root, root)]

    def total(chosen, sign=None):
        return sum(w for w, y, row in zip(weights, signs, rows, strict=True) if chosen(row) and sign in (None, y))

    for _ in range(rounds):
        best = None
        for precondition in preconditions:
            for condition in conditions([row for row in rows if fulfils(precondition, row)]):
                z = total(lambda row: True)
                for answer in (True, False):

                    def side(row, p=precondition, c=condition, a=answer):
                        return fulfils(p, row) and holds(c, row) is a

                    z += 2 * math.sqrt((total(side, 1) + epsilon) * (total(side, -1) + epsilon)) - total(side)
                if best is None or z < best[0] - 1e-9:
                    best = z, precondition, condition
        _, precondition, condition = best
        values, factors = [], [1.0] * len(rows)
        for answer in (True, False):
            inside = [fulfils(precondition, row) and holds(condition, row) is answer for row in rows]
            there = [(w, y) for w, y, here in zip(weights, signs, inside, strict=True) if here]
            plus = sum(w for w, y in there if y > 0) + epsilon
            minus = sum(w for w, y in there if y < 0) + epsilon
            values.append(0.5 * math.log(plus / minus))
            for i, here in enumerate(inside):
                if here:
                    factors[i] = math.exp(-signs[i] * values[-1])
        weights = [w * f for w, f in zip(weights, factors, strict=True)]
        rules.append((precondition, condition, *values))
        for answer in (True, False):
            grown = (*precondition, (condition, answer))
            if grown not in preconditions:
                preconditions.append(grown)
    return rules


def score(rules, row):
    found = rules[0][2]
    for precondition, condition, if_true, if_false in rules[1:]:
        answer = holds(condition, row)
        if answer is not None and fulfils(precondition, row):
            found += if_true if answer else if_false
    return found

"""Shapley values by their definition: every set of columns is made known, and what each column changes is averaged."""

from __future__ import annotations

import itertools
import math

import numpy as np


def answer_knowing(tree, table, i, known, answers):
    """The answer for row i of a tree that may look at the columns `known` alone."""

    def below(node):
        if tree.is_leaf[node]:
            return answers[node]
        children, share = tree.children_of(node), tree.share(node)
        j = tree.feature[node]
        column, child = table.columns[j], -1
        if j in known:
            cell = column.values[i]
            if not column.missing[i]:
                nominal = tree.route_start[node] >= 0
                child = tree.routes_of(node, len(column.categories))[cell] if nominal else cell > tree.threshold[node]
            child = int(tree.missing[node] if child < 0 else child)
        if child >= 0:
            return below(children[child])
        return sum(s * below(c) for s, c in zip(share, children, strict=True))

    return below(0)


def plain_shapley(tree, table, i, answers):
    """Contributions (columns × outputs), interactions (columns × columns × outputs) and the answer without columns."""
    p, k = table.n_columns, answers.shape[1]
    sets = [frozenset(s) for n in range(p + 1) for s in itertools.combinations(range(p), n)]
    worth = {s: answer_knowing(tree, table, i, s, answers) for s in sets}
    parts, pairs = np.zeros((p, k)), np.zeros((p, p, k))
    for s in sets:
        for a in set(range(p)) - s:
            weight = math.factorial(len(s)) * math.factorial(p - len(s) - 1) / math.factorial(p)
            parts[a] += weight * (worth[s | {a}] - worth[s])
            for b in set(range(p)) - s - {a}:
                weight = math.factorial(len(s)) * math.factorial(p - len(s) - 2) / math.factorial(p - 1) / 2
                pairs[a, b] += weight * (worth[s | {a, b}] - worth[s | {a}] - worth[s | {b}] + worth[s])
    each = np.arange(p)
    pairs[each, each] = parts - pairs.sum(axis=1)
    return parts, pairs, worth[frozenset()]

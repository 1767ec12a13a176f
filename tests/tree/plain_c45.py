"""C4.5's growth as J48 does it, written row by row and node by node: slow, plain, and independent of the grower."""

from __future__ import annotations

import math

import numpy as np

from learnt.tree.arrays import TreeArrays

TIE = 1e-6


def grow_plainly(table, codes, weights=None, **how):
    """The unpruned tree as `TreeArrays`; settings as in `PlainC45`."""
    return flat(PlainC45(table, codes, **how).grown(weights))


class PlainC45:
    """Nested dicts: `value`, `children`, and where there is a test `feature` with `threshold` or `routes`.

    `whole` is the table whose values thresholds are taken from, if not `table` itself.
    """

    def __init__(self, table, codes, *, least=2.0, binary=False, mdl=True, n_classes=None, whole=None):
        self.table, self.codes, self.k = table, codes, int(codes.max()) + 1
        self.n_classes, self.whole = n_classes or self.k, whole or table
        self.least, self.binary, self.mdl = least, binary, mdl

    def grown(self, weights=None):
        rows = np.arange(self.table.n_rows)
        self.n_rows = len(rows) if weights is None else sum(weights)
        return self.node(rows, np.ones(len(rows)) if weights is None else np.asarray(weights, float))

    def count(self, rows, weights):
        return np.bincount(self.codes[rows], weights, self.k)

    def node(self, rows, weights):
        counts = self.count(rows, weights)
        node = {"value": counts, "children": []}
        total = counts.sum()
        if total < 2 * self.least - TIE or total - counts.max() <= TIE:
            return node
        test = self.best_test(rows, weights, total)
        if test is None:
            return node
        node |= test
        node["children"] = [self.node(r, w) for r, w in self.split(test, rows, weights)]
        node["missing_weight"] = weights[self.places(test, rows) < 0].sum()
        return node

    def split(self, test, rows, weights):
        """The rows of each branch; those with a missing cell are in all of them, with a part of their weight."""
        place = self.places(test, rows)
        known = np.array([weights[place == c].sum() for c in range(test["n"])])
        part = known / known.sum() if known.sum() > 0 else np.full(test["n"], 1 / test["n"])
        lost = place < 0
        for c in range(test["n"]):
            r = np.concatenate([rows[place == c], rows[lost]])
            w = np.concatenate([weights[place == c], weights[lost] * part[c]])
            yield r[w > 0], w[w > 0]

    # Pruning

    def pruned(self, node, rows, weights, estimate, raising):
        """J48's pruning of a node with its rows; `estimate(weight, errors)` is what a leaf is expected to err."""
        if not node["children"]:
            return node
        parts = list(self.split(node, rows, weights))
        both = list(zip(node["children"], parts, strict=True))
        node["children"] = [self.pruned(child, *part, estimate, raising) for child, part in both]
        sizes = [w.sum() for _, w in parts]
        branch = node["children"][max(range(len(sizes)), key=lambda c: (round(sizes[c], 6), c))]
        as_branch = self.errors(branch, rows, weights, estimate) if raising else math.inf
        as_leaf = self.errors({"children": []}, rows, weights, estimate)
        as_tree = self.errors(node, rows, weights, estimate)
        if as_leaf <= as_tree + 0.1 + TIE and as_leaf <= as_branch + 0.1 + TIE:
            return {"value": self.count(rows, weights), "children": []}
        if as_branch <= as_tree + 0.1 + TIE:
            return self.pruned(self.resent(branch, rows, weights), rows, weights, estimate, raising)
        return node

    def errors(self, node, rows, weights, estimate):
        if node["children"]:
            parts = self.split(node, rows, weights)
            return sum(self.errors(c, *part, estimate) for c, part in zip(node["children"], parts, strict=True))
        counts = self.count(rows, weights)
        return estimate(counts.sum(), counts.sum() - counts.max()) if counts.sum() > 0 else 0.0

    def resent(self, node, rows, weights):
        fresh = node | {"value": self.count(rows, weights)}
        if node["children"]:
            fresh["missing_weight"] = weights[self.places(node, rows) < 0].sum()
            parts = self.split(node, rows, weights)
            fresh["children"] = [self.resent(c, *part) for c, part in zip(node["children"], parts, strict=True)]
        return fresh

    def places(self, test, rows):
        column = self.table.columns[test["feature"]]
        cells, missing = column.values[rows], column.missing[rows]
        if "routes" in test:
            return np.where(missing, -1, np.array(test["routes"])[np.maximum(cells, 0)])
        return np.where(missing, -1, (cells > test["threshold"]).astype(int))

    def best_test(self, rows, weights, total):
        n = self.n_rows
        tests = []
        for j, column in enumerate(self.table.columns):
            known = ~column.missing[rows]
            find = (
                self.numeric if column.kind in ("numeric", "ordinal") else self.equals if self.binary else self.multiway
            )
            test = find(column, rows[known], weights[known], total)
            if test:
                tests.append(test | {"feature": j})
        many = all(c.categories and len(c.categories) >= 0.3 * n - TIE for c in self.table.columns)

        def counted(test):
            column = self.table.columns[test["feature"]]
            return not column.categories or many or len(column.categories) < 0.3 * n - TIE

        usual = [t["gain"] for t in tests if counted(t)]
        if not usual:
            return None
        best, ratio = None, 0.0
        for test in tests:
            if test["gain"] >= sum(usual) / len(usual) - 1e-3 and test["ratio"] > ratio + TIE:
                best, ratio = test, test["ratio"]
        if best is not None and "threshold" in best:
            column = self.whole.columns[best["feature"]]
            values = column.values[~column.missing]
            best["threshold"] = float(values[values <= best["threshold"]].max())
        return best

    def multiway(self, column, rows, weights, total):
        m = len(column.categories)
        bags = np.array(
            [self.count(rows[column.values[rows] == c], weights[column.values[rows] == c]) for c in range(m)]
        )
        if np.sum(bags.sum(axis=1) >= self.least - TIE) < 2:
            return None
        gain = gain_of(bags, total)
        return {"gain": gain, "ratio": ratio_of(bags, total, gain), "n": m, "routes": list(range(m))}

    def equals(self, column, rows, weights, total):
        m = len(column.categories)
        bags = np.array(
            [self.count(rows[column.values[rows] == c], weights[column.values[rows] == c]) for c in range(m)]
        )
        found = None
        for c in range(m):
            two = np.array([bags[c], bags.sum(axis=0) - bags[c]])
            if (two.sum(axis=1) >= self.least - TIE).all():
                gain = gain_of(two, total)
                ratio = ratio_of(two, total, gain)
                if found is None:
                    found = {"gain": 0.0, "ratio": 0.0, "value": c}
                if c == 0 or ratio > found["ratio"] + TIE:
                    found = {"gain": gain, "ratio": ratio, "value": c}
        if found is not None:
            value = found.pop("value")
            found |= {"n": 2, "routes": [0 if c == value else 1 for c in range(m)]}
        return found

    def numeric(self, column, rows, weights, total):
        if not len(rows):
            return None
        order = np.argsort(column.values[rows], kind="stable")
        rows, weights = rows[order], weights[order]
        x = column.values[rows].astype(float)
        known = weights.sum()
        least = 0.1 * known / self.n_classes
        least = self.least if least <= self.least + TIE else min(least, 25)
        best, cut, tried = 0.0, None, 0
        left = np.zeros(self.k)
        whole = self.count(rows, weights)
        for i in range(len(rows) - 1):
            left[self.codes[rows[i]]] += weights[i]
            if x[i] + 1e-5 < x[i + 1]:
                bags = np.array([left, whole - left])
                if (bags.sum(axis=1) >= least - TIE).all():
                    tried += 1
                    gain = gain_of(bags, total)
                    if gain > best + TIE:
                        best, cut, bags_of_best = gain, i, bags.copy()
        if not tried:
            return None
        gain = best - (math.log2(tried) / total if self.mdl else 0.0)
        if gain <= TIE:
            return None
        middle = (x[cut] + x[cut + 1]) / 2
        return {"gain": gain, "ratio": ratio_of(bags_of_best, total, gain), "n": 2, "threshold": float(middle)}


def xlog2x(x):
    x = np.asarray(x, float)
    return x * np.log2(np.where(x > 0, x, 1.0))


def gain_of(bags, total):
    """Information gained about the known rows, times their share of all."""
    known = bags.sum()
    whole = xlog2x(known) - xlog2x(bags.sum(axis=0)).sum()
    parts = xlog2x(bags.sum(axis=1)).sum() - xlog2x(bags).sum()
    gain = known / total * (whole - parts)
    return 0.0 if abs(gain) < TIE else gain / known


def ratio_of(bags, total, gain):
    split = xlog2x(total) - xlog2x(bags.sum(axis=1)).sum() - xlog2x(max(total - bags.sum(), 0.0))
    return 0.0 if abs(split) < TIE else gain / (split / total)


def flat(root):
    """Nested dicts as `TreeArrays`."""
    fields = {
        name: []
        for name in (
            "feature",
            "threshold",
            "child_start",
            "n_children",
            "route_start",
            "n_routes",
            "weight",
            "value",
            "missing_weight",
        )
    }
    children, routes = {}, []

    def visit(node, above=None):
        i, value = len(fields["feature"]), node["value"]
        fields["feature"].append(node.get("feature", -1))
        fields["threshold"].append(node.get("threshold", np.nan))
        fields["n_children"].append(len(node["children"]))
        fields["child_start"].append(0)
        fields["route_start"].append(len(routes) if "routes" in node else -1)
        fields["n_routes"].append(len(node.get("routes", [])))
        fields["weight"].append(value.sum())
        value = value if value.sum() > 0 else above
        fields["value"].append(value)
        fields["missing_weight"].append(node.get("missing_weight", 0.0))
        routes.extend(node.get("routes", []))
        children[i] = [visit(child, value) for child in node["children"]]
        return i

    visit(root)
    order = []
    for i in range(len(children)):
        fields["child_start"][i] = len(order)
        order += children[i]
    value = np.array(fields["value"])
    share = value / value.sum(axis=1, keepdims=True)
    impurity = -np.sum(share * np.log2(np.where(share > 0, share, 1)), axis=1)
    n = len(children)
    return TreeArrays(
        **{name: np.array(v) for name, v in fields.items()},
        children=np.array(order, dtype=np.int32),
        route_codes=np.concatenate([np.arange(n) for n in fields["n_routes"]]).astype(np.int32),
        routes=np.array(routes, dtype=np.int32),
        otherwise=np.full(n, -1, dtype=np.int32),
        missing=np.full(n, -1, dtype=np.int32),
        impurity=impurity,
    )

"""C4.5's growth as J48 does it, written row by row and node by node: slow, plain, and independent of the grower."""

from __future__ import annotations

import math

import numpy as np

from learnt.tree.arrays import TreeArrays

TIE = 1e-6


def grow_plainly(
    table,
    codes,
    weights=None,
    *,
    least=2.0,
    binary=False,
    mdl=True,
    n_classes=None,
    whole=None,
):
    """The unpruned tree. `whole` is the table whose values thresholds are taken from, if not `table` itself."""
    weights = np.ones(table.n_rows) if weights is None else np.asarray(weights, float)
    grower = _Grower(table, codes, n_classes or int(codes.max()) + 1, least, binary, mdl, whole or table)
    return flat(grower.node(np.arange(table.n_rows), weights))


class _Grower:
    def __init__(self, table, codes, n_classes, least, binary, mdl, whole):
        self.table, self.codes, self.k = table, codes, int(codes.max()) + 1
        self.n_classes, self.least, self.binary, self.mdl, self.whole = n_classes, least, binary, mdl, whole

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
        place = self.places(test, rows)
        known = [weights[place == c].sum() for c in range(test["n"])]
        lost = place < 0
        node["missing_weight"] = weights[lost].sum()
        for c in range(test["n"]):
            part = known[c] / sum(known)
            r = np.concatenate([rows[place == c], rows[lost]])
            w = np.concatenate([weights[place == c], weights[lost] * part])
            child = self.node(r[w > 0], w[w > 0])
            if child["value"].sum() == 0:
                child["empty"] = True
                child["value"] = counts
            node["children"].append(child)
        return node

    def places(self, test, rows):
        column = self.table.columns[test["feature"]]
        cells, missing = column.values[rows], column.missing[rows]
        if "routes" in test:
            return np.where(missing, -1, np.array(test["routes"])[np.maximum(cells, 0)])
        return np.where(missing, -1, (cells > test["threshold"]).astype(int))

    def best_test(self, rows, weights, total):
        n = self.whole.n_rows
        tests = []
        for j, column in enumerate(self.table.columns):
            known = ~column.missing[rows]
            find = self.numeric if column.kind in ("numeric", "ordinal") else self.equals if self.binary else self.multiway
            test = find(column, rows[known], weights[known], total)
            if test:
                tests.append(test | {"feature": j})
        many = all(c.kind == "nominal" and len(c.categories) >= 0.3 * n - TIE for c in self.table.columns)

        def counted(test):
            column = self.table.columns[test["feature"]]
            return column.kind != "nominal" or many or len(column.categories) < 0.3 * n - TIE

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
        bags = np.array([self.count(rows[column.values[rows] == c], weights[column.values[rows] == c]) for c in range(m)])
        if np.sum(bags.sum(axis=1) >= self.least - TIE) < 2:
            return None
        gain = gain_of(bags, total)
        return {"gain": gain, "ratio": ratio_of(bags, total, gain), "n": m, "routes": list(range(m))}

    def equals(self, column, rows, weights, total):
        m = len(column.categories)
        bags = np.array([self.count(rows[column.values[rows] == c], weights[column.values[rows] == c]) for c in range(m)])
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
        for name in ("feature", "threshold", "child_start", "n_children", "route_start", "weight", "value", "missing_weight")
    }
    children, routes = {}, []

    def visit(node):
        i = len(fields["feature"])
        fields["feature"].append(node.get("feature", -1))
        fields["threshold"].append(node.get("threshold", np.nan))
        fields["n_children"].append(len(node["children"]))
        fields["child_start"].append(0)
        fields["route_start"].append(len(routes) if "routes" in node else -1)
        fields["weight"].append(0.0 if node.get("empty") else node["value"].sum())
        fields["value"].append(node["value"])
        fields["missing_weight"].append(node.get("missing_weight", 0.0))
        routes.extend(node.get("routes", []))
        children[i] = [visit(child) for child in node["children"]]
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
        routes=np.array(routes, dtype=np.int32),
        missing=np.full(n, -1, dtype=np.int32),
        impurity=impurity,
    )

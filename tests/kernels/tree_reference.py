"""Every node of a grown tree held against the definitions, by trying all splits the slow way."""

import itertools
from dataclasses import dataclass

import numpy as np

CLOSE = 1e-9


def impurity(criterion, y, w, k):
    if w.sum() <= 0:
        return 0.0
    if criterion == "mse":
        mean = np.average(y, weights=w)
        return float(np.average((y - mean) ** 2, weights=w))
    if criterion == "mae":
        return float(np.average(np.abs(y - median(y, w)), weights=w))
    shares = np.bincount(y, weights=w, minlength=k) / w.sum()
    if criterion == "gini":
        return float(1 - (shares**2).sum())
    if criterion == "misclassification":
        return float(1 - shares.max())
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def median(y, w):
    """The middle of all numbers that minimise Σ w |y − m|."""
    order = np.argsort(y, kind="stable")
    y, below = y[order], np.cumsum(w[order])
    half = below[-1] / 2
    low = y[np.searchsorted(below, half - CLOSE)]
    high = y[np.searchsorted(below, half + CLOSE)]
    return (low + high) / 2


@dataclass
class Candidate:
    column: int
    shares: np.ndarray  # rows × children: which part of each row goes where
    missing: int
    threshold: float = np.nan
    gain: float = 0.0
    ratio: float = 0.0


class Reference:
    def __init__(self, columns, n_categories, y, w, options, k, exhaustive=False):
        self.exhaustive = exhaustive
        self.columns, self.n_categories, self.y, self.o, self.k = columns, n_categories, y, options, k
        self.w = np.ones(len(y)) if w is None else w
        self.total = self.w.sum()

    def known(self, j, rows):
        cells = self.columns[j][rows]
        return cells >= 0 if self.n_categories[j] else ~np.isnan(cells)

    def candidates(self, j, rows, w):
        cells, known, o = self.columns[j][rows], self.known(j, rows), self.o
        levels = np.unique(cells[known])
        if self.n_categories[j] == 0:
            for a, b in itertools.pairwise(levels):
                yield from self.placed(j, rows, w, known, (cells > a).astype(int), 2, (a + b) / 2)
        elif o.nominal == "multiway":
            yield from self.placed(j, rows, w, known, cells.astype(int), self.n_categories[j])
        elif o.nominal == "equals":
            for v in levels:
                yield from self.placed(j, rows, w, known, (cells != v).astype(int), 2)
        else:
            for left in self.left_sets(j, rows, w, levels):
                yield from self.placed(j, rows, w, known, (~np.isin(cells, left)).astype(int), 2)
        if (
            o.missing == "learned"
            and known.any()
            and not known.all()
            and (self.n_categories[j] == 0 or o.nominal != "multiway")
        ):
            yield Candidate(j, np.eye(2)[(~known).astype(int)], 1, np.inf)

    def left_sets(self, j, rows, w, levels):
        """All ways to take levels to the left; with two classes, or numbers, those in line with their means."""
        if self.exhaustive or self.k > 2:
            return [left for n in range(1, len(levels)) for left in itertools.combinations(levels[:-1], n)]
        cells, y = self.columns[j][rows], self.y[rows]
        means = [(w * y)[cells == level].sum() / w[cells == level].sum() for level in levels]
        order = levels[np.argsort(means, kind="stable")]
        return [order[:n] for n in range(1, len(levels))]

    def placed(self, j, rows, w, known, child, n, threshold=np.nan):
        """The candidate with its missing cells put where the setting says."""
        weight = np.bincount(child[known], weights=w[known], minlength=n)
        shares = np.eye(n)[np.where(known, child, 0)]
        lost = ~known
        mode = self.o.missing
        heaviest = int(weight.argmax())
        if mode == "fractional":
            shares[lost] = weight / weight.sum()
            yield Candidate(j, shares, -1, threshold)
        elif mode == "class_majority":
            for c in range(self.k):
                of_class = known & (self.y[rows] == c)
                by = np.bincount(child[of_class], weights=w[of_class], minlength=n)
                shares[lost & (self.y[rows] == c)] = np.eye(n)[by.argmax() if by.any() else heaviest]
            yield Candidate(j, shares, heaviest, threshold)
        elif mode == "learned" and lost.any():
            for b in np.flatnonzero(weight > 0):
                moved = shares.copy()
                moved[lost] = np.eye(n)[b]
                yield Candidate(j, moved, int(b), threshold)
        else:
            shares[lost] = np.eye(n)[heaviest]
            yield Candidate(j, shares, heaviest, threshold)

    def judged(self, candidate, rows, w):
        """The candidate with its gain and ratio, or None if its branches are too light."""
        o, y = self.o, self.y[rows]
        known = self.known(candidate.column, rows)
        use = known if o.missing == "fractional" else np.ones(len(rows), bool)
        parts = w[use, None] * candidate.shares[use]
        weight = parts.sum(axis=0)
        least = o.min_samples_leaf
        if o.j48_numeric_minimum and self.n_categories[candidate.column] == 0:
            wanted = 0.1 * w[known].sum() / o.n_declared_classes
            least = least if wanted <= least else min(wanted, 25.0)
            if known.sum() < 2 * least:
                return None
        large = weight >= least - CLOSE
        multiway = self.n_categories[candidate.column] and o.nominal == "multiway"
        if (weight > 0).sum() < 2:
            return None
        if large.sum() < 2 if o.min_branches and multiway else not large[weight > 0].all():
            return None
        before = impurity(o.criterion, y[use], w[use], self.k) * w[use].sum()
        after = sum(impurity(o.criterion, y[use], part, self.k) * part.sum() for part in parts.T if part.sum() > 0)
        candidate.gain = (before - after) / w.sum()
        branches = [*weight, w[~use].sum()]
        information = sum(-b / w.sum() * np.log2(b / w.sum()) for b in branches if b > 0)
        candidate.ratio = candidate.gain / information if information > 1e-6 else 0.0
        return candidate

    def best_of_column(self, j, rows, w):
        """All candidates of a column that are as good as its best."""
        o = self.o
        all_ = [c for c in (self.judged(c, rows, w) for c in self.candidates(j, rows, w)) if c is not None]
        if not all_:
            return []
        numeric = self.n_categories[j] == 0
        if not numeric:  # where missing cells go is learned by gain, whatever columns are compared by
            known, ways = self.known(j, rows), {}
            for c in all_:
                ways.setdefault((c.shares[known].tobytes(), c.threshold), []).append(c)
            all_ = [c for group in ways.values() for c in group if c.gain >= max(d.gain for d in group) - CLOSE]
        by = (lambda c: c.ratio) if o.criterion == "gain_ratio" and not numeric else (lambda c: c.gain)
        top = max(by(c) for c in all_)
        best = [c for c in all_ if by(c) >= top - CLOSE]
        if o.average_gain and numeric and top <= 1e-6:
            return []
        if o.mdl_correction and numeric:
            paid = np.log2(len(all_)) / w.sum()
            for c in best:
                c.ratio, c.gain = c.ratio * (c.gain - paid) / c.gain, c.gain - paid
            best = [c for c in best if c.gain > 1e-6]
        return best

    def score(self, c):
        if self.o.feature_costs is not None:
            return c.gain**2 / self.o.feature_costs[c.column]
        return c.ratio if self.o.criterion == "gain_ratio" else c.gain

    def acceptable(self, rows, w):
        """All splits that may stand at a node; None is among them if it may be a leaf."""
        o = self.o
        columns = [self.best_of_column(j, rows, w) for j in range(len(self.columns))]
        found = [c for best in columns for c in best]
        if o.average_gain and found:
            gains = [best[0].gain for best in columns if best]
            found = [c for c in found if c.gain >= np.mean(gains) - 1e-3 - CLOSE]
        if not found:
            return [None]
        top = max(self.score(c) for c in found)
        allowed = [c for c in found if self.score(c) >= top - (1e-6 if o.average_gain else 0) - CLOSE]
        if o.average_gain and top <= 1e-6:
            return [None]
        decrease = min(c.gain for c in allowed) * w.sum() / self.total
        return [None] if decrease < o.min_impurity_decrease - CLOSE else allowed

    def check(self, tree):
        """Raises where a node of the tree is not what the definitions say."""
        used = self.w > 0
        stack = [(0, np.flatnonzero(used), self.w[used], 0)]
        while stack:
            node, rows, w, depth = stack.pop()
            self.check_contents(tree, node, rows, w)
            o = self.o
            pure = impurity("gini" if self.k else "mse", self.y[rows], w, self.k) < 1e-12
            stops = (
                pure
                or (o.max_depth is not None and depth >= o.max_depth)
                or w.sum() < o.min_samples_split - CLOSE
                or w.sum() < 2 * o.min_samples_leaf - CLOSE
            )
            allowed = [None] if stops else self.acceptable(rows, w)
            if tree.n_children[node] == 0:
                assert None in allowed, f"node {node} could have been split by {allowed[0]}"
                continue
            assert allowed != [None], f"node {node} should be a leaf"
            chosen = self.identify(tree, node, rows, allowed)
            known = self.known(chosen.column, rows)
            np.testing.assert_allclose(tree.missing_weight[node], w[~known].sum(), atol=CLOSE)
            for b, child in enumerate(tree.children_of(node)):
                part = w * chosen.shares[:, b]
                if part.sum() > 0:
                    stack.append((int(child), rows[part > 0], part[part > 0], depth + 1))
                else:
                    assert tree.weight[child] == 0
                    np.testing.assert_array_equal(tree.value[child], tree.value[node])

    def check_contents(self, tree, node, rows, w):
        y = self.y[rows]
        np.testing.assert_allclose(tree.weight[node], w.sum(), rtol=1e-9)
        np.testing.assert_allclose(tree.impurity[node], impurity(self.o.criterion, y, w, self.k), atol=1e-8)
        if self.k:
            np.testing.assert_allclose(tree.value[node], np.bincount(y, weights=w, minlength=self.k), atol=1e-9)
        else:
            want = median(y, w) if self.o.criterion == "mae" else np.average(y, weights=w)
            np.testing.assert_allclose(tree.value[node, 0], want, atol=1e-9)

    def identify(self, tree, node, rows, allowed):
        """Which of the allowed splits the node has."""
        j, missing = int(tree.feature[node]), int(tree.missing[node])
        cells, known = self.columns[j][rows], self.known(j, rows)
        if self.n_categories[j]:
            child = tree.routes_of(node, self.n_categories[j])[np.where(known, cells, 0).astype(int)][known]
        else:
            child = (~(cells <= tree.threshold[node]))[known]
        for c in (c for c in allowed if c.column == j and c.shares.shape[1] == tree.n_children[node]):
            want = c.shares[known].argmax(axis=1)
            if c.missing == missing and (child == want).all():
                return c
            # two sets may be named the other way round, with their missing cells (of which there may be none)
            flipped = known.all() or missing == (c.missing if c.missing < 0 else 1 - c.missing)
            if self.n_categories[j] and self.o.nominal == "subset" and flipped and (child != want).all():
                return Candidate(j, c.shares[:, ::-1], missing)
        raise AssertionError(f"node {node} splits column {j} at {tree.threshold[node]}; allowed: {allowed}")

"""Workloads: fixed-seed data, the task (in the docstring) and a library-neutral quality score.

make(rng) returns a dict of inputs, pickled once under $BENCH_DATA (default: learnt_bench_data in the
temporary folder).
"""

import os
import pickle
import tempfile

import numpy as np

from scores import (
    accuracy,
    ari,
    auc,
    best_logloss,
    best_machine,
    dual_objective,
    log_loss,
    machine_subopt,
    r2,
    recall_knn,
    rel_subopt,
)

DATA = os.environ.get("BENCH_DATA", os.path.join(tempfile.gettempdir(), "learnt_bench_data"))
ALL = {}


class Workload:
    def __init__(self, name, make, metric, score, warm=None, target=None, higher=True):
        self.name, self.make, self.metric, self.score = name, make, metric, score
        self.doc = (make.__doc__ or "").strip()
        self._warm, self.target, self.higher = warm, target, higher

    def path(self):
        return os.path.join(DATA, self.name + ".pkl")

    def prepare(self):
        if not os.path.exists(self.path()):
            os.makedirs(DATA, exist_ok=True)
            d = self.make(np.random.default_rng(12345))
            with open(self.path() + ".tmp", "wb") as f:
                pickle.dump(d, f, protocol=5)
            os.replace(self.path() + ".tmp", self.path())

    def load(self):
        with open(self.path(), "rb") as f:
            return pickle.load(f)

    def warm(self, d):
        """A small version of the inputs, for the untimed warm-up (thread pools, lazy imports, JIT)."""
        if self._warm:
            return self._warm(d)
        return {k: (v[:1000] if k in ("X", "y", "Xt", "yt", "Xcat", "Xtcat") else v) for k, v in d.items()}


def workload(name, metric, score, **kw):
    def deco(make):
        ALL[name] = Workload(name, make, metric, score, **kw)
        return make

    return deco


def _nonlinear(rng, n, dim, scale=1.5, dtype=np.float32):
    X = rng.standard_normal((n, dim), dtype=np.float32)
    f = (
        1.2 * X[:, 0] * X[:, 1]
        + np.sin(3 * X[:, 2])
        + 0.8 * np.abs(X[:, 3])
        - 0.64
        + 0.6 * X[:, 4] * X[:, 5] * X[:, 6]
        + 0.4 * X[:, 7]
        + 0.3 * np.maximum(X[:, 8], X[:, 9])
        - 0.17
        + X[:, 10:] @ np.linspace(0.3, 0, dim - 10, dtype=np.float32)
    )
    y = (rng.random(n) < 1 / (1 + np.exp(-scale * f))).astype(np.int32)
    return X.astype(dtype, copy=False), y


def _split(X, y, n_test):
    return {
        "X": X[:-n_test].copy(),
        "y": y[:-n_test].copy(),
        "Xt": X[-n_test:].copy(),
        "yt": y[-n_test:].copy(),
    }


# ---------------------------------------------------------------- trees
@workload("cart", "accuracy", accuracy)
def _(rng):
    """CART classification, 500k x 20 float32, no depth limit, min_samples_leaf=20; predict 100k."""
    return _split(*_nonlinear(rng, 600_000, 20, 3.0), 100_000)


@workload("forest", "AUC", auc)
def _(rng):
    """Random forest, 100 trees, 100k x 30 float32, sqrt features, min leaf 5; predict 50k."""
    return _split(*_nonlinear(rng, 150_000, 30), 50_000)


@workload("iforest", "AUC", auc)
def _(rng):
    """Isolation forest, 100 trees of 256 rows, 1M x 20 float64, 1 % of the rows odd; fit and score all."""
    X = rng.standard_normal((1_000_000, 20))
    odd = rng.random(len(X)) < 0.01
    X[odd] *= 2.5
    return {"X": X, "yt": odd.astype(np.int32)}


@workload("label_spreading", "accuracy", accuracy)
def _(rng):
    """Label spreading over 10 neighbours, 100k x 10 float64, 5 classes, 1 % of the rows labelled."""
    y = rng.integers(0, 5, 100_000)
    X = 2 * rng.standard_normal((5, 10))[y] + rng.standard_normal((len(y), 10))
    return {"X": X, "y": np.where(rng.random(len(y)) < 0.01, y, -1), "yt": y}


@workload("gbdt", "AUC", auc)
def _(rng):
    """Boosting, 100 rounds x 63 leaves, lr 0.1, 255 bins, 1M x 28 float32; predict 200k."""
    return _split(*_nonlinear(rng, 1_200_000, 28), 200_000)


@workload("gbdt_cat", "AUC", auc)
def _(rng):
    """Boosting, 100 rounds x 63 leaves, 300k rows, 10 numeric (10% missing) + 10 categorical (200..5000 levels)."""
    n = 350_000
    X, _ = _nonlinear(rng, n, 11)
    X = X[:, :10].copy()
    f = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3]
    cats = np.empty((n, 10), np.int32)
    for j, card in enumerate(np.geomspace(200, 5000, 10).astype(int)):
        cats[:, j] = np.minimum((card * rng.random(n) ** 2).astype(np.int32), card - 1)
        f += 0.6 * rng.standard_normal(card)[cats[:, j]]
    y = (rng.random(n) < 1 / (1 + np.exp(-f))).astype(np.int32)
    X[rng.random(X.shape) < 0.1] = np.nan
    d = _split(X, y, 50_000)
    d.update(Xcat=cats[:-50_000].copy(), Xtcat=cats[-50_000:].copy())
    return d


@workload("adaboost", "accuracy", accuracy)
def _(rng):
    """AdaBoost, 100 depth-1 stumps, 200k x 20 float32; predict 50k."""
    return _split(*_nonlinear(rng, 250_000, 20), 50_000)


# ---------------------------------------------------------------- naive Bayes
@workload("gnb", "accuracy", accuracy)
def _(rng):
    """Gaussian naive Bayes, 2M x 30 float64, 5 classes; predict 500k."""
    y = rng.integers(0, 5, 2_500_000).astype(np.int32)
    X = rng.standard_normal((2_500_000, 30))
    X *= rng.uniform(0.7, 1.5, (5, 30))[y]
    X += 0.3 * rng.standard_normal((5, 30))[y]
    return _split(X, y, 500_000)


@workload("bow_mnb", "accuracy", accuracy)
def _(rng):
    """Bag of words + multinomial NB from raw strings, 20k docs x ~200 words, Zipf vocabulary 50k, 20 classes; predict 5k docs."""
    V, K, n = 50_000, 20, 25_000
    words = np.array([f"w{i}x" for i in rng.permutation(V)])
    base = 1.0 / np.arange(1, V + 1) ** 1.05
    y, docs = rng.integers(0, K, n).astype(np.int32), [None] * n
    for c in range(K):
        p = base.copy()
        p[rng.choice(V, 2000, replace=False)] *= 4.0
        cdf = np.cumsum(p) / p.sum()
        for i in np.flatnonzero(y == c):
            ids = np.minimum(np.searchsorted(cdf, rng.random(max(20, rng.poisson(200)))), V - 1)
            docs[i] = " ".join(words[ids])
    return {"X": docs[:20_000], "y": y[:20_000], "Xt": docs[20_000:], "yt": y[20_000:]}


# ---------------------------------------------------------------- linear models
@workload("logreg_dense", "rel.subopt", rel_subopt, target=1e-4, higher=False)
def _(rng):
    """Binary L2 logistic regression C=1 with intercept, 500k x 50 float64 correlated, badly scaled; time to 1e-4 relative objective."""
    n, dim = 600_000, 50
    X = rng.standard_normal((n, dim)) @ (np.eye(dim) + 0.3 * rng.standard_normal((dim, dim)))
    X *= np.geomspace(0.2, 5, dim)
    w = rng.standard_normal(dim) / (np.geomspace(0.2, 5, dim) * 8)
    y = (rng.random(n) < 1 / (1 + np.exp(-(X @ w + 0.3)))).astype(np.int32)
    d = _split(X, y, 100_000)
    d.update(C=1.0, best=best_logloss(d["X"], d["y"], 1.0, True))
    return d


@workload("logreg_sparse", "rel.subopt", rel_subopt, target=1e-4, higher=False)
def _(rng):
    """Binary L2 logistic regression C=1, no intercept, CSR 100k x 50k, ~60 nnz/row, unit rows; time to 1e-4 relative objective."""
    d = _words(rng)
    d["best"] = best_logloss(d["X"], d["y"], 1.0, False)
    return d


def _words(rng):
    """Rows of words drawn by Zipf's law, weighted as texts are, with two classes."""
    from scipy.sparse import csr_matrix

    n, V, L = 120_000, 50_000, 70
    cdf = np.cumsum(1.0 / np.arange(1, V + 1))
    ids = np.searchsorted(cdf / cdf[-1], rng.random((n, L)))
    X = csr_matrix((np.ones(n * L), (np.repeat(np.arange(n), L), ids.ravel())), shape=(n, V))
    X.sum_duplicates()
    idf = np.log(n / (1.0 + np.bincount(X.indices, minlength=V))) + 1
    X.data = (1 + np.log(X.data)) * idf[X.indices]
    norm = np.sqrt(np.asarray(X.multiply(X).sum(1)).ravel())
    X.data /= np.repeat(norm, np.diff(X.indptr))
    w = rng.standard_normal(V) * 3
    y = (rng.random(n) < 1 / (1 + np.exp(-(X @ w)))).astype(np.int32)
    return {"X": X[:100_000], "y": y[:100_000], "Xt": X[100_000:], "yt": y[100_000:], "C": 1.0}


def _linear(rng):
    n, dim = 1_100_000, 100
    X = rng.standard_normal((n, dim))
    X[:, 1:] += 0.5 * X[:, :-1]
    y = X @ rng.standard_normal(dim) + 5 * rng.standard_normal(n) + 2.0
    return _split(X, y, 100_000)


@workload("ols", "R2", r2)
def _(rng):
    """Ordinary least squares with intercept, 1M x 100 float64; predict 100k."""
    return _linear(rng)


@workload("ridge", "R2", r2)
def _(rng):
    """Ridge alpha=1 with intercept, 1M x 100 float64; predict 100k."""
    return _linear(rng)


def lasso_gap(d, p, x):
    """Largest duality gap along the path, relative to the objective at w = 0."""
    X, y, W, n, worst = d["X"], d["y"], np.asarray(x["coefs"]), len(d["y"]), 0.0
    R = y[:, None] - X @ W
    C = np.abs(X.T @ R).max(0)
    for j, a in enumerate(d["alphas"]):
        r = R[:, j]
        primal = r @ r / (2 * n) + a * np.abs(W[:, j]).sum()
        dual = (y @ y - np.sum((y - a * n * r / max(a * n, C[j])) ** 2)) / (2 * n)
        worst = max(worst, (primal - dual) / (y @ y / (2 * n)))
    return float(worst)


def _warm_lasso(d):
    X, y = np.asfortranarray(d["X"][:200, :500]), d["y"][:200]
    return {"X": X, "y": y, "alphas": np.abs(X.T @ y).max() / 200 * np.geomspace(1, 0.1, 5)}


@workload("lasso_path", "max rel.gap", lasso_gap, warm=_warm_lasso, target=1e-4, higher=False)
def _(rng):
    """Lasso path, 50 alphas down to alpha_max/50, 2000 x 20000 float64 Fortran order, no intercept; time to gap 1e-4."""
    n, p = 2000, 20_000
    X = np.asfortranarray(rng.standard_normal((n, p)))
    for j in range(1, p):
        X[:, j] = 0.6 * X[:, j - 1] + 0.8 * X[:, j]
    w = np.zeros(p)
    w[rng.choice(p, 100, replace=False)] = rng.standard_normal(100)
    y = X @ w
    y += rng.standard_normal(n) * y.std() / 3
    return {"X": X, "y": y, "alphas": np.abs(X.T @ y).max() / n * np.geomspace(1, 1 / 50, 50)}


# ---------------------------------------------------------------- machines of support vectors
@workload("svm_rbf", "dual objective", dual_objective)
def _(rng):
    """SVC, RBF, C=1, gamma=1/30, tol 1e-3, 20k x 30 float64; predict 10k."""
    return {**_split(*_nonlinear(rng, 30_000, 30, 3.0, np.float64), 10_000), "gamma": 1 / 30}


@workload("svr", "dual objective", dual_objective)
def _(rng):
    """SVR, RBF, C=1, epsilon=0.1, gamma=1/20, tol 1e-3, 20k x 20 float64; predict 10k."""
    X = rng.standard_normal((30_000, 20))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + 0.2 * rng.standard_normal(len(X))
    return {**_split(X, y, 10_000), "gamma": 1 / 20, "epsilon": 0.1}


@workload("svm_multiclass", "dual objective", dual_objective)
def _(rng):
    """SVC, RBF, C=1, gamma=1/50, tol 1e-3, 10 classes x 2,000 rows x 50 float64; predict 10k."""
    centers = 0.5 * rng.standard_normal((10, 50))
    y = np.repeat(np.arange(10), 3000)[rng.permutation(30_000)]
    return {**_split(centers[y] + rng.standard_normal((30_000, 50)), y, 10_000), "gamma": 1 / 50}


@workload("svm_linear", "rel.subopt", machine_subopt, target=1e-3, higher=False)
def _(rng):
    """Linear SVM, squared hinge, C=1, no intercept, CSR 100k x 50k, ~60 nnz/row, unit rows; time to 1e-3 relative objective."""
    d = _words(rng)
    d["best"] = best_machine(d["X"], d["y"], 1.0)
    return d


# ---------------------------------------------------------------- neighbours
@workload("knn_brute", "recall", recall_knn)
def _(rng):
    """Exact k-NN search, k=10, 100k x 64 float32 base, 10k queries, Euclidean."""
    c = rng.standard_normal((50, 64), dtype=np.float32)
    X = c[rng.integers(0, 50, 110_000)] + rng.standard_normal((110_000, 64), dtype=np.float32)
    return {"X": X[:100_000].copy(), "Xt": X[100_000:].copy(), "k": 10}


@workload("knn_3d", "recall", recall_knn)
def _(rng):
    """Exact k-NN search, k=8, 1M x 3 float64 base, 100k queries; fit = build the tree."""
    c = rng.random((200, 3))
    X = c[rng.integers(0, 200, 1_100_000)] + 0.05 * rng.standard_normal((1_100_000, 3))
    return {"X": X[:1_000_000].copy(), "Xt": X[1_000_000:].copy(), "k": 8}


# ---------------------------------------------------------------- clustering, density, projection
def inertia(d, p, x):
    X, C = d["X"][::10].astype(np.float64), np.asarray(x["centers"], np.float64)
    return float(np.mean(((X**2).sum(1)[:, None] - 2 * X @ C.T + (C**2).sum(1)).min(1)))


@workload("kmeans", "mean inertia", inertia, higher=False)
def _(rng):
    """Lloyd k-means, k=100, 500k x 32 float32, given start, exactly 20 iterations; predict the 500k."""
    c = rng.standard_normal((100, 32), dtype=np.float32)
    X = c[rng.integers(0, 100, 500_000)] + rng.standard_normal((500_000, 32), dtype=np.float32)
    return {"X": X, "init": X[rng.choice(500_000, 100, replace=False)].copy(), "iters": 20}


def loglik_mean(d, p, x):
    return float(np.mean(p))


@workload("gmm", "mean loglik", loglik_mean)
def _(rng):
    """Gaussian mixture EM, full covariance, k=10, 200k x 10 float64, given start, 20 iterations; predict = log density."""
    k, dim, n = 10, 10, 200_000
    mu, A = 2 * rng.standard_normal((k, dim)), np.eye(dim) + 0.3 * rng.standard_normal((k, dim, dim))
    z = rng.integers(0, k, n)
    X = mu[z] + np.einsum("nij,nj->ni", A[z], rng.standard_normal((n, dim)))
    return {
        "X": X,
        "weights": np.full(k, 1 / k),
        "means": X[:k].copy(),
        "covs": np.repeat(np.cov(X.T)[None], k, 0),
        "iters": 20,
    }


@workload("dbscan", "ARI", ari)
def _(rng):
    """DBSCAN eps=0.02 min_samples=10, 200k x 3 float64, 50 blobs + 10% uniform noise."""
    n, c = 200_000, rng.random((50, 3))
    z = rng.integers(0, 50, n)
    X = c[z] + 0.025 * rng.standard_normal((n, 3))
    z[: n // 10] = -1
    X[: n // 10] = rng.random((n // 10, 3))
    o = rng.permutation(n)
    return {"X": X[o], "truth": z[o], "eps": 0.02, "min_samples": 10}


def heights(d, p, x):
    return float(np.asarray(p)[:, 2].sum())


@workload("ward", "sum heights", heights, higher=False)
def _(rng):
    """Ward hierarchical clustering of 20k x 10 float64, full linkage matrix."""
    c = 3 * rng.standard_normal((30, 10))
    return {"X": c[rng.integers(0, 30, 20_000)] + rng.standard_normal((20_000, 10))}


def explained(d, p, x):
    V = np.asarray(x["components"], np.float64)
    X = d["X"][::20] - d["X"].mean(0)
    return float(((X @ V.T) ** 2).sum() / (X**2).sum())


@workload("pca", "expl.var", explained)
def _(rng):
    """PCA to 20 components, 200k x 200 float64, decaying spectrum; predict = transform the 200k."""
    Q = np.linalg.qr(rng.standard_normal((200, 200)))[0]
    return {"X": (rng.standard_normal((200_000, 200)) * (1 / np.arange(1, 201) ** 0.7)) @ Q + 1.0, "k": 20}


# ---------------------------------------------------------------- neural, sequential, graphical
@workload("mlp", "log loss", log_loss, higher=False)
def _(rng):
    """MLP 784-128(relu)-10, Adam 1e-3, batch 128, one epoch of 60k float32; predict 10k."""
    proto = rng.standard_normal((30, 784), dtype=np.float32) * 0.13
    z = rng.integers(0, 30, 70_000)
    X = np.maximum(proto[z] + rng.standard_normal((70_000, 784), dtype=np.float32), 0)
    return _split(X, (z % 10).astype(np.int64), 10_000)


@workload("mlp_small", "log loss", log_loss, higher=False)
def _(rng):
    """MLP 20-32(relu)-1, Adam 1e-3, batch 32, ten epochs of 10k float32, where overhead rules; predict 10k."""
    X, y = _nonlinear(rng, 20_000, 20, 3.0)
    return _split(X, y.astype(np.int64), 10_000)


def hmm_ll(d, p, x):
    return float(x["loglik"]) / len(d["X"])


@workload("hmm", "loglik/step", hmm_ll)
def _(rng):
    """Gaussian HMM Baum-Welch, 5 states, 4-d diagonal, one 200k-step sequence, given start, 10 iterations; predict = Viterbi path."""
    K, dim, T = 5, 4, 200_000
    A = 0.1 * np.ones((K, K)) / (K - 1) + (0.9 - 0.1 / (K - 1)) * np.eye(K)
    cdf, u, z = np.cumsum(A, 1), rng.random(T), np.zeros(T, int)
    for t in range(1, T):
        z[t] = min(int(np.searchsorted(cdf[z[t - 1]], u[t])), K - 1)
    mu = 1.5 * rng.standard_normal((K, dim))
    return {
        "X": mu[z] + rng.standard_normal((T, dim)),
        "start": np.full(K, 1 / K),
        "trans": np.full((K, K), 0.05) + 0.75 * np.eye(K),
        "means": mu + 0.5 * rng.standard_normal((K, dim)),
        "vars": np.full((K, dim), 1.5),
        "iters": 10,
    }


def _bn(rng, parents):
    n = len(parents)
    cpts = [rng.dirichlet([1.0, 1.0], size=(2,) * len(pa)) for pa in parents]  # axes: parents..., self
    queries = []
    for _ in range(100):
        v = rng.choice(n, 6, replace=False)
        queries.append((int(v[0]), {int(i): int(rng.integers(0, 2)) for i in v[1:]}))
    d = {"parents": parents, "cpts": cpts, "queries": queries}
    d["ref"] = np.array([bn_einsum(d, q) for q in queries])
    return d


def bn_einsum(d, q):
    """Reference posterior by one greedy tensor contraction."""
    target, ev = q
    ops = []
    for i, (pa, c) in enumerate(zip(d["parents"], d["cpts"], strict=True)):
        vs = [*pa, i]
        ops += [c[tuple(ev.get(v, slice(None)) for v in vs)], [v for v in vs if v not in ev]]
    p = np.einsum(*ops, [target], optimize="greedy")
    return p / p.sum()


def bn_err(d, p, x):
    return float(np.abs(np.asarray(p) - d["ref"][: len(p)]).max())


def _warm_bn(d):
    return dict(d, queries=d["queries"][:2])


@workload("bn_polytree", "max abs err", bn_err, warm=_warm_bn, higher=False)
def _(rng):
    """Exact inference, random polytree of 40 binary variables; fit = build, predict = 100 posteriors, 5 evidence variables each."""
    parents = [[] for _ in range(40)]
    for i in range(1, 40):
        j = int(rng.integers(max(0, i - 6), i))
        if rng.random() < 0.5 and len(parents[j]) < 3:
            parents[j].append(i)
        else:
            parents[i].append(j)
    return _bn(rng, parents)


@workload("bn_grid", "max abs err", bn_err, warm=_warm_bn, higher=False)
def _(rng):
    """Exact inference, 5 x 8 grid of 40 binary variables (parents: above, left); 100 posteriors, 5 evidence variables each."""
    return _bn(rng, [list(([i - 8] if i >= 8 else []) + ([i - 1] if i % 8 else [])) for i in range(40)])


# ---------------------------------------------------------------- loading
def csv_ok(d, p, x):
    return float(np.prod(p) == d["rows"] * 20)


def _warm_csv(d):
    small = d["path"] + ".small"
    if not os.path.exists(small):
        with open(d["path"]) as f, open(small, "w") as g:
            g.writelines(next(f) for _ in range(2000))
    return {"path": small, "rows": 1999}


@workload("csv", "all cells read", csv_ok, warm=_warm_csv)
def _(rng):
    """Read a 1M x 20 CSV: 10 floats (5% empty in two), 5 ints, 3 short strings, 1 date, 1 bool. fit = read into memory."""
    return _table_csv(rng)


@workload("csv_stream", "all rows read", lambda d, p, x: float(p == d["rows"]), warm=_warm_csv)
def _(rng):
    """The same file in batches of 65,536 rows, of which one is held at a time; with learnt, kinds are found first, from all rows."""
    return _table_csv(rng)


def _table_csv(rng):
    n, path = 1_000_000, os.path.join(DATA, "table.csv")
    if os.path.exists(path):
        return {"path": path, "rows": n}
    F, I = rng.standard_normal((n, 10)), rng.integers(0, 100_000, (n, 5))
    names = np.array([f"cat{i:03d}" for i in range(300)])
    S = names[rng.integers(0, 300, (n, 3))]
    day = (np.datetime64("2020-01-01") + rng.integers(0, 2000, n)).astype(str)
    flag = np.where(rng.random(n) < 0.5, "True", "False")
    miss = rng.random((n, 2)) < 0.05
    with open(path + ".tmp", "w") as f:
        f.write(
            ",".join([f"f{i}" for i in range(10)] + [f"i{i}" for i in range(5)] + ["s0", "s1", "s2", "day", "flag"])
            + "\n"
        )
        for i in range(n):
            fl = [f"{v:.6g}" for v in F[i]]
            if miss[i, 0]:
                fl[0] = ""
            if miss[i, 1]:
                fl[1] = ""
            f.write(",".join(fl + [str(v) for v in I[i]] + [S[i, 0], S[i, 1], S[i, 2], day[i], flag[i]]) + "\n")
    os.replace(path + ".tmp", path)
    return {"path": path, "rows": n}

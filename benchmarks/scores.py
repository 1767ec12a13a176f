"""Library-neutral quality: score(d, p, x) of the data, what predict returned, and the adapter's extras.

Only NumPy and SciPy here, so that scoring never loads a library under test.
"""

import numpy as np


def accuracy(d, p, x):
    return float(np.mean(np.asarray(p).ravel() == d["yt"]))


def log_loss(d, p, x):
    """Of the classes 0, 1, … of the rows predicted; `log_probabilities` is a function of rows."""
    logs = np.asarray(x["log_probabilities"](d["Xt"]), np.float64)
    return float(-logs[np.arange(len(logs)), d["yt"]].mean())


def auc(d, p, x):
    p, y = np.asarray(p, np.float64).ravel(), d["yt"]
    _, inv, cnt = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(cnt) - (cnt - 1) / 2.0)[inv]
    n1 = y.sum()
    return float((rank[y == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(y) - n1)))


def r2(d, p, x):
    y = d["yt"]
    return float(1 - np.sum((y - np.asarray(p).ravel()) ** 2) / np.sum((y - y.mean()) ** 2))


def ari(d, p, x):
    a, b = np.unique(d["truth"], return_inverse=True)[1], np.unique(p, return_inverse=True)[1]
    c = np.bincount(a.astype(np.int64) * (b.max() + 1) + b).astype(float)
    pairs = lambda v: (v * (v - 1) / 2).sum()
    ia, ib, n = pairs(np.bincount(a).astype(float)), pairs(np.bincount(b).astype(float)), len(a)
    e = ia * ib / (n * (n - 1) / 2)
    return float((pairs(c) - e) / ((ia + ib) / 2 - e))


def recall_knn(d, p, x, n_check=100):
    p, k = np.asarray(p), d["k"]
    X = d["X"].astype(np.float64)
    sq, hits = (X**2).sum(1), 0
    for i in np.random.default_rng(0).choice(len(d["Xt"]), n_check, replace=False):
        dist = sq - 2 * X @ d["Xt"][i].astype(np.float64)
        hits += len(np.intersect1d(np.argpartition(dist, k)[:k], p[i]))
    return hits / (n_check * k)


def logloss_objective(w, b, X, y, C):
    """C * sum log(1+exp(-y f)) + |w|^2/2, y in {0,1}; and the gradient (w then b)."""
    s = np.where(y == 1, 1.0, -1.0)
    m = s * (X @ w + b)
    g = -C * s / (1 + np.exp(np.clip(m, -700, 700)))
    return C * np.logaddexp(0, -m).sum() + 0.5 * w @ w, np.append(X.T @ g + w, g.sum())


def best_logloss(X, y, C, intercept):
    """The optimum to ~1e-9 relative: Newton where the Hessian is small, else L-BFGS."""
    if X.shape[1] <= 500:
        A, s = np.column_stack([X, np.ones(len(X))]) if intercept else X, np.where(y == 1, 1.0, -1.0)
        reg, v = np.r_[np.ones(X.shape[1]), np.zeros(A.shape[1] - X.shape[1])], np.zeros(A.shape[1])
        for _ in range(30):
            q = 1 / (1 + np.exp(np.clip(s * (A @ v), -700, 700)))
            step = np.linalg.solve((A * (C * q * (1 - q))[:, None]).T @ A + np.diag(reg), A.T @ (C * s * q) - reg * v)
            v += step
            if np.abs(step).max() < 1e-9:
                break
        return float(logloss_objective(v[: X.shape[1]], v[-1] if intercept else 0.0, X, y, C)[0])
    return _least(logloss_objective, X, y, C)


def _least(objective, X, y, C):
    """The least of an objective without an intercept, by L-BFGS."""
    from scipy.optimize import minimize

    def f(v):
        o, g = objective(v, 0.0, X, y, C)
        return o, g[:-1]

    return float(
        minimize(
            f,
            np.zeros(X.shape[1]),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 1000, "maxfun": 2000, "ftol": 1e-12, "gtol": 1e-5, "maxcor": 20},
        ).fun
    )


def machine_objective(w, b, X, y, C):
    """C * sum max(0, 1-y f)^2 + |w|^2/2, y in {0,1}; and the gradient (w then b)."""
    s = np.where(y == 1, 1.0, -1.0)
    slack = np.maximum(0, 1 - s * (X @ w + b))
    g = -2 * C * s * slack
    return C * (slack**2).sum() + 0.5 * w @ w, np.append(X.T @ g + w, g.sum())


def best_machine(X, y, C):
    return _least(machine_objective, X, y, C)


def machine_subopt(d, p, x):
    return machine_objective(np.asarray(x["coef"], np.float64).ravel(), 0.0, d["X"], d["y"], d["C"])[0] / d["best"] - 1


def rel_subopt(d, p, x):
    w = np.asarray(x["coef"], np.float64).ravel()
    b = float(np.ravel(x.get("intercept", 0.0))[0])
    return logloss_objective(w, b, d["X"], d["y"], d["C"])[0] / d["best"] - 1


def dual_objective(d, p, x):
    """Σ zβ − ε Σ|β| − ½ βᵀKβ summed over the machines, RBF kernel; z is the target, of classes the sign of β.

    The extras hold the machines: numbers of rows and their β.
    """
    total = 0.0
    for rows, beta in x["machines"]:
        X = d["X"][rows]
        square = (X**2).sum(1)
        values = np.empty(len(X))
        for start in range(0, len(X), 1000):
            some = slice(start, start + 1000)
            apart = square[some, None] + square - 2 * X[some] @ X.T
            values[some] = np.exp(-d["gamma"] * np.maximum(apart, 0)) @ beta
        size = np.abs(beta).sum()
        gain = d["y"][rows] @ beta - d["epsilon"] * size if "epsilon" in d else size
        total += gain - beta @ values / 2
    return float(total)

"""Where adapters register: one small function per (workload, library).

@adapter(workload, label, ladder=[{...}, ...])
def _(cfg):                         # imports the library; cfg = chosen rung of the ladder (or {})
    return fit, predict[, extras]   # fit(d) -> model, predict(model, d) -> what the score reads,
                                    # extras(model) -> dict

A ladder lists settings from loose to tight; run.py uses the first one that reaches the workload's
target quality, so those workloads measure time to equal accuracy.
"""

REG = {}
THREADS = 2


def adapter(workload, label, ladder=None):
    def deco(f):
        REG.setdefault(workload, {})[label] = (f, ladder)
        return f

    return deco


def sk(model, proba=False):
    """An adapter around anything with scikit-learn's methods."""
    fit = lambda d: model.fit(d["X"], d["y"])
    if proba:
        return fit, lambda m, d: m.predict_proba(d["Xt"])[:, 1]
    return fit, lambda m, d: m.predict(d["Xt"])


def net_of(model):
    """The same for a net: its log loss is compared."""
    return (*sk(model), lambda m: {"log_probabilities": m.predict_log_proba})


def kmeans(cls, **kw):
    def fit(d):
        return cls(n_clusters=len(d["init"]), init=d["init"], n_init=1, max_iter=d["iters"], tol=0, **kw).fit(d["X"])

    return fit, lambda m, d: m.predict(d["X"]), lambda m: {"centers": m.cluster_centers_}


def tols(*t):
    return [{"tol": v} for v in t]

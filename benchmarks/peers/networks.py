"""Neural, sequential and graphical models."""

from registry import THREADS, adapter, net_of


# ---------------------------------------------------------------- neural, sequential, graphical
def _sklearn_net(units, batch_size, max_iter):
    import warnings

    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore")
    steps = {"batch_size": batch_size, "max_iter": max_iter, "learning_rate_init": 1e-3, "tol": 0}
    return net_of(MLPClassifier((units,), alpha=0, n_iter_no_change=max_iter, random_state=0, **steps))


def _torch_net(units, batch_size, max_iter):
    import torch

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    from torch import nn

    def fit(d):
        X, y = torch.from_numpy(d["X"]), torch.from_numpy(d["y"])
        net = nn.Sequential(nn.Linear(X.shape[1], units), nn.ReLU(), nn.Linear(units, int(y.max()) + 1))
        opt, loss = torch.optim.Adam(net.parameters(), 1e-3), nn.CrossEntropyLoss()
        for _ in range(max_iter):
            perm = torch.randperm(len(X))
            for i in range(0, len(X), batch_size):
                b = perm[i : i + batch_size]
                opt.zero_grad()
                loss(net(X[b]), y[b]).backward()
                opt.step()
        return net

    def predict(net, d):
        with torch.no_grad():
            return net(torch.from_numpy(d["Xt"])).argmax(1).numpy()

    def log_probabilities(net, X):
        with torch.no_grad():
            return net(torch.from_numpy(X)).log_softmax(1).numpy()

    return fit, predict, lambda net: {"log_probabilities": lambda X: log_probabilities(net, X)}


adapter("mlp", "sklearn")(lambda cfg: _sklearn_net(128, 128, 1))
adapter("mlp", "torch cpu")(lambda cfg: _torch_net(128, 128, 1))
adapter("mlp_small", "sklearn")(lambda cfg: _sklearn_net(32, 32, 10))
adapter("mlp_small", "torch cpu")(lambda cfg: _torch_net(32, 32, 10))


for _impl in ("scaling", "log"):

    @adapter("hmm", "hmmlearn " + _impl)
    def _(cfg, impl=_impl):
        import numpy as np
        from hmmlearn.hmm import GaussianHMM

        def fit(d):
            m = GaussianHMM(
                len(d["start"]),
                "diag",
                n_iter=d["iters"],
                tol=-np.inf,
                init_params="",
                params="stmc",
                implementation=impl,
                min_covar=0,
                covars_prior=0,
                covars_weight=0,
            )
            m.startprob_, m.transmat_, m.means_, m.covars_ = d["start"], d["trans"], d["means"], d["vars"]
            return m.fit(d["X"])

        return fit, lambda m, d: m.predict(d["X"]), lambda m: {"loglik": m.monitor_.history[-1]}


def _agrum(engine):
    import pyagrum as gum

    def fit(d):
        bn = gum.BayesNet()
        for i in range(len(d["parents"])):
            bn.add(gum.LabelizedVariable(f"v{i}", "", 2))
        for i, pa in enumerate(d["parents"]):
            for p in pa:
                bn.addArc(p, i)
        for i, c in enumerate(d["cpts"]):
            k = c.ndim - 1
            bn.cpt(i).fillWith(c.transpose([*range(k - 1, -1, -1), k]).ravel().tolist())
        return bn

    def predict(bn, d):
        out = []
        for t, ev in d["queries"]:
            ie = getattr(gum, engine)(bn)
            ie.setEvidence(ev)
            ie.addTarget(t)
            ie.makeInference()
            out.append(ie.posterior(t).toarray())
        return out

    return fit, predict


def _pgmpy():
    import logging
    import warnings

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    def fit(d):
        bn = DiscreteBayesianNetwork()
        bn.add_nodes_from([f"v{i}" for i in range(len(d["parents"]))])
        for i, pa in enumerate(d["parents"]):
            bn.add_edges_from([(f"v{p}", f"v{i}") for p in pa])
        for i, (pa, c) in enumerate(zip(d["parents"], d["cpts"], strict=True)):
            bn.add_cpds(
                TabularCPD(f"v{i}", 2, c.reshape(-1, 2).T, [f"v{p}" for p in pa] or None, [2] * len(pa) or None)
            )
        return bn

    def predict(bn, d):
        ve = VariableElimination(bn)
        return [
            ve.query([f"v{t}"], {f"v{k}": v for k, v in ev.items()}, show_progress=False).values
            for t, ev in d["queries"]
        ]

    return fit, predict


def _einsum():
    from workloads import bn_einsum

    return lambda d: d, lambda m, d: [bn_einsum(d, q) for q in d["queries"]]


for _w in ("bn_polytree", "bn_grid"):
    adapter(_w, "pyagrum lazy")(lambda cfg: _agrum("LazyPropagation"))
    adapter(_w, "pyagrum VE")(lambda cfg: _agrum("VariableElimination"))
    adapter(_w, "pgmpy VE")(lambda cfg: _pgmpy())
adapter("bn_polytree", "numpy einsum greedy")(lambda cfg: _einsum())  # minutes on the grid

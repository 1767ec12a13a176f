"""Adapters for learnt. A new one is a peer's with the calls changed."""

import importlib.util
from operator import attrgetter

from registry import THREADS, adapter, kmeans, net_of, sk, tols

if importlib.util.find_spec("learnt") is None:
    raise ImportError("learnt is not installed: its adapters are skipped")


def learnt():
    import warnings

    import learnt

    warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)  # workloads fix the iterations
    learnt.threads(THREADS)
    return learnt


@adapter("kmeans", "learnt")
def _(cfg):
    return kmeans(learnt().KMeans)


@adapter("ols", "learnt")
def _(cfg):
    return sk(learnt().LinearRegression())


@adapter("ridge", "learnt")
def _(cfg):
    return sk(learnt().Ridge())


@adapter("lasso_path", "learnt", tols(1e-4))
def _(cfg):
    path = learnt().lasso_path

    def run(d):
        return path(d["X"], d["y"], alphas=d["alphas"], fit_intercept=False, **cfg).coefs

    return run, lambda m, d: None, lambda m: {"coefs": m}


@adapter("logreg_dense", "learnt", tols(1e-1, 1e-2, 1e-4))
def _(cfg):
    return logreg(learnt().LogisticRegression(C=1.0, **cfg))


@adapter("logreg_sparse", "learnt", tols(1e-1, 3e-2, 1e-2, 1e-4))
def _(cfg):
    return logreg(learnt().LogisticRegression(C=1.0, fit_intercept=False, **cfg))


@adapter("svm_linear", "learnt", tols(1e-1, 3e-2, 1e-2, 3e-3, 1e-3))
def _(cfg):
    return logreg(learnt().LinearSVC(C=1.0, fit_intercept=False, standardize=False, probability=False, **cfg))


def logreg(model):
    return (*sk(model), lambda m: {"coef": m.coef_, "intercept": m.intercept_})


@adapter("cart", "learnt")
def _(cfg):
    return sk(learnt().DecisionTreeClassifier(min_samples_leaf=20))


@adapter("gbdt", "learnt")
def _(cfg):
    return sk(boosting(), True)


@adapter("gbdt_cat", "learnt")
def _(cfg):
    from peers.trees import _frame

    m = boosting()
    return (
        lambda d: m.fit(_frame(d["X"], d["Xcat"], True), d["y"]),
        lambda m, d: m.predict_proba(_frame(d["Xt"], d["Xtcat"], True))[:, 1],
    )


def boosting():
    return learnt().GradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=63, learning_rate=0.1, l2_regularization=1.0, early_stopping=False
    )


@adapter("adaboost", "learnt")
def _(cfg):
    return sk(learnt().AdaBoostClassifier(n_estimators=100))


@adapter("forest", "learnt")
def _(cfg):
    return sk(learnt().RandomForestClassifier(min_samples_leaf=5, random_state=0), True)


@adapter("iforest", "learnt")
def _(cfg):
    detector = learnt().NoveltyDetector
    return lambda d: detector("forest").fit(d["X"]), lambda m, d: -m.score_samples(d["X"])


@adapter("label_spreading", "learnt")
def _(cfg):
    spreading = learnt().LabelSpreading

    def fit(d):  # a row without a class has an empty cell
        return spreading().fit(d["X"], [None if label < 0 else label for label in d["y"].tolist()])

    return fit, lambda m, d: m.labels_


@adapter("gnb", "learnt")
def _(cfg):
    return sk(learnt().bayes.NaiveBayesClassifier())


@adapter("bow_mnb", "learnt")
def _(cfg):
    return sk(learnt().bayes.text_classifier())


@adapter("csv", "learnt")
def _(cfg):
    read = learnt().read
    return lambda d: read(d["path"]), lambda m, d: m.shape


@adapter("csv_stream", "learnt")
def _(cfg):
    scan = learnt().scan
    return lambda d: sum(map(attrgetter("n_rows"), scan(d["path"]).batches())), lambda m, d: m


@adapter("knn_brute", "learnt")
def _(cfg):
    return neighbors("brute")


@adapter("knn_3d", "learnt")
def _(cfg):
    return neighbors("kd_tree")


def neighbors(index):
    build = learnt().neighbors.build_index
    return lambda d: build(d["X"], index=index), lambda ix, d: ix.query(d["Xt"], d["k"])[1]


@adapter("pca", "learnt")
def _(cfg):
    cls = learnt().PCA
    return (
        (lambda d: cls(d["k"]).fit(d["X"])),
        (lambda m, d: m.transform(d["X"])),
        lambda m: {"components": m.components_},
    )


@adapter("gmm", "learnt")
def _(cfg):
    import numpy as np

    mixture = learnt().GaussianMixture

    def fit(d):
        return mixture(
            len(d["means"]),
            weights_init=d["weights"],
            means_init=d["means"],
            precisions_init=np.linalg.inv(d["covs"]),
            max_iter=d["iters"],
            tol=0,
        ).fit(d["X"])

    return fit, lambda m, d: m.score_samples(d["X"])


@adapter("hmm", "learnt")
def _(cfg):
    cls, rows = learnt().HiddenMarkovModel, []

    def fit(d):
        rows[:] = [len(d["X"])]
        start = cls.from_tables(d["start"], d["trans"], {"means": d["means"], "variances": d["vars"]})
        return cls(len(d["start"]), init=start, max_iter=d["iters"], tol=0).fit(d["X"])

    return fit, lambda m, d: m.predict(d["X"]), lambda m: {"loglik": m.objectives_[-1] * rows[0]}


@adapter("dbscan", "learnt")
def _(cfg):
    cls = learnt().DBSCAN
    return lambda d: cls(d["eps"], min_samples=d["min_samples"]).fit(d["X"]), lambda m, d: m.labels_


@adapter("ward", "learnt")
def _(cfg):
    cls = learnt().AgglomerativeClustering
    return lambda d: cls(linkage="ward").fit(d["X"]), lambda m, d: m.linkage_matrix_


def _network():
    from learnt import BayesianNetwork

    def fit(d):
        network = BayesianNetwork(
            {f"v{i}": [f"v{p}" for p in pa] for i, pa in enumerate(d["parents"])},
            {f"v{i}": [0, 1] for i in range(len(d["parents"]))},
        )
        for i, table in enumerate(d["cpts"]):
            network.set_table(f"v{i}", table)
        return network

    def predict(network, d):
        return [network.infer(f"v{t}", {f"v{v}": s for v, s in ev.items()}).probabilities for t, ev in d["queries"]]

    return fit, predict


for _w in ("bn_polytree", "bn_grid"):
    adapter(_w, "learnt")(lambda cfg: _network())


@adapter("svm_rbf", "learnt")
def _(cfg):
    return machines(learnt().SVC(gamma=1 / 30, standardize=False, probability=False))


@adapter("svr", "learnt")
def _(cfg):
    return machines(learnt().SVR(gamma=1 / 20, epsilon=0.1, standardize=False))


@adapter("svm_multiclass", "learnt")
def _(cfg):
    return machines(learnt().SVC(gamma=1 / 50, standardize=False, probability=False))


def machines(model):
    return (*sk(model), lambda m: {"machines": [(m.support_[b != 0], b[b != 0]) for b in m.dual_coef_]})


def net(units, batch_size, max_iter):
    plain = {"activation": "relu", "solver": "adam", "alpha": 0.0, "dropout": 0.0, "standardize": False}
    steps = {"batch_size": batch_size, "learning_rate": "constant", "learning_rate_init": 1e-3, "max_iter": max_iter}
    return net_of(learnt().MLPClassifier(hidden_layer_sizes=(units,), early_stopping=False, **plain, **steps))


adapter("mlp", "learnt")(lambda cfg: net(128, 128, 1))
adapter("mlp_small", "learnt")(lambda cfg: net(32, 32, 10))

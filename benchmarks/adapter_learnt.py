"""Adapters for learnt. A new one is a peer's with the calls changed."""

import importlib.util

from registry import THREADS, adapter, kmeans, sk, tols

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


def logreg(model):
    return (*sk(model), lambda m: {"coef": m.coef_, "intercept": m.intercept_})


@adapter("cart", "learnt")
def _(cfg):
    return sk(learnt().DecisionTreeClassifier(min_samples_leaf=20))


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

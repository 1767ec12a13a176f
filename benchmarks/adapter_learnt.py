"""Adapters for learnt. A new one is a peer's with the calls changed."""

import importlib.util

from registry import THREADS, adapter, kmeans, sk

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

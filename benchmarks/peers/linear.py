"""AdaBoost, naive Bayes, linear models and support vectors."""

import importlib

import numpy as np

from registry import THREADS, adapter, sk, tols


# ---------------------------------------------------------------- adaboost, naive Bayes
@adapter("adaboost", "sklearn")
def _(cfg):
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    return sk(AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=100, random_state=0))


@adapter("gnb", "sklearn")
def _(cfg):
    from sklearn.naive_bayes import GaussianNB

    return sk(GaussianNB())


@adapter("bow_mnb", "sklearn count")
def _(cfg):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    return sk(make_pipeline(CountVectorizer(), MultinomialNB()))


@adapter("bow_mnb", "sklearn hashing 2^17")
def _(cfg):
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    return sk(make_pipeline(HashingVectorizer(n_features=2**17, alternate_sign=False, norm=None), MultinomialNB()))


# ---------------------------------------------------------------- logistic regression
def _logreg(cls, **kw):
    return (*sk(cls(C=1.0, **kw)), lambda m: {"coef": m.coef_, "intercept": m.intercept_})


@adapter("logreg_dense", "sklearn lbfgs", tols(5e-4, 2e-4, 1e-4, 1e-5))
def _(cfg):
    from sklearn.linear_model import LogisticRegression

    return _logreg(LogisticRegression, solver="lbfgs", max_iter=2000, **cfg)


@adapter("logreg_dense", "sklearn newton-cholesky", tols(1e-1, 1e-2, 1e-3, 1e-4))
def _(cfg):
    from sklearn.linear_model import LogisticRegression

    return _logreg(LogisticRegression, solver="newton-cholesky", max_iter=100, **cfg)


# oneDAL tests the gradient of the summed loss, sklearn that of the mean: 300 here ~ 6e-4 there
@adapter("logreg_dense", "sklearnex lbfgs", tols(1000, 300, 100, 30, 10, 1, 0.1))
def _(cfg):
    from sklearnex.linear_model import LogisticRegression

    return _logreg(LogisticRegression, solver="lbfgs", max_iter=2000, n_jobs=THREADS, **cfg)


for _solver, _t in [
    ("lbfgs", (1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)),
    ("newton-cg", (1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 1e-5)),
    ("saga", (1e-1, 5e-2, 2e-2, 1e-2, 3e-3, 1e-3)),
    ("liblinear", (1e-1, 3e-2, 1e-2, 3e-3, 1e-3)),
]:

    @adapter("logreg_sparse", "sklearn " + _solver, tols(*_t))
    def _(cfg, s=_solver):
        from sklearn.linear_model import LogisticRegression

        return _logreg(LogisticRegression, solver=s, fit_intercept=False, max_iter=500, random_state=0, **cfg)


@adapter("logreg_sparse", "sklearn liblinear dual", tols(30, 10, 3, 1, 0.1))
def _(cfg):
    from sklearn.linear_model import LogisticRegression

    return _logreg(
        LogisticRegression,
        solver="liblinear",
        dual=True,
        fit_intercept=False,
        max_iter=500,
        random_state=0,
        **cfg,
    )


# ---------------------------------------------------------------- least squares, lasso
@adapter("ols", "sklearn")
def _(cfg):
    from sklearn.linear_model import LinearRegression

    return sk(LinearRegression(n_jobs=THREADS))


@adapter("ols", "sklearnex")
def _(cfg):
    from sklearnex.linear_model import LinearRegression

    return sk(LinearRegression(n_jobs=THREADS))


@adapter("ridge", "sklearn cholesky")
def _(cfg):
    from sklearn.linear_model import Ridge

    return sk(Ridge(solver="cholesky"))


@adapter("ridge", "sklearnex")
def _(cfg):
    from sklearnex.linear_model import Ridge

    return sk(Ridge())


def _path(run):
    return (lambda d: run(d["X"], d["y"], d["alphas"]), lambda m, d: None, lambda m: {"coefs": m})


@adapter("lasso_path", "sklearn", tols(1e-4, 5e-5, 2e-5))
def _(cfg):
    from sklearn.linear_model import lasso_path

    return _path(lambda X, y, a: lasso_path(X, y, alphas=a, max_iter=10000, precompute=False, **cfg)[1])


@adapter("lasso_path", "celer", tols(1e-4, 5e-5, 2e-5))
def _(cfg):
    from celer import celer_path

    return _path(lambda X, y, a: celer_path(X, y, "lasso", alphas=a, **cfg)[1])


@adapter("lasso_path", "skglm", tols(3e-4, 1e-4, 5e-5, 2e-5))
def _(cfg):
    from skglm import Lasso

    return _path(lambda X, y, a: Lasso(fit_intercept=False, **cfg).path(X, y, a)[1])


# ---------------------------------------------------------------- svm
def _machines(module, name, **settings):
    """A machine of LIBSVM's interface; the coefficients of a pair of classes stand in two rows of `dual_coef_`."""
    cls = getattr(importlib.import_module(module), name)

    def extras(m):
        counts = getattr(m, "n_support_", [len(m.support_)])
        if len(counts) <= 2:
            return {"machines": [(m.support_, m.dual_coef_[0])]}
        ends = np.cumsum([0, *counts])
        of = [slice(ends[c], ends[c + 1]) for c in range(len(counts))]
        return {
            "machines": [
                (
                    np.concatenate([m.support_[of[a]], m.support_[of[b]]]),
                    np.concatenate([m.dual_coef_[b - 1, of[a]], m.dual_coef_[a, of[b]]]),
                )
                for a in range(len(counts))
                for b in range(a + 1, len(counts))
            ]
        }

    return (*sk(cls(C=1.0, cache_size=1000, **settings)), extras)


for _dual, _t in [(True, (10, 3, 1, 0.3, 0.1)), (False, (1, 0.3, 0.1, 3e-2, 1e-2, 1e-3))]:

    @adapter("svm_linear", f"sklearn liblinear {'dual' if _dual else 'primal'}", tols(*_t))
    def _(cfg, dual=_dual):
        from sklearn.svm import LinearSVC

        return _logreg(LinearSVC, dual=dual, fit_intercept=False, random_state=0, **cfg)


for _workload, _name, _settings in (
    ("svm_rbf", "SVC", {"gamma": 1 / 30}),
    ("svr", "SVR", {"gamma": 1 / 20, "epsilon": 0.1}),
    ("svm_multiclass", "SVC", {"gamma": 1 / 50}),
):
    for _label, _module in (("sklearn libsvm", "sklearn.svm"), ("sklearnex", "sklearnex.svm")):
        adapter(_workload, _label)(lambda cfg, m=_module, n=_name, s=_settings: _machines(m, n, **s))

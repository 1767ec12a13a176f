"""AdaBoost, naive Bayes, linear models and support vectors."""

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
@adapter("svm_rbf", "sklearn libsvm")
def _(cfg):
    from sklearn.svm import SVC

    return sk(SVC(C=1.0, gamma=1 / 30, cache_size=1000))


for _dual, _t in [(True, (10, 3, 1, 0.3, 0.1)), (False, (1, 0.3, 0.1, 3e-2, 1e-2, 1e-3))]:

    @adapter("svm_linear", f"sklearn liblinear {'dual' if _dual else 'primal'}", tols(*_t))
    def _(cfg, dual=_dual):
        from sklearn.svm import LinearSVC

        return _logreg(LinearSVC, dual=dual, fit_intercept=False, random_state=0, **cfg)


@adapter("svm_rbf", "sklearnex")
def _(cfg):
    from sklearnex.svm import SVC

    return sk(SVC(C=1.0, gamma=1 / 30, cache_size=1000))

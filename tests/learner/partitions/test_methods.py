"""Every method that takes rows one by one takes Dask collections, whoever writes it."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np

import learnt
from learnt.learner.base import Learner
from learnt.learner.partitions.methods import ROW_BY_ROW, SCORES
from learnt.learner.registry import _entries

ROOT = Path(learnt.__file__).parent

#: What looks at all rows together, or gives what no collection holds.
OF_ALL_ROWS = {
    *(
        "aic",
        "bic",
        "check",
        "cost",
        "covariance",
        "decide",
        "diagnostics",
        "fold_in",
        "influence",
        "margins",
        "summary",
        "trace",
    ),
    *("cost_complexity_pruning_path", "fit", "fit_predict", "fit_resample", "fit_transform", "partial_fit", "select"),
    *("hamming_loss", "label_scores", "rank", "shepard", "similarity", "log_likelihood", "decode", "filter", "smooth"),
    *("kneighbors", "kneighbors_graph", "radius_neighbors", "radius_neighbors_graph", "predict_sets"),
    *("matrix_of", "source_of", "table", "with_combinations", "biplot", "plot", "plot_trellis"),
    *("staged_decision_function", "staged_predict", "staged_predict_proba", "staged_score"),
    *("plot_coefficients", "plot_descent", "plot_margin", "plot_tube", "plot_units"),
}


def methods():
    for module in pkgutil.walk_packages(learnt.__path__, "learnt."):  # those that nobody is offered, too
        if module.name != "learnt.__main__":  # which would run the program
            importlib.import_module(module.name)
    for entry in _entries.values():
        if entry.own or not issubclass(entry.cls, Learner):
            continue
        for name in {name for cls in entry.cls.__mro__ for name in vars(cls) if not name.startswith("_")}:
            method = inspect.getattr_static(entry.cls, name)
            bare = inspect.unwrap(method) if inspect.isfunction(method) else None
            if bare is not None and bare.__code__.co_varnames[1:2] == ("X",):
                yield entry.cls, name, method


def test_every_method_of_rows_takes_collections_or_is_known_to_need_all_rows():
    unknown = {f"{cls.__name__}.{name}" for cls, name, _ in methods() if name not in ROW_BY_ROW | SCORES | OF_ALL_ROWS}
    assert not unknown, "answers row by row: add it to ROW_BY_ROW; looks at all rows: to OF_ALL_ROWS"
    bare = {
        f"{cls.__name__}.{n}" for cls, n, method in methods() if n in ROW_BY_ROW and not hasattr(method, "on_rows_here")
    }
    assert not bare


def test_methods_stay_what_they_are_told_to_be():
    assert inspect.signature(learnt.KMeans.predict).parameters.keys() == {"self", "X"}
    assert "number of the group" in learnt.KMeans.predict.__doc__
    assert learnt.NaiveBayesClassifier.predict is learnt.LogisticRegression.predict  # one for all, wrapped once


def test_a_class_of_a_user_takes_collections_too():
    import dask.array as da

    class Own(learnt.MajorityClassifier, listed=False):
        def predict(self, X):
            return super().predict(X)

    model = Own().fit(np.zeros((3, 1)), ["a", "a", "b"])
    assert list(model.predict(da.zeros((4, 1), chunks=2)).compute(scheduler="synchronous")) == ["a"] * 4


def test_dask_is_imported_inside_functions_only():
    loading = re.compile(r"^(import|from) (dask|distributed)\b", re.MULTILINE)
    assert [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if loading.search(path.read_text("utf-8"))] == []

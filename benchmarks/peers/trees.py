"""Trees, forests and boosting."""

from registry import THREADS, adapter, sk


# ---------------------------------------------------------------- cart
@adapter("cart", "sklearn")
def _(cfg):
    from sklearn.tree import DecisionTreeClassifier

    return sk(DecisionTreeClassifier(min_samples_leaf=20, random_state=0))


@adapter("cart", "sklearnex (forest of 1)")
def _(cfg):
    from sklearnex.ensemble import RandomForestClassifier

    return sk(
        RandomForestClassifier(
            1, bootstrap=False, max_features=None, min_samples_leaf=20, n_jobs=THREADS, random_state=0
        )
    )


@adapter("cart", "lightgbm (1 hist tree)")
def _(cfg):
    import lightgbm as lgb

    return sk(
        lgb.LGBMClassifier(
            n_estimators=1,
            num_leaves=20000,
            min_child_samples=20,
            min_child_weight=0,
            learning_rate=1.0,
            n_jobs=THREADS,
            verbose=-1,
        )
    )


# ---------------------------------------------------------------- forest
@adapter("forest", "sklearn")
def _(cfg):
    from sklearn.ensemble import RandomForestClassifier

    return sk(RandomForestClassifier(100, min_samples_leaf=5, n_jobs=THREADS, random_state=0), True)


@adapter("iforest", "sklearn")
def _(cfg):
    from sklearn.ensemble import IsolationForest

    model = IsolationForest(n_jobs=THREADS, random_state=0)
    return lambda d: model.fit(d["X"]), lambda m, d: -m.score_samples(d["X"])


@adapter("label_spreading", "sklearn")
def _(cfg):
    from sklearn.semi_supervised import LabelSpreading

    model = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.5, n_jobs=THREADS)
    return lambda d: model.fit(d["X"], d["y"]), lambda m, d: m.transduction_


@adapter("forest", "sklearnex")
def _(cfg):
    from sklearnex.ensemble import RandomForestClassifier

    return sk(RandomForestClassifier(100, min_samples_leaf=5, n_jobs=THREADS, random_state=0), True)


@adapter("forest", "lightgbm rf")
def _(cfg):
    import lightgbm as lgb

    return sk(
        lgb.LGBMClassifier(
            boosting_type="rf",
            n_estimators=100,
            num_leaves=16384,
            min_child_samples=5,
            min_child_weight=0,
            subsample=0.632,
            subsample_freq=1,
            feature_fraction_bynode=5 / 30,
            n_jobs=THREADS,
            verbose=-1,
        ),
        True,
    )


@adapter("forest", "xgboost rf")
def _(cfg):
    import xgboost as xgb

    return sk(
        xgb.XGBRFClassifier(
            n_estimators=100,
            max_depth=0,
            max_leaves=0,
            grow_policy="depthwise",
            min_child_weight=1.25,
            subsample=0.632,
            colsample_bynode=5 / 30,
            reg_lambda=1e-3,
            n_jobs=THREADS,
        ),
        True,
    )


# ---------------------------------------------------------------- gbdt
@adapter("gbdt", "lightgbm")
def _(cfg):
    import lightgbm as lgb

    return sk(
        lgb.LGBMClassifier(
            n_estimators=100,
            num_leaves=63,
            learning_rate=0.1,
            max_bin=255,
            reg_lambda=1.0,
            n_jobs=THREADS,
            verbose=-1,
        ),
        True,
    )


@adapter("gbdt", "xgboost")
def _(cfg):
    import xgboost as xgb

    return sk(
        xgb.XGBClassifier(
            n_estimators=100,
            max_leaves=63,
            max_depth=0,
            grow_policy="lossguide",
            tree_method="hist",
            learning_rate=0.1,
            max_bin=255,
            n_jobs=THREADS,
        ),
        True,
    )


@adapter("gbdt", "catboost")
def _(cfg):
    from catboost import CatBoostClassifier

    return sk(
        CatBoostClassifier(
            iterations=100,
            depth=6,
            learning_rate=0.1,
            border_count=254,
            thread_count=THREADS,
            bootstrap_type="No",
            random_seed=0,
            verbose=False,
            allow_writing_files=False,
        ),
        True,
    )


@adapter("gbdt", "sklearn hist")
def _(cfg):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return sk(
        HistGradientBoostingClassifier(
            max_iter=100,
            max_leaf_nodes=63,
            learning_rate=0.1,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=0,
        ),
        True,
    )


# ---------------------------------------------------------------- gbdt_cat
def _frame(X, C, cat):
    import pandas as pd

    df = pd.DataFrame(X, columns=[f"n{j}" for j in range(X.shape[1])])
    for j in range(C.shape[1]):
        df[f"c{j}"] = pd.Categorical(C[:, j], categories=range(6000)) if cat else C[:, j]
    return df


@adapter("gbdt_cat", "lightgbm")
def _(cfg):
    import lightgbm as lgb
    import numpy as np

    m = lgb.LGBMClassifier(
        n_estimators=100, num_leaves=63, learning_rate=0.1, reg_lambda=1.0, n_jobs=THREADS, verbose=-1
    )
    return (
        lambda d: m.fit(np.hstack([d["X"], d["Xcat"]]), d["y"], categorical_feature=list(range(10, 20))),
        lambda m, d: m.predict_proba(np.hstack([d["Xt"], d["Xtcat"]]))[:, 1],
    )


@adapter("gbdt_cat", "xgboost")
def _(cfg):
    import numpy as np
    import xgboost as xgb

    m = xgb.XGBClassifier(
        n_estimators=100,
        max_leaves=63,
        max_depth=0,
        grow_policy="lossguide",
        tree_method="hist",
        learning_rate=0.1,
        enable_categorical=True,
        feature_types=["q"] * 10 + ["c"] * 10,
        n_jobs=THREADS,
    )
    return (
        lambda d: m.fit(np.hstack([d["X"], d["Xcat"].astype(np.float32)]), d["y"]),
        lambda m, d: m.predict_proba(np.hstack([d["Xt"], d["Xtcat"].astype(np.float32)]))[:, 1],
    )


@adapter("gbdt_cat", "catboost")
def _(cfg):
    from catboost import CatBoostClassifier

    m = CatBoostClassifier(
        iterations=100,
        depth=6,
        learning_rate=0.1,
        thread_count=THREADS,
        bootstrap_type="No",
        cat_features=list(range(10, 20)),
        random_seed=0,
        verbose=False,
        allow_writing_files=False,
    )
    return (
        lambda d: m.fit(_frame(d["X"], d["Xcat"], False), d["y"]),
        lambda m, d: m.predict_proba(_frame(d["Xt"], d["Xtcat"], False))[:, 1],
    )


@adapter("gbdt_cat", "sklearn hist (top 250 levels)")
def _(cfg):
    import numpy as np
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    enc = OrdinalEncoder(max_categories=250, handle_unknown="use_encoded_value", unknown_value=np.nan)
    m = make_pipeline(
        ColumnTransformer([("c", enc, slice(10, 20))], remainder="passthrough"),
        HistGradientBoostingClassifier(
            max_iter=100,
            max_leaf_nodes=63,
            learning_rate=0.1,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=0,
            categorical_features=list(range(10)),
        ),
    )
    return (
        lambda d: m.fit(np.hstack([d["X"], d["Xcat"]]), d["y"]),
        lambda m, d: m.predict_proba(np.hstack([d["Xt"], d["Xtcat"]]))[:, 1],
    )

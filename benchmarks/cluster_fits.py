"""The fits that are measured on a cluster: each learner on `cluster_data`'s rows, and the peers' own ways to boost."""

SETTINGS = {"rate": 0.1, "leaves": 31, "bins": 255, "least": 20}


def kmeans(scan, rounds):
    import learnt

    return learnt.KMeans(n_clusters=8, n_init=1, max_iter=rounds, tol=0, random_state=0).fit(scan)


def logistic(scan, rounds):
    import learnt

    return learnt.LogisticRegression().fit(scan, "label")


def least_squares(scan, rounds):
    import learnt

    return learnt.LinearRegression().fit(scan, "value")


def naive_bayes(scan, rounds):
    import learnt

    return learnt.NaiveBayesClassifier().fit(scan, "label")


def boosting(scan, rounds):
    import learnt

    model = learnt.GradientBoostingClassifier(
        max_iter=rounds,
        max_leaf_nodes=SETTINGS["leaves"],
        learning_rate=SETTINGS["rate"],
        max_bins=SETTINGS["bins"],
        min_samples_leaf=SETTINGS["least"],
        early_stopping=False,
    )
    return model.fit(scan, "label")


def forest(scan, rounds):
    import learnt

    return learnt.RandomForestClassifier(n_estimators=rounds, max_depth=10).fit(scan, "label")


FITS = {fit.__name__: fit for fit in (kmeans, logistic, least_squares, naive_bayes, boosting, forest)}
USUAL = [name for name in FITS if name != "forest"]  # which takes minutes


def answers(name, model, table):
    """What the model says of rows it has not seen, and its fitted numbers: what two fits are compared by."""
    import numpy as np

    rows = table.rows(0, 65_536)
    said = model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)
    fitted = {key: value for key, value in vars(model).items() if key.endswith("_") and is_numbers(value)}
    return {**{key: np.asarray(value) for key, value in fitted.items()}, "said": np.asarray(said)}


def is_numbers(value):
    import numpy as np

    return isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind in "fiu")


def area(scores, label):
    """The area under the ROC curve of the held-out rows."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(label, scores))


# ---- the peers, as their documentation says; each returns seconds to have the rows in memory, and the model's scores


def dask_frames(paths, client):
    """Features and target in the workers' memory."""
    import dask.dataframe as dd
    from distributed import wait

    names = [f"x{j}" for j in range(25)] + ["value"]
    rows = dd.read_parquet(paths)
    X, y = client.persist([rows[names], rows["label"]])
    wait([X, y])
    return X, y


def lightgbm(frames, client, rounds, held_out):
    from lightgbm import DaskLGBMClassifier

    model = DaskLGBMClassifier(
        client=client, n_estimators=rounds, num_leaves=SETTINGS["leaves"], learning_rate=SETTINGS["rate"],
        max_bin=SETTINGS["bins"], min_child_samples=SETTINGS["least"], tree_learner="data", verbose=-1,
    )  # fmt: skip
    model.fit(*frames)
    return lambda: model.to_local().predict_proba(held_out)[:, 1]


def xgboost(frames, client, rounds, held_out):
    from xgboost import dask as xgb

    rows = xgb.DaskQuantileDMatrix(client, *frames, max_bin=SETTINGS["bins"])
    settings = {
        "objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide", "max_depth": 0,
        "max_leaves": SETTINGS["leaves"], "eta": SETTINGS["rate"], "max_bin": SETTINGS["bins"], "nthread": 1,
    }  # fmt: skip
    found = xgb.train(client, settings, rows, num_boost_round=rounds)
    return lambda: found["booster"].inplace_predict(held_out)


PEERS = {"lightgbm": lightgbm, "xgboost": xgboost}

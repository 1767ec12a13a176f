EXACT: dict[str, dict] = {}
OLD = {
    "BaggingClassifier": {"bootstrap": False},
    "BaggingRegressor": {"bootstrap": False},
    "RandomForestClassifier": {"bootstrap": False},
    "RandomForestRegressor": {"bootstrap": False},
}
VARIANTS: dict = {
    "AgglomerativeClustering": [
        {"linkage": k} for k in ("ward", "average", "single", "complete", "weighted", "centroid", "median")
    ],
    "DBSCAN": [{"eps": 0.1 * k, "min_samples": m} for k in (1, 1.7, 2.3, 3) for m in (2, 4, 7)],
    "KMedoids": [{}, {"metric": "mixed"}],
    "KNeighborsClassifier": [{}, {"n_neighbors": 1}],
}
EXCEPTIONS: dict[tuple[str, str], str] = {}

"""Neighbours, clusters, mixtures and projections."""

from registry import THREADS, adapter, kmeans


# ---------------------------------------------------------------- neighbours
def _nn(m):
    return lambda d: m.fit(d["X"]), lambda m, d: m.kneighbors(d["Xt"], n_neighbors=d["k"])[1]


@adapter("knn_brute", "sklearn")
def _(cfg):
    from sklearn.neighbors import NearestNeighbors

    return _nn(NearestNeighbors(algorithm="brute", n_jobs=THREADS))


@adapter("knn_brute", "sklearnex")
def _(cfg):
    from sklearnex.neighbors import NearestNeighbors

    return _nn(NearestNeighbors(algorithm="brute", n_jobs=THREADS))


@adapter("knn_brute", "faiss flat")
def _(cfg):
    import faiss

    faiss.omp_set_num_threads(THREADS)

    def fit(d):
        ix = faiss.IndexFlatL2(d["X"].shape[1])
        ix.add(d["X"])
        return ix

    return fit, lambda ix, d: ix.search(d["Xt"], d["k"])[1]


@adapter("knn_3d", "scipy cKDTree")
def _(cfg):
    from scipy.spatial import cKDTree

    return lambda d: cKDTree(d["X"]), lambda t, d: t.query(d["Xt"], k=d["k"], workers=THREADS)[1]


@adapter("knn_3d", "pykdtree")
def _(cfg):
    from pykdtree.kdtree import KDTree

    return lambda d: KDTree(d["X"]), lambda t, d: t.query(d["Xt"], k=d["k"])[1]


@adapter("knn_3d", "sklearn kd_tree")
def _(cfg):
    from sklearn.neighbors import NearestNeighbors

    return _nn(NearestNeighbors(algorithm="kd_tree", n_jobs=THREADS))


@adapter("knn_3d", "sklearnex kd_tree")
def _(cfg):
    from sklearnex.neighbors import NearestNeighbors

    return _nn(NearestNeighbors(algorithm="kd_tree", n_jobs=THREADS))


# ---------------------------------------------------------------- clustering, density, projection
@adapter("kmeans", "sklearn lloyd")
def _(cfg):
    from sklearn.cluster import KMeans

    return kmeans(KMeans, algorithm="lloyd")


@adapter("kmeans", "sklearn elkan")
def _(cfg):
    from sklearn.cluster import KMeans

    return kmeans(KMeans, algorithm="elkan")


@adapter("kmeans", "sklearnex")
def _(cfg):
    from sklearnex.cluster import KMeans

    return kmeans(KMeans, algorithm="lloyd", n_jobs=THREADS)


@adapter("kmeans", "faiss")
def _(cfg):
    import faiss

    faiss.omp_set_num_threads(THREADS)

    def fit(d):
        km = faiss.Kmeans(
            d["X"].shape[1], len(d["init"]), niter=d["iters"], max_points_per_centroid=10**9, verbose=False
        )
        km.train(d["X"], init_centroids=d["init"])
        return km

    return fit, lambda m, d: m.index.search(d["X"], 1)[1], lambda m: {"centers": m.centroids}


@adapter("gmm", "sklearn")
def _(cfg):
    import numpy as np
    from sklearn.mixture import GaussianMixture

    def fit(d):
        return GaussianMixture(
            len(d["means"]),
            weights_init=d["weights"],
            means_init=d["means"],
            precisions_init=np.linalg.inv(d["covs"]),
            max_iter=d["iters"],
            tol=0,
        ).fit(d["X"])

    return fit, lambda m, d: m.score_samples(d["X"])


@adapter("dbscan", "sklearn")
def _(cfg):
    from sklearn.cluster import DBSCAN

    return lambda d: DBSCAN(eps=d["eps"], min_samples=d["min_samples"], n_jobs=THREADS).fit(
        d["X"]
    ), lambda m, d: m.labels_


@adapter("dbscan", "sklearnex")
def _(cfg):
    from sklearnex.cluster import DBSCAN

    return lambda d: DBSCAN(eps=d["eps"], min_samples=d["min_samples"], n_jobs=THREADS).fit(
        d["X"]
    ), lambda m, d: m.labels_


@adapter("ward", "scipy")
def _(cfg):
    from scipy.cluster.hierarchy import linkage

    return lambda d: linkage(d["X"], "ward"), lambda m, d: m


@adapter("ward", "fastcluster")
def _(cfg):
    import fastcluster

    return lambda d: fastcluster.linkage(d["X"], "ward"), lambda m, d: m


@adapter("ward", "fastcluster vector")
def _(cfg):
    import fastcluster

    return lambda d: fastcluster.linkage_vector(d["X"], "ward"), lambda m, d: m


def _pca(cls, **kw):
    return (
        (lambda d: cls(d["k"], **kw).fit(d["X"])),
        (lambda m, d: m.transform(d["X"])),
        lambda m: {"components": m.components_},
    )


for _s in ("full", "covariance_eigh", "randomized"):

    @adapter("pca", "sklearn " + _s)
    def _(cfg, s=_s):
        from sklearn.decomposition import PCA

        return _pca(PCA, svd_solver=s, random_state=0)


for _s in ("full", "covariance_eigh"):

    @adapter("pca", "sklearnex " + _s)
    def _(cfg, s=_s):
        from sklearnex.decomposition import PCA

        return _pca(PCA, svd_solver=s)

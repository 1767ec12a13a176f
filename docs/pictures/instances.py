"""The pictures of the pages on instance-based learning and local regression: python docs/pictures/instances.py"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import learnt

HERE = Path(__file__).parent


def two_clouds(n: int, seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    x = rng.normal(size=(n, 2)) + 2.5 * y[:, None]
    return x, np.where(rng.random(n) < noise, 1 - y, y)


def noise() -> None:
    import matplotlib.pyplot as plt

    shares, seeds = np.arange(0, 0.41, 0.05), range(10)
    figure, panes = plt.subplots(1, 2, figsize=(8.5, 3.4), constrained_layout=True)
    for policy, mark in (("ib1", "o"), ("ib2", "s"), ("ib3", "^")):
        right, kept = np.empty((len(shares), 10)), np.empty((len(shares), 10))
        for a, share in enumerate(shares):
            for seed in seeds:
                model = learnt.InstanceBasedClassifier(policy=policy).fit(*two_clouds(1000, seed, share))
                right[a, seed], kept[a, seed] = model.score(*two_clouds(2000, 100 + seed, 0.0)), model.n_kept_
        for axes, values in ((panes[0], right), (panes[1], kept)):
            axes.plot(100 * shares, values.mean(axis=1), marker=mark, markersize=4, label=policy)
    panes[0].set(xlabel="labels flipped, %", ylabel="accuracy on clean rows", ylim=(0.5, 1))
    panes[1].set(xlabel="labels flipped, %", ylabel="rows kept of 1000", ylim=(0, 1050))
    for axes in panes:
        axes.grid(alpha=0.3)
    panes[1].legend(frameon=False)
    figure.savefig(HERE / "instances_noise.svg", metadata={"Date": None})


def lowess() -> None:
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(0, 10, 150))
    y = np.sin(x) + 0.25 * rng.normal(size=150)
    y[::12] += 4
    at = np.linspace(0, 10, 300)[:, None]
    figure, axes = plt.subplots(figsize=(6, 3.4), constrained_layout=True)
    axes.plot(x, y, ".", color="0.6", markersize=5)
    for rounds, name, style in ((0, "as it is", "--"), (3, "3 robust iterations", "-")):
        model = learnt.LocallyWeightedRegressor(frac=0.25, robust_iterations=rounds).fit(x[:, None], y)
        axes.plot(at[:, 0], model.predict(at), style, label=name)
    axes.set(xlabel="x", ylabel="y")
    axes.legend(frameon=False)
    figure.savefig(HERE / "lowess.svg", metadata={"Date": None})


def rectangles() -> None:
    import matplotlib.pyplot as plt

    iris = learnt.datasets.load("iris").select(["petallength", "petalwidth", "class"])
    rows = iris.take(np.random.default_rng(0).permutation(150))
    model = learnt.NestedExemplarsClassifier().fit(rows, "class")
    figure, axes = plt.subplots(figsize=(6, 3.8), constrained_layout=True)
    colours = [f"C{c}" for c in range(3)]
    for c, name in enumerate(model.classes_.tolist()):
        some = np.array(rows["class"].labels()) == name
        long, wide = (rows[column].values[some] for column in ("petallength", "petalwidth"))
        axes.plot(long, wide, ".", color=colours[c], label=name, alpha=0.6)
    found = model.rectangles_
    for low, high, c in zip(found.low, found.high, found.label, strict=True):
        size = np.maximum(high - low, 0.03)
        axes.add_patch(plt.Rectangle(low, *size, fill=False, edgecolor=colours[c], linewidth=1.5))
    axes.set(xlabel="petallength", ylabel="petalwidth")
    axes.legend(frameon=False)
    figure.savefig(HERE / "nested_exemplars.svg", metadata={"Date": None})


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same drawing gives the same file
    noise()
    lowess()
    rectangles()


if __name__ == "__main__":
    main()

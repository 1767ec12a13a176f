"""Draw the pictures of the pages on losses, gradient descent and Winnow: `python docs/pictures/online.py`."""

import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_matrix

import learnt

HERE = Path(__file__).parent
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file


def save(figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})


def mistakes(n_columns: int, rows: int = 20_000, relevant: int = 3) -> tuple[int, int, float]:
    """Of Winnow and of the perceptron on one pass: an "or" of three columns, a tenth of all cells true."""
    rng = np.random.default_rng(n_columns)
    true = rng.random((rows, n_columns)) < 0.1
    x, y = csr_matrix(true.astype(float)), true[:, :relevant].any(axis=1)
    winnow = learnt.Winnow(max_iter=1).fit(x, y)
    perceptron = learnt.Perceptron(max_iter=1).fit(x, y)
    return winnow.n_mistakes_, perceptron.n_mistakes_, winnow.mistake_bound(relevant)


def draw_winnow() -> None:
    counts = np.array([10, 30, 100, 200, 300, 400, 500, 600, 800, 1000])
    winnow, perceptron, bound = np.array([mistakes(int(n)) for n in counts]).T
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for ax in axes:
        ax.plot(counts, perceptron, "o-", ms=4, color="#c0392b", label="perceptron")
        ax.plot(counts, winnow, "s-", ms=4, color="#3b75af", label="Winnow2")
        ax.plot(counts, bound, "--", lw=1, color="#3b75af", label="Winnow2's bound")
        ax.set_xlabel("columns, of which 3 matter")
    axes[0].set_ylabel("mistakes in one pass")
    axes[0].legend()
    axes[1].set_xscale("log")
    axes[1].set_ylim(0, 1.4 * bound.max())
    axes[0].set_title("the perceptron's grow with the columns …", fontsize=10)
    axes[1].set_title("… Winnow's with their logarithm", fontsize=10)
    save(figure, "winnow_mistakes")


def draw_descents() -> None:
    rng = np.random.default_rng(0)
    table = {"x": rng.normal(1, 1, 60)}
    y = 2 + 3 * table["x"] + rng.normal(0, 1, 60)
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    for ax, mode, rate in zip(axes, ("batch", "mini-batch", "stochastic"), (0.25, 0.1, 0.03), strict=True):
        unit = learnt.LinearUnit(mode=mode, batch_size=10, standardize=False, learning_rate=rate, max_iter=12)
        with learnt.watch() as log:
            unit.fit(table, y)
        unit.plot_descent(table, y, log=log, ax=ax)
        ax.set_title(f"{mode}, η = {rate:g}", fontsize=10)
    save(figure, "descents")


def main() -> None:
    warnings.simplefilter("ignore", learnt.errors.ConvergenceWarning)
    save(learnt.losses.plot()[0].figure, "losses")
    draw_descents()
    draw_winnow()


if __name__ == "__main__":
    main()

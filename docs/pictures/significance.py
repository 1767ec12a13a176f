"""Draw the pictures of docs/significance.md: `python docs/pictures/significance.py`."""

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl

from learnt.evaluate import bayesian_t_test, nemenyi

HERE = Path(__file__).parent

#: Areas under the curve of four variants of a tree on fourteen tables, from J. Demšar's paper of 2006.
TREES = {
    "plain": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
    "m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
    "cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.975, 0.946],
    "m + cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970],
}
TREE = [0.93, 0.95, 0.91, 0.96, 0.94, 0.93, 0.97, 0.92, 0.95, 0.94]
BAYES = [0.92, 0.93, 0.91, 0.93, 0.93, 0.90, 0.95, 0.92, 0.92, 0.93]


def pictures() -> Iterator[tuple[str, str]]:
    yield "rank_diagram", nemenyi(TREES, alpha=0.1).plot().svg


def main() -> None:
    for name, svg in pictures():
        (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    axes = bayesian_t_test(TREE, BAYES, names=("tree", "bayes")).plot()
    axes.figure.savefig(HERE / "posterior_difference.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

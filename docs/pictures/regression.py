"""Draw the picture of docs/learners/linear_regression.md: `python docs/pictures/regression.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    cpu = learnt.datasets.load("cpu")
    axes = learnt.LinearRegression().fit(cpu).influence(cpu).plot()
    axes[0, 0].figure.savefig(HERE / "regression_diagnostics.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

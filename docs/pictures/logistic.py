"""Draw the picture of docs/learners/logistic_regression.md: `python docs/pictures/logistic.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    cancer = learnt.datasets.load("breast_cancer").select(["menopause", "node-caps", "deg-malig", "irradiat", "Class"])
    axes = learnt.LogisticRegression(penalty=None).fit(cancer, "Class").summary().plot()
    axes.figure.savefig(HERE / "odds_ratios.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

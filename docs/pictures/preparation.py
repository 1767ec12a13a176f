"""The picture of the page on choosing columns: python docs/pictures/preparation.py"""

from pathlib import Path

import matplotlib as mpl

import learnt


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same drawing gives the same file
    axes = learnt.SelectFeatures(k=4).fit(learnt.datasets.load("glass")).plot()
    axes.figure.savefig(Path(__file__).parent / "feature_scores.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

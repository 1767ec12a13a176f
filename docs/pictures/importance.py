"""The picture of the page on importance: python docs/pictures/importance.py"""

from pathlib import Path

import matplotlib as mpl

import learnt


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same drawing gives the same file
    train, test = learnt.train_test_split(learnt.datasets.load("glass"), random_state=0)
    model = learnt.C45Classifier().fit(train)
    axes = learnt.permutation_importance(model, test, n_repeats=20, random_state=0).plot()
    axes.figure.savefig(Path(__file__).parent / "importance.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

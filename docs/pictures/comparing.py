"""Draw the picture of docs/comparing.md: `python docs/pictures/comparing.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent
LEARNERS = [
    "MajorityClassifier",
    "C45Classifier",
    "DecisionTreeClassifier",
    "LogisticRegression",
    "NaiveBayesClassifier",
    "RandomForestClassifier",
]


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    axes = learnt.compare(learnt.datasets.load("breast_cancer"), learners=LEARNERS).plot()
    axes.figure.savefig(HERE / "comparison.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

"""Draw the pictures of docs/metrics.md: `python docs/pictures/metrics.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import learnt
from learnt.evaluate import CalibrationCurve, ConfusionMatrix, GainCurve, PrecisionRecallCurve, ResidualPlot, RocCurve

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    patients = learnt.datasets.breast_cancer()
    train, test = learnt.train_test_split(patients, test_size=0.5, stratify=True, random_state=0)
    bayes = learnt.NaiveBayesClassifier().fit(train)
    stump = learnt.DecisionStumpClassifier().fit(train)

    figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    RocCurve.of(bayes, test).plot(axes[0, 0], "naive Bayes")
    RocCurve.of(stump, test).plot(axes[0, 0], "stump")
    PrecisionRecallCurve.of(bayes, test).plot(axes[0, 1])
    CalibrationCurve.of(bayes, test, n_bins=5).plot(axes[1, 0])
    GainCurve.of(bayes, test).plot(axes[1, 1])
    figure.savefig(HERE / "score_curves.svg", metadata={"Date": None})

    glass = learnt.datasets.glass()
    train, test = learnt.train_test_split(glass, test_size=0.5, stratify=True, random_state=0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    ConfusionMatrix.of(learnt.C45Classifier().fit(train), test).plot(left)
    cpu = learnt.datasets.cpu()
    train, test = learnt.train_test_split(cpu, test_size=0.5, random_state=0)
    ResidualPlot.of(learnt.LinearRegression().fit(train), test).plot(right)
    figure.savefig(HERE / "confusion_residuals.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

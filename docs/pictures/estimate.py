"""Draw the picture of docs/estimate.md: `python docs/pictures/estimate.py`."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

from learnt.bayes.estimate import BetaBernoulli, NormalGamma

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    BetaBernoulli(2, 2, success="spam").update(["ham"] + ["spam"] * 9).plot(ax=left)
    left.set_title("One ham and nine spam, prior Beta(2, 2)")
    NormalGamma(mean=20, kappa=1, alpha=2, beta=8).update([21.3, 19.8, 23.1, 22.4, 20.9]).plot(ax=right)
    right.set_title("Mean and precision of five temperatures")
    figure.savefig(HERE / "estimate.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

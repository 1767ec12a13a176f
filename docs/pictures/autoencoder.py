"""Draw the picture of docs/learners/autoencoder.md: `python docs/pictures/autoencoder.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file
    vote = learnt.datasets.load("vote")
    votes = vote.drop("Class")
    model = learnt.Autoencoder(2, noise_level=0.1).fit(votes)
    axes = model.plot(votes, color=vote["Class"].labels())
    axes.figure.savefig(HERE / "autoencoder_votes.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()

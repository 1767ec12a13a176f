"""Draw the pictures that README.md and docs/explain.md show: `python docs/pictures/make.py`."""

from pathlib import Path

import matplotlib as mpl

import learnt

HERE = Path(__file__).parent
mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "learnt"  # the same picture gives the same file


def main() -> None:
    contracts = learnt.datasets.load("labor")
    target = "wage-increase-first-year"
    known = contracts.take(~contracts[target].missing).drop("class")
    model = learnt.LinearRegression().fit(known, target)
    axes = model.explain(known)[0].plot()
    axes.set_title("Why this contract is expected to raise wages by 5.1 %")
    axes.figure.savefig(HERE / "explanation.svg", bbox_inches="tight", metadata={"Date": None})

    model = learnt.LogisticRegression().fit(contracts, "class")
    axes = model.explain(contracts).plot()
    axes.figure.savefig(HERE / "contributions.svg", bbox_inches="tight", metadata={"Date": None})

    axes = learnt.compare(learnt.datasets.load("vote")).plot()
    axes.set_title("435 members of Congress: their party by 16 votes")
    axes.figure.savefig(HERE / "vote_comparison.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()

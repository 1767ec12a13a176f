"""The picture of the page on indexes of neighbours: python docs/pictures/neighbors.py

The numbers beside it are those of `python benchmarks/neighbors_crossover.py --csv docs/pictures/neighbor_costs.csv`.
"""

import csv
from pathlib import Path
from typing import Any

import matplotlib as mpl

HERE = Path(__file__).parent
SPREADS = {"even": "even", "surface": "near a surface"}
KINDS = (("brute_us", "all pairs", "o-"), ("kd_tree_us", "k-d tree", "s-"), ("vp_tree_us", "vantage points", "^-"))


def _read(value: str) -> Any:
    try:
        return float(value)
    except ValueError:
        return value


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same drawing gives the same file
    import matplotlib.pyplot as plt

    with open(HERE / "neighbor_costs.csv", newline="") as file:
        costs = [{name: _read(value) for name, value in row.items()} for row in csv.DictReader(file)]
    counts = sorted({row["rows"] for row in costs})
    figure, panes = plt.subplots(2, len(counts), figsize=(9, 5.6), sharex=True, sharey=True, constrained_layout=True)
    for line, (spread, words) in zip(panes, SPREADS.items(), strict=True):
        for axes, count in zip(line, counts, strict=True):
            some = [row for row in costs if row["rows"] == count and row["spread"] == spread]
            for name, label, mark in KINDS:
                axes.plot(
                    [row["columns"] for row in some], [row[name] for row in some], mark, markersize=4, label=label
                )
            axes.set(xscale="log", yscale="log", title=f"{count:,.0f} rows, {words}")
            axes.title.set_fontsize(10)
            axes.set_xticks([1, 2, 4, 8, 16, 32, 64], ["1", "2", "4", "8", "16", "32", "64"])
            axes.minorticks_off()
            axes.grid(alpha=0.3)
        line[0].set_ylabel("µs a question, one thread")
    for axes in panes[-1]:
        axes.set_xlabel("columns")
    panes[0][0].legend(frameon=False)
    figure.savefig(HERE / "neighbor_costs.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

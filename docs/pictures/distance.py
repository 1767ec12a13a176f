"""The picture of the page on distances, drawn by the gallery's program: python docs/pictures/distance.py"""

import runpy
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).parent


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "learnt"  # the same drawing gives the same file
    drawn = runpy.run_path(str(HERE.parent / "examples" / "plot_curse_of_dimensionality.py"))
    drawn["fig"].savefig(HERE / "curse_of_dimensionality.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

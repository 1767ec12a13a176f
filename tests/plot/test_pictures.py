"""The drawings on the pages are those the package draws today."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def test_the_drawn_trees_of_the_pages_are_up_to_date():
    drawn = dict(runpy.run_path(str(FOLDER / "trees.py"))["pictures"]())
    assert len(drawn) > 5
    for name, tree in drawn.items():
        stored = (FOLDER / f"{name}.svg").read_text("utf-8")
        assert stored == tree.draw().svg, f"{name}.svg is old: run python docs/pictures/trees.py and look at it"

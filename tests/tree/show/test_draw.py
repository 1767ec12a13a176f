import struct
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.tree.trees import PLAY, build, from_sklearn, leaf, node, numeric, play

from learnt.errors import FileError
from learnt.show.palette import class_colour, mixed
from learnt.show.sheet import Box, Curve, Words, text_width
from learnt.tree.arrays import one_leaf
from learnt.tree.show.dot import tree_dot
from learnt.tree.show.draw import draw, tree_svg
from learnt.tree.show.html import tree_html

HOSTILE = ["<script>&\"'", "a\x00b\x1b\ud800", "\\N \\", "]]>", "名前" * 30]


@pytest.fixture(scope="module")
def large():
    X, y = make_classification(900, 6, n_informative=5, n_redundant=0, flip_y=0.2, n_classes=3, random_state=0)
    model = DecisionTreeClassifier(random_state=0, min_samples_leaf=3).fit(X, y)
    return from_sklearn(model), numeric(*(f"column number {j}" for j in range(6))), ["red", "green", "blue"]


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    return from_sklearn(model), numeric(*(f"s{j}" for j in range(10))), None


def texts(svg: str) -> list[str]:
    return ["".join(t.itertext()) for t in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_a_drawing_says_columns_branches_answers_and_weights():
    said = texts(tree_svg(play(), PLAY, ["yes", "no"]))
    for text in ("outlook", "humidity", "windy", "sunny", "overcast", "rainy", "≤ 75", "> 75", "False", "True", "14"):
        assert text in said
    assert said.count("yes") == 3 + 1  # leaves and the legend
    assert said.count("no") == 2 + 1


def test_the_path_to_a_node_is_told_where_the_mouse_rests():
    svg = tree_svg(play(), PLAY, ["yes", "no"])
    titles = [t.text for t in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == play().node_count
    assert "outlook is sunny and humidity ≤ 75\nyes (2)\nyes: 2" in titles


def test_classes_have_colours_of_their_own():
    svg = tree_svg(play(), PLAY, ["yes", "no"])
    assert class_colour(0) in svg
    assert class_colour(1) in svg
    colours = {class_colour(c) for c in range(40)}
    assert len(colours) == 40
    assert all(len(colour) == 7 for colour in colours)


@pytest.mark.parametrize("which", ["large", "numbers"])
@pytest.mark.parametrize("most", [3, 20, 50, None])
def test_nothing_drawn_overlaps_or_leaves_the_sheet(which, most, request):
    tree, schema, classes = request.getfixturevalue(which)
    sheet = draw(tree, schema, classes, most=most).sheet
    nodes = [s for s in sheet.shapes if isinstance(s, Box) and s.title]
    words = [s for s in sheet.shapes if isinstance(s, Words)]
    boxes = np.array([(s.x, s.y, s.x + s.width, s.y + s.height) for s in nodes])
    labels = np.array([(s.x, s.y - s.size * 0.75, s.x + text_width(s.text, s.size, s.bold), s.y) for s in words])
    for rectangles in (boxes, labels):
        assert rectangles[:, :2].min() >= 0
        assert rectangles[:, 2].max() <= sheet.width
        assert rectangles[:, 3].max() <= sheet.height
        assert not overlapping(rectangles, rectangles, skip_same=True)
    # A label lies inside a box altogether (it is the box's own) or outside.
    for x, y, right, bottom in labels:
        inside = (boxes[:, 0] <= x) & (boxes[:, 1] <= y) & (boxes[:, 2] >= right) & (boxes[:, 3] >= bottom)
        if not inside.any():
            assert not overlapping(np.array([[x, y, right, bottom]]), boxes)


def overlapping(a: np.ndarray, b: np.ndarray, skip_same: bool = False) -> bool:
    across = (a[:, None, 0] < b[None, :, 2]) & (b[None, :, 0] < a[:, None, 2])
    along = (a[:, None, 1] < b[None, :, 3]) & (b[None, :, 1] < a[:, None, 3])
    both = across & along
    if skip_same:
        np.fill_diagonal(both, False)
    return bool(both.any())


def test_branches_are_as_thick_as_the_weight_they_carry():
    curves = [s for s in draw(play(), PLAY, ["yes", "no"]).sheet.shapes if isinstance(s, Curve)]
    assert len(curves) == play().node_count - 1
    by_weight = np.argsort(play().weight[1:], kind="stable")
    assert np.all(np.diff(np.array([c.thickness for c in curves])[by_weight]) >= 0)


def test_a_large_tree_ends_in_stubs_with_counts(large):
    tree, schema, classes = large
    assert tree.n_leaves > 60
    said = texts(tree_svg(tree, schema, classes))
    stubs = [text for text in said if text.endswith(" leaves")]
    hidden = sum(int(text.split("· ")[1].split(" ")[0]) for text in stubs)
    answers = sum(said.count(name) for name in classes) - len(classes)
    assert answers == 50
    assert answers - len(stubs) + hidden == tree.n_leaves


@pytest.mark.filterwarnings("ignore:Glyph")  # matplotlib's own font knows no Chinese
@pytest.mark.parametrize("name", HOSTILE)
def test_names_from_the_data_never_break_the_picture(name, tmp_path):
    tree = build(node(0, leaf(3, 1), leaf(0, 2), threshold=0.5))
    svg = tree_svg(tree, numeric(name), [name, "other"])
    ET.fromstring(svg.encode())  # well-formed, in UTF-8
    assert "<script" not in svg
    draw(tree, numeric(name), [name, "other"], tmp_path / "tree.png")
    html = tree_html(tree, numeric(name), [name, "other"])
    assert "<script" not in html


@pytest.mark.parametrize(("classes", "value"), [(["a", "b"], [3, 4]), (None, 2.5)])
def test_a_single_leaf_is_a_picture_too(classes, value):
    assert texts(tree_svg(one_leaf(value, 7), PLAY, classes))


def test_the_ending_of_the_name_decides_the_format(tmp_path):
    drawing = draw(play(), PLAY, ["yes", "no"], tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text("utf-8") == drawing.svg == drawing._repr_svg_()
    drawing.save(tmp_path / "tree.PNG")
    content = (tmp_path / "tree.PNG").read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert width == pytest.approx(2 * drawing.sheet.width, abs=2)
    assert height == pytest.approx(2 * drawing.sheet.height, abs=2)
    with pytest.raises(FileError, match=r"'\.pdf'.*\.svg or \.png"):
        drawing.save(tmp_path / "tree.pdf")
    with pytest.raises(FileError, match="without ending"):
        draw(play(), PLAY, ["yes", "no"], tmp_path / "tree")


def test_a_leaf_no_row_reached_is_left_without_colour():
    tree = build(node(0, leaf(3, 2), leaf(3, 2, weight=0.0), threshold=1.0, value=(3, 2)))
    reached, empty = [s for s in draw(tree, numeric("x"), ["a", "b"]).sheet.shapes if isinstance(s, Box) and s.title][
        1:
    ]
    assert empty.fill == "#ffffff" != reached.fill


def test_colours_mix_by_their_shares():
    assert mixed("#000000", "#ffffff", 0.0) == "#ffffff"
    assert mixed("#102030", "#ffffff", 1.0) == "#102030"
    assert mixed("#000000", "#ff0040", 0.5) == "#800020"


# Graphviz and notebooks


def test_graphviz_gets_every_node_and_branch():
    dot = tree_dot(play(), PLAY, ["yes", "no"])
    assert dot.startswith("digraph tree {")
    assert dot.count(" -> ") == 7
    assert 'n0 [label="outlook\\n14"];' in dot
    assert 'n1 -> n2 [label="≤ 75"];' in dot
    assert 'n2 [label="yes\\n2", fillcolor=' in dot


@pytest.mark.parametrize(
    ("name", "label"),
    [('a"b', r"a\"b"), (r"\N", r"\\N"), ("&lt;", "&amp;lt;"), ("x\ny", r"x\\ny"), ('\\"', r"\\\"")],
)
def test_names_have_no_meaning_in_graphviz(name, label):
    tree = build(node(0, leaf(3, 1), leaf(0, 2), threshold=0.5))
    assert f'n0 [label="{label}\\n6"];' in tree_dot(tree, numeric(name), ["a", "b"])


def test_graphviz_gets_stubs_on_request(large):
    dot = tree_dot(*large, most=5)
    assert dot.count("dashed") >= 1
    assert dot.count(" -> ") == 8


def test_notebooks_unfold_what_the_drawing_leaves_out(large):
    tree, schema, classes = large
    html = tree_html(tree, schema, classes)
    assert html.count("<details") == html.count("</details>") == (tree.node_count - tree.n_leaves - 1) + 1
    assert html.count("<div style='margin-left:2.2em'>") == tree.n_leaves
    assert "<details" not in tree_html(play(), PLAY, ["yes", "no"])


def test_regression_trees_are_shown_everywhere(numbers):
    tree, schema, _ = numbers
    assert "152.1 (442)" in texts(tree_svg(tree, schema))
    assert "152.1 (442)" in tree_dot(tree, schema)
    assert "<svg" in tree_html(tree, schema)

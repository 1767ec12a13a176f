"""Trees built by hand, and any tree of scikit-learn's as ours."""

import dataclasses
from typing import Any

import numpy as np

from learnt.data.schema import ColumnSchema, Schema
from learnt.tree.arrays import TreeArrays

FIELDS = [field.name for field in dataclasses.fields(TreeArrays)]


def leaf(*value: float, **more: Any) -> dict[str, Any]:
    return {"value": value, **more}


def node(feature: int, *children: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An inner node; classification values and weights are the sums of its children's.

    `routes` has a child for each category, or is a dict for some of them, the others taking `otherwise`.
    """
    value = np.sum([child["value"] for child in children], axis=0)
    return {"value": value, "feature": feature, "children": children, **more}


def build(root: dict[str, Any]) -> TreeArrays:
    fields: dict[str, list[Any]] = {name: [] for name in FIELDS}
    kids: list[list[int]] = []

    def add(given: dict[str, Any]) -> int:
        i = len(kids)
        kids.append([])
        value = np.asarray(given["value"], dtype=float)
        routes = given.get("routes")
        by_code = routes if isinstance(routes, dict) else dict(enumerate(routes or []))
        fields["feature"].append(given.get("feature", -1))
        fields["threshold"].append(given.get("threshold", np.nan))
        fields["route_start"].append(-1 if routes is None else len(fields["routes"]))
        fields["n_routes"].append(len(by_code))
        fields["route_codes"] += by_code.keys()
        fields["routes"] += by_code.values()
        fields["otherwise"].append(given.get("otherwise", -1))
        fields["missing"].append(given.get("missing", -1))
        fields["weight"].append(given.get("weight", value.sum()))
        fields["impurity"].append(given.get("impurity", 0.0))
        fields["value"].append(value)
        fields["missing_weight"].append(given.get("missing_weight", 0.0))
        kids[i] += [add(child) for child in given.get("children", ())]
        return i

    add(root)
    for children in kids:
        fields["child_start"].append(len(fields["children"]))
        fields["n_children"].append(len(children))
        fields["children"] += children
    return TreeArrays(**{name: np.array(entries) for name, entries in fields.items()})


def from_sklearn(model: Any) -> TreeArrays:
    t = model.tree_
    classes = hasattr(model, "classes_")

    def part(i: int) -> dict[str, Any]:
        weight = float(t.weighted_n_node_samples[i])
        value = t.value[i, 0] * (weight if classes else 1.0)
        found = {"value": value, "weight": weight, "impurity": float(t.impurity[i])}
        if t.children_left[i] >= 0:
            children = [part(t.children_left[i]), part(t.children_right[i])]
            found |= {"feature": int(t.feature[i]), "threshold": float(t.threshold[i]), "children": children}
        return found

    return build(part(0))


def numeric(*names: str) -> Schema:
    return Schema(tuple(ColumnSchema(name, "numeric") for name in names))


PLAY = Schema(
    (
        ColumnSchema("outlook", "nominal", ("sunny", "overcast", "rainy")),
        ColumnSchema("humidity", "numeric"),
        ColumnSchema("windy", "boolean", (False, True)),
    )
)


def play() -> TreeArrays:
    """What C4.5 finds in the numeric weather table; classes yes, no."""
    sunny = node(1, leaf(2, 0), leaf(0, 3), threshold=75.0)
    rainy = node(2, leaf(3, 0), leaf(0, 2), routes=[0, 1])
    return build(node(0, sunny, leaf(4, 0), rainy, routes=[0, 1, 2]))

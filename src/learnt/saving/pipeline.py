"""scikit-learn's Pipeline of learnt's learners: its steps by name, in their order. Nothing else of it is stored."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from learnt.errors import SavedModelError
from learnt.saving.container import Refused
from learnt.saving.state import is_learner

if TYPE_CHECKING:
    from learnt.saving.decode import Decoder
    from learnt.saving.encode import Encoder

KIND = "pipeline"
_PASSES = ("passthrough", None)


def is_pipeline(value: Any) -> bool:
    """Whether a value is exactly scikit-learn's Pipeline, which is not imported to find out."""
    home = sys.modules.get("sklearn.pipeline")
    return home is not None and type(value) is home.Pipeline


def pipeline_node(encoder: Encoder, pipeline: Any, where: str, depth: int) -> dict[str, Any]:
    """The steps of a pipeline; one that is no learner of learnt is refused, by its name."""
    if pipeline.memory is not None:
        raise SavedModelError(
            f"{where} keeps fitted steps in memory={pipeline.memory!r}, which cannot be saved. "
            "Call set_params(memory=None) on it first."
        )
    names, steps = [], []
    for name, step in pipeline.steps:
        if not (is_learner(step) or is_pipeline(step) or step in _PASSES):
            home = type(step).__module__.split(".")[0]
            raise SavedModelError(
                f"The step {name!r} is a {type(step).__name__} of {home}, which cannot be saved. A pipeline is saved "
                "if its steps are learners of learnt. Use one of those, or save the steps one by one in their own ways."
            )
        names.append(name)
        steps.append(encoder.value(step, f"{where}[{name!r}]", depth + 1))
    return {"$": KIND, "names": names, "steps": steps}


def build_pipeline(decoder: Decoder, node: dict[str, Any], depth: int) -> Any:
    """A pipeline of the steps in a file."""
    names, nodes = node.get("names"), node.get("steps")
    if set(node) != {"$", "names", "steps"} or not isinstance(names, list) or not isinstance(nodes, list):
        raise Refused("It has a pipeline with entries other than names and steps")
    if not names or len(names) != len(nodes) or not all(isinstance(name, str) for name in names):
        raise Refused("It has a pipeline whose names and steps do not fit")
    if len(set(names)) < len(names) or any("__" in name for name in names):
        raise Refused("It has a pipeline whose steps cannot be called so")
    steps = [decoder.value(part, depth + 1) for part in nodes]
    try:
        from sklearn.pipeline import Pipeline
    except ImportError:
        raise Refused("It is a pipeline of scikit-learn, which is not installed: pip install scikit-learn") from None
    if not all(is_learner(step) or is_pipeline(step) or step in _PASSES for step in steps):
        raise Refused("It has a pipeline with a step that is not a learner")
    return Pipeline(list(zip(names, steps, strict=True)))

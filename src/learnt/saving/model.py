"""`save` and `load`: a learner and a file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import learnt
from learnt.errors import SavedModelError
from learnt.saving.container import Container, Refused, write_container
from learnt.saving.decode import Decoder
from learnt.saving.encode import Encoder
from learnt.saving.pipeline import is_pipeline
from learnt.saving.state import is_learner
from learnt.saving.trial import try_to_answer

FORMAT = "learnt model"
FORMAT_VERSION = 2  # 2: pipelines; files of learners alone say 1, and earlier versions read them
MAX_BYTES = 4 * 2**30


def save(model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a learner, fitted or not, or a scikit-learn Pipeline of learners, into one file that `load` reads back.

    | setting | default | meaning |
    |---|---|---|
    | `notes` | none | what shall be known of the model besides, in types of JSON; `read_notes` gives them back |

    The file is a safetensors file: arrays are its tensors, the rest is JSON in its header. It is written beside `path`
    and moved into place when complete; links are followed, and a file that is replaced keeps its permissions. Settings
    that are functions or random generators cannot be saved; the error names them.

    >>> from learnt import MeanRegressor
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "mean.learnt")
    >>> save(MeanRegressor().fit([[1.0], [2.0]], [3.0, 5.0]), path)
    >>> load(path).predict([[7.0]])
    array([4.])
    """
    if not is_learner(model) and not is_pipeline(model):
        raise SavedModelError(
            f"A {type(model).__name__} came. Expected a learner whose class is registered under its name, as "
            "those of learnt are, or a scikit-learn Pipeline of such. Save the learners inside it, or derive its class "
            "from learnt.learner.base.Learner."
        )
    encoder = Encoder()
    document = {
        "format": FORMAT,
        "format_version": 2 if is_pipeline(model) else 1,
        "learnt_version": learnt.__version__,
        "model": encoder.value(model, type(model).__name__),
        **({"notes": dict(notes)} if notes else {}),
    }
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    write_container(Path(path), encoder.tensors, text)


def load(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Any:
    """Read a learner, or a pipeline of them, that `save` wrote. The file may come from anyone: it is data, never code.

    Classes are looked up among learnt's learners (and those you have defined), every size is
    checked before memory is taken, and what the learner cannot have is refused. Whatever is wrong
    with the file, the error is a `SavedModelError`.

    | setting | default | meaning |
    |---|---|---|
    | `max_bytes` | 4 GiB | more memory than this is not used for the model |
    """
    try:
        with open(path, "rb") as file:
            container = Container(file, max_bytes)
            decoder = Decoder(container)
            model = decoder.value(_model_node(container.document))
            container.check_all_taken()
            try_to_answer(model)
            return model
    except FileNotFoundError as error:
        raise SavedModelError(f"There is no file {os.fspath(path)!r}. Give the path that was saved to.") from error
    except Exception as error:  # one place for whatever a broken file can cause
        what = _one_line(error)
        raise SavedModelError(f"{os.fspath(path)!r} cannot be loaded. {what}. Save the model again.") from error


def read_notes(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """What `save` was told about the model; empty where that was nothing. Written by anyone, like all of the file."""
    try:
        with open(path, "rb") as file:
            document = Container(file, max_bytes).document
        _model_node(document)
    except Exception as error:
        what = _one_line(error)
        raise SavedModelError(f"{os.fspath(path)!r} cannot be read. {what}. Save the model again.") from error
    return dict(document.get("notes", {}))


def _one_line(error: Exception) -> str:
    """What an error says, arrays of many lines included."""
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _model_node(document: Any) -> dict[str, Any]:
    """The model inside the document, after its format and version have been found readable."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise Refused("It is a safetensors file, but not one that learnt.save wrote")
    version = document.get("format_version")
    if type(version) is not int or not 1 <= version <= FORMAT_VERSION:
        raise Refused(
            f"Its format version is {str(version)[:40]!r}, and learnt {learnt.__version__} reads 1 to "
            f"{FORMAT_VERSION}; it was saved by learnt {str(document.get('learnt_version'))[:40]!r}"
        )
    node = document.get("model")
    if not isinstance(node, dict) or node.get("$") not in ("learner", "pipeline")[:version]:
        raise Refused("It holds no learner")
    if set(document) - {"notes"} != {"format", "format_version", "learnt_version", "model"}:
        raise Refused("Its document has unknown entries")
    if not isinstance(document.get("notes", {}), dict):
        raise Refused("Its notes are not a JSON object")
    return node

"""What learnt writes for somebody goes through `whole_file`; who writes otherwise is listed, with the reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2] / "src" / "learnt"

#: Who opens files to write by other means, and why nobody loses a file by it.
OTHERWISE = {
    "whole_file.py": "it is the one place",
    "evaluate/journal.py": "a journal grows line by line; a torn last one is cut off",
    "cli/writing/journals.py": "the new, empty file of a journal",
    "engine/engines.py": "state in a scratch folder of this process",
    "engine/cluster/kept_rows.py": "rows in a scratch folder of this process",
    "recommendation/blocks.py": "sorted ratings in a scratch folder of this process",
    "evaluate/workers/shared.py": "rows in a scratch folder of this process",
    "evaluate/workers/processes.py": "what workers print, in a scratch folder of this process",
    "cli/terminal/streams.py": "standard streams",
}
_METHODS = {"write_text", "write_bytes", "savefig", "touch", "tofile", "open_memmap", "mkstemp", "NamedTemporaryFile"}


def writers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of each call that may write to a file by its name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        text = ast.unparse(node)
        if called in _METHODS and not _goes_to_memory(node):
            yield node.lineno, text
        elif called == "open" and text.startswith("os.open"):
            if any(flag in text for flag in ("O_WRONLY", "O_RDWR", "O_CREAT")):
                yield node.lineno, text
        elif called == "open" and any(set(mode) & set("wax+") for mode in _modes(node)):
            yield node.lineno, text


def _modes(call: ast.Call) -> list[str]:
    """The texts among the arguments that can be modes of a file."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    texts = [node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [text for text in texts if set(text) <= set("rwaxbt+")]


def _goes_to_memory(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id in ("buffer", "content")


@pytest.mark.costly
def test_files_are_written_whole_or_not_at_all():
    wrong = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {text}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).as_posix() not in OTHERWISE
        for line, text in writers(ast.parse(path.read_text("utf-8")))
    ]
    assert not wrong, "write through learnt.whole_file:\n" + "\n".join(wrong)


def test_who_is_listed_writes():
    idle = [name for name in OTHERWISE if not list(writers(ast.parse((ROOT / name).read_text("utf-8"))))]
    assert idle == []


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "path.open('xb')",
        "Path(path).write_text(text)",
        "figure.savefig(path)",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "tempfile.mkstemp()",
    ],
)
def test_a_file_written_in_place_is_found(code):
    assert list(writers(ast.parse(code)))


@pytest.mark.parametrize("code", ["open(path)", "open(path, 'rb')", "figure.savefig(buffer)", "source.open()"])
def test_reading_is_let_pass(code):
    assert not list(writers(ast.parse(code)))

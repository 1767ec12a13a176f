"""The main job, shown on a bundled table: compare all learners, train one, ask it why.

Run it with `make demo` or `python -m learnt.demo`; it writes demo.html, the report of the comparison.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
import time
from pathlib import Path

from learnt.cli import main as run

TABLE = "dataset:vote"  # 435 members of Congress, 16 votes, 392 of them not cast: mixed up enough to be worth a look


def main(path: str = "demo.html") -> None:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "vote.learnt")
        shown = {path: Path(path).name, model: "vote.learnt"}
        _command(["learnt", "compare", TABLE, "--report", path], shown)
        _command(["learnt", "train", TABLE, "--learner", "C45Classifier", "-o", model], shown)
        _command(["learnt", "explain", model, TABLE, "--row", "0"], shown)
    print(f"\nWrote {path} in {time.perf_counter() - started:.0f} s. Open it in a browser.")


def _command(words: list[str], shown: dict[str, str]) -> None:
    """Run a command as a shell would, under a line that shows it; one that fails ends the demo."""
    line = shlex.join(shown.get(word, word) for word in words)
    print(f"\n── $ {line} " + "─" * max(0, 74 - len(line)), flush=True)
    try:
        run(words[1:])
    except SystemExit as leaving:
        if leaving.code:
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])

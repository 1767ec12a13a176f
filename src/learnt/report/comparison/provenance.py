"""Section 12: hashes, versions, seed, the command, and a script that repeats it all."""

from __future__ import annotations

import base64
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from learnt.report.comparison.fingerprint import file_hash, fingerprint
from learnt.report.comparison.reproduce import DATASET, script
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import short, time_words
from learnt.report.section import Section
from learnt.show.numbers import NOTHING

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

PACKAGES = ("numpy", "scipy", "pyarrow")
COMMAND_WIDTH = 2000


def provenance(comparison: Comparison) -> Section:
    source = comparison.source
    hashed = file_hash(source) if source and not source.startswith(DATASET) else None
    pairs: list[tuple[str, Any, bool]] = [
        ("Data", fingerprint(comparison.problem), True),
        *([("File", hashed, True)] if hashed else []),
        ("Source", short(source, 200) if source else "a table in memory", False),
        ("Command", short(comparison.command, COMMAND_WIDTH) if comparison.command else NOTHING, True),
        ("Random seed", str(comparison.random_state), False),
        ("Versions", ", ".join(_versions()), False),
        ("Platform", f"{platform.system()} {platform.machine()}", False),
    ]
    text = script(comparison)
    body = fill_template(
        "provenance.html.j2",
        pairs=pairs,
        script=text,
        link="data:text/x-python;charset=utf-8;base64," + base64.b64encode(text.encode()).decode(),
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=time_words(comparison.seconds),
        cores=os.cpu_count() or 1,
    )
    return Section("reproduce", "How to repeat it", "Repeat it", body)


def _versions() -> list[str]:
    from learnt import __version__

    found = [f"learnt {__version__}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return found

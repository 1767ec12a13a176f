"""Which processes are alive, from /proc: of a parent, or of a session."""

from __future__ import annotations

from pathlib import Path

PARENT, SESSION = 1, 3  # places in /proc/…/stat after the name


def alive(field: int, number: int) -> list[int]:
    """Processes whose parent or session has that number; ended ones that nobody has asked after do not count."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            facts = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended just now
            continue
        if int(facts[field]) == number and facts[0] != "Z":
            found.append(int(entry.name))
    return found

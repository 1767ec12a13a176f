"""What only POSIX has stands behind branches, so that the core is built on Windows too."""

import re
from pathlib import Path

CORE = Path(__file__).parents[2] / "core"
POSIX = re.compile(r"#include <(sys/\w+|unistd|pthread|sched|fcntl|dlfcn|dirent|poll|signal)\.h>")


def bare_includes(text):
    """Lines that include a header of POSIX outside of every #if."""
    depth, found = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#if"):
            depth += 1
        elif line.startswith("#endif"):
            depth -= 1
        elif depth == 0 and POSIX.match(line):
            found.append(number)
    return found


def test_headers_of_posix_are_included_behind_branches():
    files = [path for path in CORE.rglob("*") if path.suffix in (".hpp", ".cpp")]
    assert {str(p.relative_to(CORE)): found for p in files if (found := bare_includes(p.read_text("utf-8")))} == {}


def test_a_bare_include_is_found():
    assert bare_includes("#include <unistd.h>\n#if defined(__linux__)\n#include <sched.h>\n#endif\n") == [1]

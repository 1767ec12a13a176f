"""Print the requirements pyproject.toml lists under the given names, one a line, for pip.

"build" is what the build needs, "run" what the package needs, anything else one of its extras.
So that `make` can install them apart from the package, which is then rebuilt without asking again.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
lists = {
    "build": project["build-system"]["requires"] + ["cmake>=3.24", "ninja>=1.11"],
    "run": project["project"]["dependencies"],
    **project["project"]["optional-dependencies"],
}
for name in sys.argv[1:]:
    if name not in lists:
        sys.exit(f"There is no list {name!r} in pyproject.toml. The lists are {', '.join(lists)}.")
    print("\n".join(lists[name]))

"""Make a virtual environment that sees the packages of this one, but not its editable installs.

    python tools/borrow_venv.py build/sanitize/venv

A path in a .pth file is searched for packages, while .pth files inside it are not read; it is those
that make an editable install, so another build of the same package can stand in front.
"""

import sys
import sysconfig
import venv
from pathlib import Path

home = Path(sys.argv[1])
if not (home / "bin" / "python").exists():
    venv.create(home, symlinks=True)
own = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
own.mkdir(parents=True, exist_ok=True)
(own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

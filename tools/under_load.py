"""Run a command on a busy machine: `python tools/under_load.py --busy 8 -- make test`

Starts so many processes that do nothing but keep a core busy, runs the command beside them and stops them. The exit
code is that of the command. For tests that must not depend on how busy a machine is.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

#: Ends by itself when whoever started it is gone, so that none is left behind by a kill.
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(1_000_000))"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--busy", type=int, default=8, metavar="N", help="busy processes beside the command (8)")
    options.add_argument("command", nargs=argparse.REMAINDER, help="after --")
    given = options.parse_args()
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if not command:
        options.error("there is no command to run")
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(given.busy)]
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        return 130
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


if __name__ == "__main__":
    sys.exit(main())

"""Install a wheel into a clean environment without a compiler, and let it fit a model there; audit its ABI.

python tools/check_wheel.py dist/*.whl --limit-mb 10
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TRIAL = """
import learnt, sys
table = learnt.Table({"x": [0.0, 1.0, 2.0, 3.0], "town": ["a", "b", "a", "b"]})
assert "site-packages" in learnt.__file__, learnt.__file__
prediction = learnt.LinearRegression().fit(table, [1.0, 3.0, 5.0, 7.0]).predict(table)
assert max(abs(prediction - [1.0, 3.0, 5.0, 7.0])) < 1e-9, prediction
assert len(set(learnt.KMeans(n_clusters=2, random_state=0).fit(table).labels_)) == 2
print(f"learnt {learnt.__version__} fits and predicts under Python {sys.version.split()[0]}")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--limit-mb", type=float, default=10.0)
    args = parser.parse_args()

    size = args.wheel.stat().st_size / 1e6
    print(f"{args.wheel.name}: {size:.2f} MB", flush=True)
    if size > args.limit_mb:
        raise SystemExit(f"The wheel is larger than {args.limit_mb:g} MB.")

    audit(args.wheel)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "venv"
        venv.create(home, with_pip=True)
        python = home / "bin" / "python"
        # No compiler to be found, and none that works if something looks elsewhere.
        bare = {**os.environ, "PATH": str(home / "bin"), "CC": "false", "CXX": "false"}
        install = [python, "-m", "pip", "install", "-q", "--only-binary=:all:", args.wheel.resolve()]
        subprocess.run(install, check=True, env=bare, cwd=folder)
        subprocess.run([python, "-c", TRIAL], check=True, env=bare, cwd=folder)


def audit(wheel: Path) -> None:
    """A wheel that says abi3 in its name must use no symbol that a later Python may lack."""
    if "-abi3-" not in wheel.name:
        print(
            "no stable ABI: the wheel is for this version of Python alone; build it under Python 3.12 or later",
            flush=True,
        )
        return
    subprocess.run(
        [sys.executable, "-m", "abi3audit", "--strict", "--verbose", "--summary", wheel.resolve()], check=True
    )


if __name__ == "__main__":
    main()

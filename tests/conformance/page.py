"""The page docs/conformance.md, written from the checks themselves: python -m tests.conformance.page"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "conformance.md"

_INTRODUCTION = """\
# What every learner is held to

Defining a learner registers it, and the tests then run every check below that its abilities call for,
without a line written for it. Two suites run:

- scikit-learn's own estimator checks, all of them, those of clusterers too, which it runs for its own classes alone;
  baselines, `Winnow` and `OrdinalRegression` say by its tag `poor_score` that scores on its clouds of numbers are not
  to be expected of them, as its own `BernoulliNB` does, and are checked in everything else;
- learnt's checks, one idea each, listed here by topic.

Learners with the ability `text` take documents, not tables of numbers: of the checks below they run those that hand
over no rows, and those under *Documents*; scikit-learn, whose checks need two dimensions, runs one.

A check that a learner rightly fails stands under *Expected failures* with its reason. The tests fail when one of
them passes, so that the list cannot grow stale. Checks marked *expensive* or *by thirds* and those of scikit-learn
run for all learners in `make test-all`, and in `make test` for a sample that changes with every commit: about a
sixth, or a third, of each family. A run ends with a count of both suites:

    python -m pytest tests/conformance -n auto

This page is written by `python -m tests.conformance.page`, and a test compares the two.
"""

_TOPICS = {
    "tables": "Tables",
    "arrays": "Arrays",
    "targets": "Targets",
    "weights": "Weights",
    "edges": "Tables at the edge",
    "fitting": "Fitting",
    "settings": "Settings",
    "explaining": "Explaining",
    "saving": "Saving",
    "scans": "Files larger than memory",
    "cluster": "Clusters",
    "threads": "Threads",
    "processes": "Processes and signals",
    "text": "Documents",
}


def page() -> str:
    from tests.conformance.checks import all_checks
    from tests.conformance.expected_failures import OWN, SKLEARN

    parts = [_INTRODUCTION]
    topics = dict.fromkeys([*_TOPICS, *(check.topic for check in all_checks())])
    for topic in topics:
        parts.append(f"## {_TOPICS.get(topic, topic.capitalize())}\n")
        parts += [
            f"- **{check.name.replace('_', ' ').capitalize()}{_for_whom(check)}.** {check.says}"
            for check in all_checks()
            if check.topic == topic
        ]
        parts.append("")
    parts.append("## Expected failures\n")
    parts.append("| learner | check | reason |\n|---|---|---|")
    for table, owner in ((SKLEARN, "scikit-learn's"), (OWN, "learnt's")):
        parts += [f"| `{learner}` | {owner} `{check}` | {why} |" for (learner, check), why in sorted(table.items())]
    return "\n".join(parts) + "\n"


def _for_whom(check) -> str:
    words = sorted(check.needs) + ([check.task] if check.task else []) + sorted(check.only)
    words += [f"not {ability}" for ability in sorted(check.unless)]
    words += ["expensive"] if check.expensive else ["by thirds"] if check.parts > 1 else []
    return f" ({', '.join(words)})" if words else ""


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(page(), encoding="utf-8")

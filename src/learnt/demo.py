"""The main job, shown on a bundled table: describe it, fit learners, explain what they say.

Run it with `make demo` or `python -m learnt.demo`; it writes demo.html.
"""

from __future__ import annotations

import sys
import time

import learnt
from learnt.report import Page


def main(path: str = "demo.html") -> None:
    started = time.perf_counter()
    contracts = learnt.datasets.load("labor")
    about = learnt.datasets.info("labor")
    page = Page(
        "57 labour contracts, as they are",
        "Numbers, categories and 326 missing cells go in without preparation; every answer comes with its arithmetic.",
    )
    _describe(contracts, about, page)
    _baseline(contracts, page)
    _tree(contracts, page)
    _regression(contracts, page)
    _clusters(contracts, page)
    written = page.write(path)
    print(f"\nWrote {written} in {time.perf_counter() - started:.1f} s. Open it in a browser.")


def _headline(text: str) -> None:
    print(f"\n── {text} " + "─" * max(0, 76 - len(text)))


def _describe(contracts: learnt.Table, about: object, page: Page) -> None:
    _headline("The table")
    description = learnt.describe(contracts)
    print(description)
    page.add("The table", "", about, description)


def _baseline(contracts: learnt.Table, page: Page) -> None:
    _headline("MajorityClassifier: what is known without looking")
    model = learnt.MajorityClassifier().fit(contracts)
    because = model.explain(contracts)[0]
    print(because)
    right = model.score(contracts)
    print(f"right for {right:.1%} of the contracts it was fitted to")
    page.add(
        "A baseline",
        f"MajorityClassifier always gives the most frequent class. It is right for {right:.1%} of the contracts "
        "it was fitted to; a learner that looks at the columns has to do better.",
        because,
    )


def _tree(contracts: learnt.Table, page: Page) -> None:
    _headline("C45Classifier: a few questions")
    model = learnt.C45Classifier().fit(contracts)
    because = model.explain(contracts)[0]
    right = model.score(contracts)
    print(f"{model}\n\nright for {right:.1%} of the contracts it was fitted to\n\n{because}")
    page.add(
        "A tree",
        f"C45Classifier asks a few questions, one after another. It is right for {right:.1%} of the contracts it was "
        "fitted to. A contract whose answer is missing goes both ways, in parts.",
        model.draw(),
        because,
    )


def _regression(contracts: learnt.Table, page: Page) -> None:
    target = "wage-increase-first-year"
    _headline(f"LinearRegression: what goes with {target}?")
    known = contracts.take(~contracts[target].missing).drop("class")
    model = learnt.LinearRegression().fit(known, target)
    fit = model.score(known, target)
    print(f"R² on the {known.n_rows} contracts it was fitted to: {fit:.2f} (rank {model.rank_})\n")
    because = model.explain(known)[0]
    print(because)
    page.add(
        "A number from mixed columns",
        f"LinearRegression predicts {target} from {known.n_columns - 1} columns, half of them categories, most of "
        f"them with missing cells. R² on the {known.n_rows} contracts it was fitted to is {fit:.2f}; on new ones it "
        "would be lower. Here is its arithmetic for the first contract.",
        because,
    )


def _clusters(contracts: learnt.Table, page: Page) -> None:
    _headline("KMeans: contracts that are alike")
    with learnt.watch() as log:
        model = learnt.KMeans(2, n_init=10, random_state=0).fit(contracts)
    classes, answers = contracts["class"].labels(), model.labels_.tolist()
    rows = [f"cluster   rows  {'bad':>5}{'good':>6}"]
    for cluster in range(2):
        held = [label for label, answer in zip(classes, answers, strict=True) if answer == cluster]
        rows.append(f"{cluster:7} {len(held):6} {held.count('bad'):6}{held.count('good'):6}")
    crossed = "\n".join(rows)
    because = model.explain(contracts)[0]
    print(f"{len(log)} steps watched, inertia {model.inertia_:.1f}; the class was not shown to it:\n{crossed}\n")
    print(because)
    page.add(
        "Groups",
        "KMeans did not see the class of the contracts. Its two groups against the class, and why the first "
        "contract is in its group:",
        crossed,
        because,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])

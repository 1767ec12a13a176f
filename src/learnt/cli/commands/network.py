"""`learnt network`: a Bayesian network of a file, or learnt from a table: shown, drawn, asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from learnt.cli.arguments.inputs import load as load_table
from learnt.cli.arguments.inputs import without_columns
from learnt.cli.arguments.options import Drop, Json, Quiet, Report
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.terminal.console import print_json, say
from learnt.cli.terminal.notes import say_notes
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.results import say_written
from learnt.errors import InputError, ParameterError

if TYPE_CHECKING:
    from learnt.graphical import BayesianNetwork

EXAMPLES = """\b
Examples:
  learnt network alarm.bif
  learnt network garden.bif --query rain --given grass=wet
  learnt network garden.bif --given grass=wet --given slip=no --explain --query rain
  learnt network garden.bif --given grass=wet --most-probable
  learnt network garden.bif --draw garden.svg --report garden.html
  learnt network dataset:vote --query Class --given physician-fee-freeze=y
  learnt network houses.csv --structure chow_liu -o houses.bif
"""


@reads_tables
def network(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A network (.bif, .xml, or saved by learnt), or a table that one is learnt from."
        ),
    ],
    query: Annotated[
        list[str] | None,
        typer.Option(metavar="VARIABLE", help="What is asked for; may be given several times; all without it."),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(metavar="VARIABLE=STATE", help="What was seen; may be given several times."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="auto (exact), junction, elimination, loopy, weighting or gibbs.")
    ] = "auto",
    structure: Annotated[str, typer.Option(help="How a table's network is learnt: hill, chow_liu, k2 or pc.")] = "hill",
    score: Annotated[str, typer.Option(help="What hill and k2 make large: bic, aic, bdeu, k2 or loglik.")] = "bic",
    drop: Drop = None,
    reading: Reading = AS_FOUND,
    most_probable: Annotated[
        bool, typer.Option("--most-probable", help="The most probable states of all variables together.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="What each finding adds to the answer.")] = False,
    draw: Annotated[Path | None, typer.Option(help="Write a picture, .svg or .png, to this file.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the network as .bif, .xml, or .learnt to this file.")
    ] = None,
    report: Report = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a Bayesian network, ask it, draw it; learn it from a table.

    Of a table all columns are variables; numbers are cut into five intervals of equally many rows.

    Without --query and --given its variables are listed. The page of --report lets one set what was seen, and shows how
    the probabilities of all others move.
    """
    model = _load(file) if _is_network(file) else _learnt(file, structure, score, drop, reading, quiet or as_json)
    evidence = _findings(model, given or [])
    facts: dict[str, Any] = {"variables": len(model.variables), "edges": len(model.edges), "given": evidence}
    texts: list[str] = []
    if most_probable:
        best = model.most_probable(evidence)
        facts["most_probable"] = {"states": dict(best), "probability": best.probability}
        texts.append(str(best))
    elif query or evidence:
        answers = model.infer(query or None, evidence, method=method)
        facts["posteriors"] = {name: answer.to_dict() for name, answer in answers.items()}
        texts += map(str, answers.values())
    else:
        texts.append(str(model))
    if explain:
        if not query:
            raise ParameterError(
                "--explain was given without --query. Name the variable whose answer shall be explained."
            )
        explanations = [model.explain(name, evidence) for name in query]
        facts["explanations"] = [found.to_dict() for found in explanations]
        texts += map(str, explanations)
    written = _write(model, evidence, file, draw, output, report)
    if as_json:
        print_json(facts)
        return
    say("\n\n".join(texts))
    say_written([] if quiet else written)


def _is_network(file: str) -> bool:
    return file.lower().endswith((".bif", ".xml", ".xmlbif", ".learnt", ".safetensors"))


def _learnt(
    file: str, structure: str, score: str, drop: list[str] | None, reading: Reading, quiet: bool
) -> BayesianNetwork:
    from learnt.graphical import BayesianNetwork, learn_structure

    with progress(quiet=quiet):
        table = without_columns(load_table(file, None, reading), drop)
        found = learn_structure(table, structure, score=score)
        network = BayesianNetwork(found).fit(table, prior="bdeu")
    say_notes((*table.notes, *network.notes_), file, quiet=quiet)
    return network


def _load(file: str) -> BayesianNetwork:
    from learnt.graphical import BayesianNetwork, read_bif

    if not file.lower().endswith((".learnt", ".safetensors")):
        return read_bif(file)
    from learnt.saving import load

    model = load(file)
    if not isinstance(model, BayesianNetwork):
        raise InputError(f"{file!r} holds a {type(model).__name__}. Expected a BayesianNetwork.")
    return model


def _findings(model: BayesianNetwork, given: list[str]) -> dict[str, Any]:
    """VARIABLE=STATE, where either may hold '=': the longest name that fits is meant."""
    found: dict[str, Any] = {}
    for text in given:
        cuts = [i for i, c in enumerate(text) if c == "=" and text[:i].strip() in model.variables]
        if not cuts:
            names = ", ".join(model.variables[:8])
            raise ParameterError(f"--given {text!r} came. Expected VARIABLE=STATE; the variables are {names}.")
        name, word = text[: cuts[-1]].strip(), text[cuts[-1] + 1 :].strip()
        states = model.states(name)
        state: Any = next((s for s in states if str(s) == word), None)
        if state is None and name in model._cuts():  # a number, within one of the intervals
            state = _number(word)
        if state is None:
            raise ParameterError(f"{name!r} has no state {word!r}. Its states are {', '.join(map(str, states[:12]))}.")
        found[name] = state
    return found


def _number(word: str) -> float | None:
    try:
        value = float(word.replace("−", "-"))
    except ValueError:
        return None
    return None if value != value else value


def _write(
    model: BayesianNetwork,
    evidence: dict[str, Any],
    file: str,
    draw: Path | None,
    output: Path | None,
    report: Path | None,
) -> list[Path]:
    from learnt.whole_file import check_place, write_whole

    for place in (draw, output, report):
        if place is not None:
            check_place(place)
    if draw is not None:
        model.draw(evidence, draw)
    if output is not None:
        if output.suffix.lower() in (".bif", ".xml", ".xmlbif"):
            model.write_bif(output)
        else:
            from learnt.saving import save

            save(model, output)
    if report is not None:
        from learnt.report.network import network_page

        write_whole(report, network_page(model, evidence, Path(file).name), "The page")
    return [place for place in (draw, output, report) if place is not None]

"""`learnt recommend`: what a user will like, learnt from a table of ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from learnt.cli.arguments.completing import column_names
from learnt.cli.arguments.inputs import is_one_table, load
from learnt.cli.arguments.options import File, Json, MethodSettings, Quiet
from learnt.cli.arguments.reading import AS_FOUND, Reading, reads_tables
from learnt.cli.terminal.console import print_json, say
from learnt.cli.terminal.notes import say_notes
from learnt.cli.terminal.progress import progress
from learnt.cli.writing.results import say_written
from learnt.errors import InputError, ParameterError
from learnt.show.words import label
from learnt.whole_file import check_place

if TYPE_CHECKING:
    from learnt.recommendation import MatrixFactorization, Scored

EXAMPLES = """\b
Examples:
  learnt recommend ratings.csv --user 17
  learnt recommend ratings.csv --user 17 --explain -n 5
  learnt recommend plays.csv --implicit --item "Blue Train"
  learnt recommend ratings.csv --set rank=64 --save films.learnt
  learnt recommend films.learnt --user 17 --user 23 --json
"""


@reads_tables
def recommend(
    file: File,
    user: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Whom to recommend to; may be given several times.")
    ] = None,
    item: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="List items similar to this one; may be given several times.")
    ] = None,
    n: Annotated[int, typer.Option("--number", "-n", min=1, help="How many items to list.")] = 10,
    with_seen: Annotated[bool, typer.Option("--with-seen", help="List items too that the user has rated.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="What each of the user's own ratings adds to the first item's score.")
    ] = False,
    implicit: Annotated[
        bool, typer.Option("--implicit", help="Rows are clicks, plays or sales: there are no bad ratings.")
    ] = False,
    user_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Default: user, or the first.", autocompletion=column_names)
    ] = None,
    item_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Default: item, or the second.", autocompletion=column_names)
    ] = None,
    rating_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Default: rating, or the third.", autocompletion=column_names)
    ] = None,
    weight_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Default: weight, if any.", autocompletion=column_names)
    ] = None,
    settings: MethodSettings = None,
    save: Annotated[Path | None, typer.Option(help="Save the model to this file, to be asked again.")] = None,
    reading: Reading = AS_FOUND,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Recommend items to users, from a table with a row for each rating, or from a model saved before.

    A user who is not in the table gets what all like best. Settings are those of MatrixFactorization.
    """
    if save is not None:
        check_place(save, "The model")
    if explain and not user:
        raise ParameterError("--explain was given without --user. Name the user whose recommendation is explained.")
    columns = {"user": user_column, "item": item_column, "rating": rating_column, "weight": weight_column}
    hushed = as_json or quiet
    if file.lower().endswith((".learnt", ".safetensors")):
        if settings or implicit or any(columns.values()):
            raise ParameterError(
                f"{file!r} is a model already: columns, --set and --implicit are for tables. Leave them."
            )
        model = _load(file)
    else:
        model = _fit(file, implicit, settings or [], columns, reading, hushed)
    facts: dict[str, Any] = {
        "users": len(model.users_),
        "items": len(model.items_),
        "recommendations": [_of_user(model, one, n, with_seen, explain) for one in user or []],
        "similar": [{"item": one, "items": _facts(model.similar(one, n), "similarity")} for one in item or []],
    }
    if save is not None:
        from learnt.saving import save as save_model

        save_model(model, save)
    if as_json:
        for made in facts["recommendations"]:
            made.pop("texts")
        print_json(facts)
        return
    texts = [] if (user or item) and quiet else [str(model)]
    for made in facts["recommendations"]:
        new = "" if made["known"] else ", who is new: what all like best"
        texts.append(f"for {label(made['user'])}{new}\n" + "\n".join(made["texts"]))
    texts += [f"similar to {label(one)}\n{model.similar(one, n)}" for one in item or []]
    say("\n\n".join(texts))
    say_written([] if quiet or save is None else [save])


def _fit(
    file: str, implicit: bool, settings: list[str], columns: dict[str, str | None], reading: Reading, quiet: bool
) -> MatrixFactorization:
    from learnt.cli.arguments.given_settings import learner_from
    from learnt.data.files.scan import scan

    told = [*settings, "feedback=implicit"] if implicit else settings
    model: MatrixFactorization = learner_from("MatrixFactorization", told)
    with progress(quiet=quiet):
        if is_one_table(file):
            source: Any = load(file, None, reading)
        else:
            source = scan(file, **reading.settings)
            model.keep_ratings = True if model.keep_ratings is None else model.keep_ratings
        model.fit(source, **columns)
    say_notes(source.notes, file, quiet=quiet)
    return model


def _load(file: str) -> MatrixFactorization:
    from learnt.recommendation import MatrixFactorization
    from learnt.saving import load as load_saved

    model = load_saved(file)
    if not isinstance(model, MatrixFactorization) or not model.__sklearn_is_fitted__():
        raise InputError(f"{file!r} holds a {type(model).__name__}. Expected a fitted MatrixFactorization.")
    return model


def _of_user(model: MatrixFactorization, user: str, n: int, with_seen: bool, explain: bool) -> dict[str, Any]:
    found = model.recommend(user, n, without_seen=not with_seen)
    known = model.knows(user=user)
    made: dict[str, Any] = {"user": user, "known": known, "items": _facts(found, "score"), "texts": [str(found)]}
    if explain and len(found):
        why = model.explain_one(user, found[0][0])
        made["explanation"] = why.to_dict()
        made["texts"].append(f"\nwhy {label(found[0][0])}: {why}")
    return made


def _facts(found: Scored, what: str) -> list[dict[str, Any]]:
    return [{"item": item, what: score} for item, score in found]

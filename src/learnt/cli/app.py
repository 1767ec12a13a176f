"""The commands, gathered. Imported only when the command line runs."""

from __future__ import annotations

from typing import Annotated

import typer

import learnt
from learnt.cli.commands import (
    cluster,
    compare,
    datasets,
    describe,
    drift,
    experiment,
    explain,
    learners,
    network,
    predict,
    recommend,
    reduce,
    show,
    test,
    train,
)

EPILOG = """\b
Examples:
  learnt describe data.csv
  learnt compare data.csv --target y --report report.html --save model.learnt
  learnt train data.csv --target y --learner C45Classifier -o tree.learnt
  learnt test model.learnt later.csv
  learnt predict model.learnt new.csv -o answers.csv

\b
Exit codes:
  0    all went well
  1    an error of learnt itself, or nothing could be compared
  2    something you can mend: the message says what, a full disk or a wrong name
  130  interrupted (Ctrl-C)
  141  the reader of a pipe went away
"""


app = typer.Typer(
    help="Classical machine learning on tables. Any columns in, every prediction explained.",
    epilog=EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"learnt {learnt.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


app.command(epilog=describe.EXAMPLES)(describe.describe)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=train.EXAMPLES)(train.train)
app.command("test", epilog=test.EXAMPLES)(test.score_on_rows)
app.command(epilog=predict.EXAMPLES)(predict.predict)
app.command(epilog=drift.EXAMPLES)(drift.drift)
app.command(epilog=explain.EXAMPLES)(explain.explain)
app.command(epilog=show.EXAMPLES)(show.show)
app.command(epilog=cluster.EXAMPLES)(cluster.cluster)
app.command(epilog=reduce.EXAMPLES)(reduce.reduce)
app.command(epilog=network.EXAMPLES)(network.network)
app.command(epilog=recommend.EXAMPLES)(recommend.recommend)
app.command(epilog=learners.EXAMPLES)(learners.learners)
app.command(epilog=datasets.EXAMPLES)(datasets.datasets)
app.command(epilog=experiment.EXAMPLES)(experiment.experiment)

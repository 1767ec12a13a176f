"""The command as it was typed, for reports that say how to repeat them; advice for Python as it is typed."""

from __future__ import annotations

import re
import shlex

import typer

_ADVICE = re.compile(r"\b(metric|task|drop|keep|groups)=(?:'([^'\n]*)'|\[('[^'\n]*'(?:, '[^'\n]*')*)\])")


def as_options(text: str) -> str:
    """Settings that sentences advise to give, as options.

    >>> as_options("Leave it out: drop='x'. metric='auc' ranks by that, keep=['a', 'the b'] keeps them.")
    "Leave it out: --drop x. --metric auc ranks by that, --keep 'a,the b' keeps them."
    """

    def option(found: re.Match[str]) -> str:
        value = found[2] if found[3] is None else ",".join(found[3][1:-1].split("', '"))
        return f"--{found[1]} {shlex.quote(value)}"

    return _ADVICE.sub(option, text)


def typed_command(context: typer.Context, without: str = "") -> str:
    """What was typed, without the program's place and without the option called `without`."""
    words = ["learnt", context.info_name or ""]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        source = context.get_parameter_source(str(parameter.name))
        if source is None or source.name != "COMMANDLINE" or parameter.name == without:
            continue
        if parameter.param_type_name == "argument":
            words.append(str(value))
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], str(one)]
    return shlex.join(words)

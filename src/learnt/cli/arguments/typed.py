"""The command as it was typed, for reports that say how to repeat them."""

from __future__ import annotations

import shlex

import typer


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
        elif value is True:
            words.append(parameter.opts[0])
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], str(one)]
    return shlex.join(words)

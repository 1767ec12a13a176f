"""The help and the page of the command line list the same exit codes."""

import re
from pathlib import Path

from learnt.cli import MENDABLE, PIPE_CLOSED
from learnt.cli.app import EPILOG
from learnt.cli.commands.compare import INTERRUPTED

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


def test_the_help_and_the_page_list_the_codes_there_are():
    in_help = [int(code) for code in re.findall(r"(?m)^  (\d+)  ", EPILOG)]
    table = PAGE.read_text("utf-8").partition("| exit code | meaning |")[2].partition("\n\n")[0]
    on_page = [int(code) for code in re.findall(r"(?m)^\| (\d+) \|", table)]
    assert in_help == on_page == [0, 1, MENDABLE, INTERRUPTED, PIPE_CLOSED]

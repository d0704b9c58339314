"""The table of commands and what their options come from."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from fathom.cli import COMMANDS, commands
from fathom.frozen import descriptions
from fathom.limits import Limits
from tests.cli.conftest import Call


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_can_be_called(name: str) -> None:
    result = CliRunner().invoke(commands, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Usage: ")


def options_of(name: str) -> dict[str, click.Parameter]:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    return {option: parameter for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("command", ["research", "resume", "plan"])
@pytest.mark.parametrize("limit", Limits.model_fields)
def test_every_limit_is_a_flag_with_its_own_sentence(command: str, limit: str) -> None:
    option = options_of(command)[f"--{limit.replace('_', '-')}"]
    assert isinstance(option, click.Option)
    assert option.help is not None and option.help.startswith(descriptions(Limits)[limit])


@pytest.mark.parametrize("command", ["research", "resume", "plan", "eval"])
def test_the_models_of_a_run_can_be_chosen_by_flags(command: str) -> None:
    flags = ["--model", "--model-fast", "--model-strong", "--prefer-local", "--fallback-model", "--base-url"]
    assert {*flags, "--no-cache", "--no-web", "--prompts"} <= set(options_of(command))


@pytest.mark.parametrize(
    ("limit", "shown"), [("--max-tokens", "TOKENS"), ("--max-cost", "USD"), ("--max-calls", "N"), ("--max-checks", "N")]
)
def test_a_limit_shows_what_stands_behind_it(limit: str, shown: str) -> None:
    assert options_of("research")[limit].metavar == shown


@pytest.mark.parametrize("name", ["runs", "show", "plan"])
def test_every_listing_can_be_had_as_json(name: str) -> None:
    assert "--format" in options_of(name)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-depth", "9"], "less than or equal to 5"),
        (["--max-time", "soon"], "written like 90, 90s, 2m or 1h"),
        (["--max-time", "0"], "greater than 0"),
        (["--max-time", "nan"], "written like"),
        (["--max-calls", "many"], "valid integer"),
        (["--max-tokens", "nonsense"], "written like 200000, 200k or 1.5M"),
        (["--max-cost", "0"], "greater than 0"),
        (["--max-checks", "-1"], "greater than or equal to 0"),
        (["--order", "random"], "breadth_first"),
        (["--effort", "great"], "standard"),
        (["--max-dept", "2"], "--max-depth"),
    ],
)
def test_a_flag_that_is_wrong_is_named_with_what_it_takes(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(commands, ["research", "What is a name?", *arguments])
    assert result.exit_code == 2
    assert said in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_completion_offers_commands_and_the_values_of_a_limit() -> None:
    for shell in ("bash", "zsh", "fish"):
        result = CliRunner().invoke(commands, ["completion", shell])
        assert result.exit_code == 0 and "_FATHOM_COMPLETE" in result.output
    environment = {"_FATHOM_COMPLETE": "zsh_complete", "COMP_CWORD": "4"}
    result = CliRunner().invoke(
        commands, prog_name="fathom", env={**environment, "COMP_WORDS": "fathom research what --order d"}
    )
    assert "depth_first" in result.output


def test_no_command_imports_what_is_heavy_before_its_first_line() -> None:
    heavy = ("langgraph", "langchain_core", "jinja2", "fathom.reasoners", "opentelemetry", "rich")
    modules = {target.partition(":")[0] for target, _ in COMMANDS.values()} - {"fathom.cli.prompts"}
    code = f"import sys, {', '.join(sorted(modules))}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_what_the_machine_lacks_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("fathom.cli.commands.main", fail)
    done = call("runs")
    assert (done.code, done.err.count("\n"), len(done.complaints)) == (1, 1, 1)


def test_the_help_has_its_commands_and_its_options_in_sections(call: Call) -> None:
    top, one = (
        re.findall(r"^(\S.*):$", call(*words).out, re.MULTILINE) for words in (("--help",), ("research", "--help"))
    )
    assert top == ["Options", "Research", "Runs", "Documents and data", "Service and setup"]
    assert one == ["Question", "Sources", "Output", "Web", "Model", "Approval", "Limits", "Other"]


@pytest.mark.parametrize("name", ["research", "plan", "resume", "ask", "check", "doctor", "serve", "mcp", "eval"])
def test_every_option_is_in_the_help_once(call: Call, name: str) -> None:
    told = call(name, "--help").out
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    options = [each.opts[-1] for each in command.params if isinstance(each, click.Option)]
    assert [len(re.findall(rf"^  (?:-\w, )?(?:--\w+, )?{flag}(?![\w-])", told, re.MULTILINE)) for flag in options] == [
        1
    ] * len(options)

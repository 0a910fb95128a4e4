"""Numbers that are not finite are refused wherever a user can give one."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from scrutiny.cli import VERBS, group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.boundary.given import DEEPEST, refuse_odd_values
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import Plan, Resampling
from scrutiny.perturb.engine.recipe_syntax import read_recipe
from scrutiny.reliability.written_metrics import parse_rule
from scrutiny.run.planning.measurements import make_params
from scrutiny.run.planning.plan_file import plan_of, read_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.training.pretraining.recipe import recipe_from

NAN, INFINITY = float("nan"), float("inf")


@dataclass(frozen=True)
class Params:
    share: float = 0.5


@pytest.mark.parametrize("odd", [NAN, INFINITY, -INFINITY])
def test_a_number_is_found_wherever_it_lies(odd: float) -> None:
    with pytest.raises(PlanError, match=r"plan: a\.1\.share is (nan|-?inf), and only finite"):
        refuse_odd_values({"a": [1.0, Params(odd)]}, where="plan")
    with pytest.raises(PlanError, match="--margin is"):
        refuse_odd_values(odd, where="--margin")


def test_everything_else_passes() -> None:
    fine = {"a": [1, 2.5, None, True, "nan", b"x"], "b": Params(), "c": 10**200, "d": object()}
    refuse_odd_values(fine, where="plan")


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
def test_nesting_has_an_end(levels: int) -> None:
    value: object = 1
    for _ in range(levels):
        value = [value]
    with pytest.raises(PlanError, match="more than 50 levels deep") as told:
        refuse_odd_values(value, where="plan")
    assert len(str(told.value)) < 200
    del value


@pytest.mark.parametrize(
    "read",
    [
        lambda odd: make_params(Params, {"share": odd}, where="measure 'm'"),
        lambda odd: plan_of({"measure": [{"id": "m", "params": {"a": {"b": [odd]}}}]}),
        lambda odd: resolve(Plan(resampling=Resampling(level=odd))),
        lambda odd: recipe_from({"learning_rate": odd}),
    ],
)
def test_plans_parameters_and_recipes(read: object) -> None:
    for odd in (NAN, INFINITY):
        with pytest.raises(PlanError, match="only finite numbers"):
            read(odd)  # type: ignore[operator]


@pytest.mark.parametrize("rule", ["accuracy <= 1e999", "accuracy >= -1e999", "accuracy < 1e999 %"])
def test_limits_of_rules(rule: str) -> None:
    with pytest.raises(PlanError, match="only finite numbers"):
        parse_rule(rule)
    claim = {"says": "it is good", "estimate": "level", "rule": rule.removeprefix("accuracy ")}
    with pytest.raises(PlanError, match=r"with a limit, a finite number: '> 0'"):
        plan_of({"claim": [claim]})


def test_parameters_of_transformations() -> None:
    with pytest.raises(PlanError, match="expected a number of at most 300 characters"):
        read_recipe(f"typos(share={'9' * 5000})")
    with pytest.raises(PlanError, match=r"1e999 in the recipe 'typos\(share=1e999\)' is inf"):
        read_recipe("typos(share=1e999)")


@pytest.mark.parametrize("text", ['{"resampling": {"level": NaN}}', '{"seed": 1e999}'])
def test_plans_in_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(PlanError, match="only finite numbers"):
        read_plan(path)


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """A verb, and the verbs within it."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from commands(found, f"{name} {inner}")


def test_every_number_of_every_verb() -> None:
    checked = []
    for verb in VERBS:
        whole = group.get_command(click.Context(group), verb)
        assert whole is not None
        for name, command in commands(whole, verb):
            for option in command.params:
                if isinstance(option.type, click.types.FloatParamType):
                    checked.append(f"{name} {option.name}")
                    context = click.Context(command)
                    most = option.type.max if isinstance(option.type, click.FloatRange) else None
                    fine = 0.6 if most is None else min(0.6, most)
                    assert option.type_cast_value(context, str(fine)) == fine
                    with pytest.raises(PlanError, match=f"{max(option.opts, key=len)} is nan"):
                        option.process_value(context, "nan")
    assert {"compare margin", "train linear strength", "data overlap near"} <= set(checked)


def test_a_margin_that_nothing_exceeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(group, ["compare", "a", "b", "--margin", "nan"]) == 2
    assert capsys.readouterr().err.startswith("--margin is nan, and only finite numbers")

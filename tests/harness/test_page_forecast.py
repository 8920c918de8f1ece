"""The figures of what runs take, in docs/run-a-model.md, are what `plan` says of the ready plans."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from harness.phase_plans import forecast

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/run-a-model.md"
PRICES = "\nprices: {model: {input_usd: 1, output_usd: 4}}\n"
ROWS = {"Phase 0, both games": ("phase: 1",), "Phases 0 and 1, both games": ()}


@pytest.mark.parametrize(("part", "without"), ROWS.items())
def test_the_page_says_what_plan_forecasts(part: str, without: tuple[str, ...], tmp_path: Path) -> None:
    lines = (ROOT / "manifests" / "endpoint.yaml").read_text().splitlines()
    kept = [line for line in lines if not any(word in line for word in without)]
    (tmp_path / "plan.yaml").write_text("\n".join(kept) + PRICES)
    told = CliRunner().invoke(main, ["plan", str(tmp_path / "plan.yaml"), "--json"])
    load = json.loads(told.output)["load"]
    seat = next(seat for seat in load["seats"] if seat["seat"] == "model")
    tokens = ", ".join(f"{seat[kind] / 10**6:.1f} M" for kind in ("prompt_tokens", "reply_tokens"))
    hours, usd = float(load["wall_s"]) / 3600, float(load["cost_usd"])
    row = f"| {part} | {seat['calls']:,} | {tokens} | {hours:.0f} h | {usd:.0f} USD |"
    assert row in PAGE.read_text().splitlines()


@pytest.mark.parametrize("name", [pytest.param("phase2", marks=pytest.mark.slow), "phase3", "phase5"])
def test_the_page_says_what_the_plans_of_the_protocol_take(name: str) -> None:
    load = forecast(name)["load"]
    page = " ".join(PAGE.read_text().split())
    said = page.split(f"[{name}.yaml](../manifests/{name}.yaml)")[1].split(" USD")[0]
    assert f"{load['calls'] / 1e6:.1f} million" in said
    assert said.endswith(f"({round(float(load['cost_usd']), -2):,.0f}")

"""Runs with servers as people bring them, by YAML alone: sealed, played, verified with their lineage; lies fail."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.run import signing_keys
from agzamov_verify.checks.check_log import CheckLog, Number, Status
from agzamov_verify.checks.memory_step import Tier
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.core.journal import asked
from agzamov_verify.core.questions import Answer, Hit, Hits, Question
from agzamov_verify.core.script import drive
from agzamov_verify.plan.streams import block_script
from bundles.bundle_factory import Draft, chained, check, entries, promised, put, reseal_journal
from harness.commands import Commands
from harness.sealed_runs import finish, journals, played_so_far, seal, start
from harness.test_memory_run import CAREERS, SESSIONS
from harness.test_outside_memory import SERVERS, bundle_of, plan_of, verdict_of
from memory.plain_world import plain_yaml


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


def sealed(commands: Commands, folder: Path, name: str, arms: tuple[str, ...] = ("real",)) -> Path:
    """A sealed run with the adapter of that name."""
    for program in ("plain_notes_server.py", "stdio_server.py"):
        shutil.copy(SERVERS / program, folder)
    (folder / "notes.yaml").write_text(plain_yaml(name, program="${HERE}/plain_notes_server.py"))
    return seal(commands, folder, plan=plan_of(arms=arms))


@pytest.fixture(scope="module")
def previews(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a server that gives previews, and no export."""
    run = sealed(commands, tmp_path_factory.mktemp("previews"), "previews", ("placebo", "real"))
    finish(commands, run)
    return run


def test_a_server_without_an_export_reaches_v1_with_lineage_c(commands: Commands, previews: Path) -> None:
    verdict = verdict_of(previews)
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.level, step.status, verdict.lineages) == ("V1", Status.PASS, {"mine": Tier.BOUNDED})
    assert step.remark.startswith(f"{2 * CAREERS} stores began empty; {2 * CAREERS * SESSIONS} entries stored")
    assert "of them parts of stored entries" in step.remark
    assert "mine has no export: every text that it gave is a stored entry or an exact part of one" in step.remark
    assert "; lineage: mine C bounded; " in step.remark
    shown = " ".join(commands.run("verify", bundle_of(previews), "--details", cwd=previews).out.split())
    assert "its searches cut entries, no tool gives every entry" in shown
    assert "and what its server held besides" in shown or "; what its server held besides" in shown


def with_hit(previews: Path, content: str) -> Draft:
    """The bundle with another text in the last hit of a career, as a harness records it whose server gave that."""
    draft = Draft.of(bundle_of(previews), signing_keys.load(previews.parents[1] / "key.pem"))
    stream = next(name for name in draft.streams() if "_real_" in name)
    given = [entry.answer for entry in entries(draft, stream)]
    at, hits, text = next(
        (len(given) - back, answer.hits, answer.text)
        for back, answer in enumerate(reversed(given), 1)
        if isinstance(answer, Hits) and answer.hits
    )
    given[at] = Hits((*hits[:-1], Hit(content or hits[-1].content, hits[-1].entry)), text)
    told, asked_now = iter(given), list[Question]()

    def answer(question: Question) -> Answer:
        asked_now.append(question)
        return next(told)

    opened = open_bundle(bundle_of(previews), CheckLog())
    plan = opened.manifest.plan
    drive(block_script(promised(plan)[stream], plan, opened.dice), answer)
    story = entries(draft, stream)
    lied = (
        msgspec.structs.replace(entry, question=asked(question), answer=new)
        for entry, question, new in zip(story, asked_now, given, strict=True)
    )
    put(draft, stream, chained(lied))
    reseal_journal(draft)
    return draft


@pytest.mark.slow
@pytest.mark.parametrize("content", ["", "Opponent folds always, so raise..."])
def test_a_bundle_whose_hits_do_not_support_its_lineage_fails(previews: Path, tmp_path: Path, content: str) -> None:
    """With an empty text the bundle is as it was: what was done to it makes no finding of its own."""
    verdict = check(with_hit(previews, content).write(tmp_path))
    findings = [finding for finding in verdict.findings if finding.step == Number.MEMORY]
    if not content:
        assert (verdict.findings, verdict.lineages) == ([], {"mine": Tier.BOUNDED})
        return
    (finding,) = findings
    assert finding.expected.endswith(" as it was stored, or its beginning and then the declared ellipsis")
    assert verdict.lineages == {}


@pytest.mark.slow
def test_a_killed_run_without_an_export_goes_on(commands: Commands, tmp_path: Path, previews: Path) -> None:
    run = sealed(commands, tmp_path, "fetched")
    played_so_far(commands, run, 30).kill()
    finish(commands, run)
    verdict = verdict_of(run)
    assert (verdict.level, verdict.lineages) == ("V1", {"mine": Tier.BOUNDED})
    told = b"".join(journals(run).values())
    assert b'..."' not in told, "entries are fetched whole"
    ended = commands.run(
        "memory", "replay", bundle_of(run), "--json", "--start-programs", "--plan-folder", tmp_path, cwd=tmp_path
    )
    assert (ended.code, [row["place"] for row in json.loads(ended.out)]) == (0, [""] * CAREERS), ended


@pytest.mark.slow
def test_an_export_of_numbers_is_fetched_and_compared_word_for_word(commands: Commands, tmp_path: Path) -> None:
    run = sealed(commands, tmp_path, "index")
    finish(commands, run)
    verdict = verdict_of(run)
    assert (verdict.level, verdict.lineages) == ("V1", {"mine": Tier.VERBATIM})


@pytest.mark.slow
def test_a_server_that_tells_entries_in_its_own_words_is_measured_and_marked(
    commands: Commands, tmp_path: Path
) -> None:
    run = sealed(commands, tmp_path, "rewrites")
    assert start(commands, run).ended().code == 0
    verdict = verdict_of(run)
    step = verdict.steps[Number.MEMORY - 1]
    assert (verdict.level, step.status, verdict.lineages) == ("V0", Status.NOT_CHECKED, {"mine": Tier.UNVERIFIED})
    assert "(mine) the server tells entries in words of its own, as its adapter declares" in step.remark
    (warning,) = (line for line in verdict.warnings if "UNVERIFIED" in line)
    assert "so nothing shows that they come from what was stored" in warning
    shown = " ".join(commands.run("verify", bundle_of(run), cwd=tmp_path).out.split())
    assert "UNVERIFIED: the server tells entries in words of its own" in shown
    details = " ".join(commands.run("verify", bundle_of(run), "--details", cwd=tmp_path).out.split())
    assert "system mine may give what was never stored (traits.rewrites: always)" in details
    games = [f"p2-holdem-memory_real_mine-agent-foe-h{number:07d}" for number in range(2 * SESSIONS * CAREERS)]
    xrays = [commands.run("xray", bundle_of(run), "--game", game, cwd=tmp_path) for game in games]
    assert {xray.code for xray in xrays} == {0}, xrays
    assert any("remembered #1; without it the same" in xray.out for xray in xrays)
    report = commands.run("report", bundle_of(run), "--out", "report.html", cwd=tmp_path)
    assert report.code == 3, report  # a step that was not taken
    assert "UNVERIFIED: the server tells entries in words of its own" in (tmp_path / "report.html").read_text()
    scored = commands.run("matrix", bundle_of(run), cwd=tmp_path)
    assert "UNVERIFIED" in scored.out, scored

"""Runs with a memory server from outside: an adapter's file beside the plan, sealed whole, then a run as any other."""

import hashlib
import json
import os
import py_compile
import re
import shutil
from collections.abc import Callable, Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.pipeline.play_and_pack import AS_SEALED
from agzamov_harness.run import signing_keys
from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.core import canon
from agzamov_verify.core.dice import Stream
from bundles.bundle_factory import Draft, check, replace_manifest, reseal
from harness.commands import Commands, Ended
from harness.sealed_runs import Json, entries, finish, journals, played_so_far, resume, seal, start, uninterrupted
from harness.test_memory_run import CAREERS, SESSIONS, match

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-memory.md").read_text()
SERVERS = ROOT / "tests" / "memory"
KILLS = 4
INSTALLED = Path(os.environ.get("AGZAMOV_MEMORY_SERVERS", "/nowhere"))
REAL = ("basic-memory", "chroma-mcp", "mcp-memory-service", "mem0", "server-memory")
ODD = """
about: Notes with a peculiarity
interface: agz-memory-1
launch: {{command: "${{PYTHON}}", args: ["${{HERE}}/odd_notes_server.py", {odd}]}}
mcp_mode: legacy
traits: {{architecture: a list, query: {query}, {traits}}}
store:
  tool: remember
  args: {{text: "${{content}}", labels: ["${{entry}}", "${{game}}", "${{kind}}"]}}
  stored: ok
  refused: why
search: {{tool: recall, args: {{question: "${{query}}", count: "${{limit}}"}}, items: notes, entry: id, content: text}}
end_game: {{tool: finish, args: {{game: "${{number}}"}}, entries: count}}
export: {{tool: everything, items: notes, entry: id, content: text, games: labels, derived_from: '"from"'}}
"""


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def played(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with the page's server that was played to its end; its bundle verifies."""
    folder = tmp_path_factory.mktemp("played")
    put_notes(folder)
    run = seal(commands, folder, plan=plan_of(arms=("placebo", "real"), traits=["full_text", "uniform"]))
    finish(commands, run)
    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the page's server and its adapter, in which a plan is sealed."""
    put_notes(tmp_path)
    return tmp_path


def put_notes(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("notes_server.py", "odd_notes_server.py", "stdio_server.py"):
        shutil.copy(SERVERS / name, folder)
    (folder / "notes.yaml").write_text(re.findall(r"```yaml\n((?:.*\n)*?)```", PAGE)[0])


def odd(folder: Path, kind: str, traits: str, query: str = "none") -> None:
    """Put the adapter of the odd server beside the plan."""
    (folder / "odd.yaml").write_text(ODD.format(odd=kind, traits=traits, query=query))


def plan_of(server: str = "notes.yaml", arms: tuple[str, ...] = ("real",), **system: Any) -> Json:
    return {
        "title": "A memory from outside",
        "seats": {"agent": {"kind": "random"}, "foe": {"kind": "random", "patterns": ["folds_button_to_3bet"]}},
        "holdem": {"session_hands": 2},
        "systems": {"mine": {"kind": "memory", "server": server, "hits_max": 3, **system}},
        "matches": [match(arm, "mine") for arm in arms],
    }


def refused(commands: Commands, folder: Path, plan: Json, *options: object) -> Ended:
    """A plan that cannot be sealed: one line, and no run."""
    signing_keys.generate(folder / "key.pem")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    ended = commands.run("seal", "plan.yaml", "--key", "key.pem", "--start-programs", *options, cwd=folder)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended
    assert not (folder / "runs").exists()
    return ended


def bundle_of(run: Path) -> Path:
    return run.parents[1] / "bundles" / run.name


def verdict_of(run: Path) -> Verdict:
    return verify(bundle_of(run), Options())


def test_a_server_from_outside_is_sealed_played_and_verified(commands: Commands, played: Path) -> None:
    step = verdict_of(played).steps[Number.MEMORY - 1]
    careers = 2 * CAREERS
    assert step.remark.startswith(f"{careers} stores began empty; {careers * SESSIONS} entries stored")
    assert "mine is fake 1 (adapter" in step.remark, "what the server calls itself when it is connected to"
    assert "from outside: prompts and this audit are computed from its recorded answers" in step.remark
    manifest = json.loads((played / "manifest.json").read_bytes())
    sealed = json.loads(manifest["plan"]["systems"]["mine"]["adapter"])
    assert sealed["store"]["tool"] == "remember", "a stranger reads there how the server was spoken to"
    assert str(played.parents[1]) not in json.dumps(manifest)
    shown = commands.run("verify", bundle_of(played), "--details", cwd=played).out
    assert "Of system mine it is the submitter's word that its server, from outside, gave" in " ".join(shown.split())
    assert "declares unchecked: it searches by full_text" in " ".join(shown.split())


@pytest.mark.slow
def test_what_happened_is_shown_and_asked_again_in_another_folder(
    commands: Commands, played: Path, tmp_path: Path
) -> None:
    game = f"p2-holdem-memory_real_mine-agent-foe-h{2 * SESSIONS * CAREERS - 1:07d}"
    shown = commands.run("show", bundle_of(played), "--game", game, "--prompts", cwd=tmp_path)
    assert (shown.code, f"memory_a lists {SESSIONS} of its entries" in shown.out) == (0, True), shown
    again = ("memory", "replay", bundle_of(played), "--json", "--start-programs")
    missing = commands.run(*again, cwd=tmp_path)
    assert (missing.code, "notes_server.py (${HERE} is the folder of its adapter)" in missing.err) == (4, True), missing
    assert missing.err.endswith("; --plan-folder names the folder in which the plan stood\n")
    ended = commands.run(*again, "--plan-folder", played.parents[1], cwd=tmp_path)
    assert ended.code == 0, ended
    assert [(row["career"], row["place"]) for row in json.loads(ended.out)] == [(n, "") for n in range(1, 5)]


@pytest.mark.slow
def test_what_a_bundle_would_start_is_shown_and_not_started_without_leave(
    commands: Commands, played: Path, tmp_path: Path
) -> None:
    """Whoever made the bundle wrote the command."""
    folder = played.parents[1]
    ended = commands.run("memory", "replay", bundle_of(played), "--plan-folder", folder, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, ""), ended
    assert "its adapters start programs here, as you: mine: " in ended.err
    assert "notes_server.py" in ended.err
    assert "add --start-programs" in ended.err


@pytest.mark.slow
def test_a_killed_run_goes_on_with_the_sealed_adapter_whatever_became_of_its_file(
    commands: Commands, folder: Path
) -> None:
    run = seal(commands, folder, plan=plan_of())
    claims, expected = uninterrupted(commands, run)
    whole, dice = sum(data.count(b"\n") for data in expected.values()), Stream(b"outside under fire", "kills")
    for _ in range(KILLS):
        running = played_so_far(commands, run, 1 + dice.below(whole // KILLS))
        running.kill()
        assert not running.left_behind()
        if entries(run) > whole // 2:
            break
    (folder / "notes.yaml").write_text("about: something else\n")
    assert finish(commands, run) == claims
    assert journals(run) == expected


def test_a_server_that_is_another_one_than_was_sealed_stops_the_run(commands: Commands, folder: Path) -> None:
    run = seal(commands, folder, plan=plan_of())
    server = folder / "notes_server.py"
    server.write_text(server.read_text().replace('"everything": {}', '"everything": {}, "forget": {}'))
    ended = start(commands, run).ended()
    assert ended.code == 4, ended
    expected = "memory notes: expected the server that was sealed, found another one: file notes_server.py was changed"
    assert f"{expected}; start the server that was sealed" in ended.err
    assert f"try: agzamov memory check {folder}/notes.yaml" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.slow
def test_a_program_that_was_changed_since_it_was_sealed_is_not_started(commands: Commands, folder: Path) -> None:
    run = seal(commands, folder, plan=plan_of())
    files = json.loads((run / "manifest.json").read_bytes())["memories"]["mine"]["files"]
    assert sorted(files) == ["notes_server.py", "odd_notes_server.py", "stdio_server.py"]
    changed = folder / "stdio_server.py"
    sealed = changed.read_text()
    changed.write_text(f"open({str(folder / 'RUN')!r}, 'w')\n{sealed}")
    for command in (resume(run), ("play", str(run), "--share", "0/1", "--quiet")):
        ended = commands.run(*command, cwd=folder)
        told = "found another one: file stdio_server.py was changed; start the server that" in ended.err
        assert (ended.code, told) == (4, True), ended
    assert not (folder / "RUN").exists()
    changed.write_text(sealed)
    finish(commands, run)


@pytest.mark.slow
def test_what_somebody_puts_beside_a_sealed_program_is_not_there_when_it_runs(commands: Commands, folder: Path) -> None:
    """Python would load a module in the place of another one, and a stale file of bytecode in the place of a module."""
    run = seal(commands, folder, plan=plan_of())
    trap = folder / "json.py"
    trap.write_text(f"open({str(folder / 'RUN')!r}, 'w')")
    helper = folder / "stdio_server.py"
    evil = folder / "evil.py"
    evil.write_text(f"open({str(folder / 'RUN')!r}, 'w')\n")
    code = py_compile.compile(str(evil), doraise=True)
    evil.unlink()
    stat = helper.stat()
    header = MAGIC_NUMBER + b"".join(int(n).to_bytes(4, "little") for n in (0, stat.st_mtime, stat.st_size))
    cache = Path(cache_from_source(str(helper)))
    cache.write_bytes(header + Path(code).read_bytes()[len(header) :])
    finish(commands, run)
    assert not (folder / "RUN").exists()


def test_a_server_that_is_not_there_is_named_before_anything_is_sealed_and_before_a_run_goes_on(
    commands: Commands, folder: Path
) -> None:
    run = seal(commands, folder, plan=plan_of())
    server = folder / "notes_server.py"
    server.unlink()
    ended = start(commands, run).ended()
    line = f"memory notes: no file {server} (${{HERE}} is the folder of its adapter)"
    assert (ended.code, ended.err.startswith(f"error: {line}; {AS_SEALED}; go on with: ")) == (4, True), ended
    assert len(ended.err.splitlines()) == 1
    sealed = commands.run("seal", "plan.yaml", "--key", "key.pem", "--start-programs", cwd=folder)
    assert (sealed.code, sealed.err) == (2, f"error: {line}; nothing was sealed\n")


@pytest.mark.slow
def test_where_servers_are_installed_is_told_by_an_option_and_kept_by_the_run(commands: Commands, folder: Path) -> None:
    adapter = folder / "notes.yaml"
    adapter.write_text(adapter.read_text().replace("${HERE}", "${INSTALLED}"))
    there = folder / "servers" / "notes"
    there.mkdir(parents=True)
    put_notes(there)
    ended = refused(commands, folder, plan_of(), "--installed", "memory-servers")
    assert f"no file {folder}/memory-servers/notes/notes_server.py (--installed names the folder of" in ended.err
    sealed = commands.run(
        "seal", "plan.yaml", "--key", "key.pem", "--start-programs", "--installed", "servers", cwd=folder
    )
    assert sealed.code == 0, sealed
    run = folder / sealed.out.strip()
    assert str(folder) not in (run / "manifest.json").read_text()
    finish(commands, run)


def test_an_adapter_that_comes_with_the_program_is_named_by_its_name(commands: Commands, folder: Path) -> None:
    ended = refused(commands, folder, plan_of("brainops"), "--installed", "memory-servers")
    assert "memory brainops: no program" in ended.err
    assert "; type: ask its authors for the server" in ended.err


@pytest.mark.parametrize(
    ("plan", "line"),
    [
        (plan_of("none.yaml"), "plan.yaml: systems.mine.server: none.yaml: No such file or directory"),
        (plan_of("elephant"), "systems.mine.server: expected one of full_text, semantic, recent, history, file, graph"),
        (plan_of("wrong.yaml"), "plan.yaml: systems.mine.server: wrong.yaml: search.tool: expected this key"),
        (plan_of("described.yaml"), "systems.mine.adapter: expected never, end_game or always as traits.rewrites"),
        (plan_of("builtin.yaml"), "builtin.yaml: expected the adapter of one system, without the key systems"),
        ({**plan_of(), "isolation": "container"}, "isolation: expected process: the server of system mine is from"),
        (plan_of(noise_percent=5), "systems.mine.noise_percent: expected 0: notes.yaml damages nothing, found 5"),
        (plan_of(half_life_games=5), "half_life_games: expected 0: notes.yaml does not rank entries by age"),
        (
            plan_of(traits=["graph"]),
            "found graph; its adapter has traits.query: full_text, which allows full_text, uniform",
        ),
        (plan_of(traits=["temporal"]), "found temporal; its adapter has traits.clock: none, which allows full_text"),
        (
            plan_of("full_text", adapter="notes.yaml"),
            "the server full_text is built in; for one from outside write `server: FILE.yaml`, its adapter's file",
        ),
        (plan_of(adapter="{}"), "systems.mine.adapter: expected an adapter as canonical JSON, found another text"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_one_line(
    commands: Commands, folder: Path, plan: Json, line: str
) -> None:
    text = (folder / "notes.yaml").read_text()
    (folder / "wrong.yaml").write_text(text.replace("  tool: recall\n", ""))
    described = text.replace("rewrites: never", "rewrites: described")
    (folder / "described.yaml").write_text(f"{described}\ndescribe: {{tool: everything, rewrites: notes}}\n")
    shutil.copy(ROOT / "harness/agzamov_harness/memory/adapters/builtin.yaml", folder)
    assert line in refused(commands, folder, plan).err


def test_a_bundle_whose_adapter_is_not_the_one_that_is_pinned_fails_at_the_manifest(
    played: Path, tmp_path: Path
) -> None:
    draft = Draft.of(bundle_of(played), signing_keys.load(played.parents[1] / "key.pem"))

    def change(manifest: Json) -> None:
        system = manifest["plan"]["systems"]["mine"]
        system["adapter"] = system["adapter"].replace("searched for words", "searched by meaning")

    replace_manifest(draft, change)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    places = [finding.place for finding in verdict.findings if finding.step == Number.MANIFEST]
    assert places == ["manifest memories.mine"], verdict.findings


def without_its_store(adapter: Json) -> None:
    del adapter["store"]


def with_a_number_as_a_tool(adapter: Json) -> None:
    adapter["search"]["tool"] = 7


@pytest.mark.parametrize(
    ("change", "server", "reason"),
    [
        (without_its_store, "notes.yaml", "Object missing required field `store`"),
        (with_a_number_as_a_tool, "notes.yaml", "Expected `str`, got `int` - at `$.search.tool`"),
        (lambda _: None, "server-memory", "the adapter that comes with the program as server-memory"),
    ],
)
def test_a_sealed_adapter_that_cannot_be_is_found_at_the_manifest(
    played: Path, tmp_path: Path, change: Callable[[Json], None], server: str, reason: str
) -> None:
    draft = Draft.of(bundle_of(played), signing_keys.load(played.parents[1] / "key.pem"))

    def put(manifest: Json) -> None:
        system = manifest["plan"]["systems"]["mine"]
        adapter = json.loads(system["adapter"])
        change(adapter)
        system["adapter"], system["server"] = canon.dumps(adapter).decode(), server
        pin = manifest["memories"]["mine"]
        pin["adapter_sha256"] = hashlib.sha256(system["adapter"].encode()).hexdigest()

    replace_manifest(draft, put)
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    findings = [finding for finding in verdict.findings if finding.step == Number.MANIFEST]
    place = f"{bundle.MANIFEST_FILE} plan.systems.mine.adapter"
    assert [finding for finding in findings if finding.place == place and reason in finding.found], verdict.findings


@pytest.mark.slow
def test_a_server_whose_searches_need_not_repeat_declares_it(commands: Commands, folder: Path) -> None:
    odd(folder, "shuffles", "rewrites: never, deterministic: store")
    run = seal(commands, folder, plan=plan_of("odd.yaml"))
    played_so_far(commands, run, 30).kill()
    finish(commands, run)
    ended = commands.run(
        "memory", "replay", bundle_of(run), "--json", "--start-programs", "--plan-folder", folder, cwd=folder
    )
    assert ended.code == 0, ended
    assert all(row["asked"] > row["unlike"] and not row["place"] for row in json.loads(ended.out))


@pytest.mark.slow
def test_a_server_that_refuses_equal_entries_declares_it(commands: Commands, folder: Path) -> None:
    """Sessions in which nothing could be seen of the opponent have equal notes, so some may be refused."""
    odd(folder, "refuses", "rewrites: never, dedup: exact")
    run = seal(commands, folder, plan=plan_of("odd.yaml"))
    finish(commands, run)


@pytest.mark.slow
def test_a_server_that_rewrites_names_the_sources_of_what_it_makes(commands: Commands, folder: Path) -> None:
    odd(folder, "merges", "rewrites: end_game")
    run = seal(commands, folder, plan=plan_of("odd.yaml"))
    finish(commands, run)
    remark = verdict_of(run).steps[Number.MEMORY - 1].remark
    stored = CAREERS * SESSIONS
    assert f"{stored} entries stored, {stored} made from others;" in remark
    odd(folder, "merges_blind", "rewrites: end_game")
    run = seal(commands, folder, plan=plan_of("odd.yaml"))
    ended = start(commands, run).ended()
    assert (ended.code, "m1 in its export to be made of entries that were stored, found of nothing" in ended.err) == (
        4,
        True,
    ), ended


@pytest.mark.parametrize("name", REAL)
def test_a_real_system_that_is_installed_is_measured_by_its_name(commands: Commands, tmp_path: Path, name: str) -> None:
    if not (INSTALLED / name).exists():
        pytest.skip(f"AGZAMOV_MEMORY_SERVERS names no folder with {name}")
    run = seal(commands, tmp_path, plan=plan_of(name))
    finish(commands, run)
    ended = commands.run("memory", "replay", bundle_of(run), "--start-programs", cwd=tmp_path)
    assert (ended.code, len(ended.out.splitlines())) == (0, CAREERS), ended

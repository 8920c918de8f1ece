"""Every registration is accounted for, and whoever seals many runs to publish the best has the others missing."""

from pathlib import Path

import msgspec
import pytest

from agzamov_harness.registry import log_writer
from agzamov_harness.run import signing_keys
from agzamov_harness.run.registration import signed_entry
from agzamov_verify.commands import trust_options
from agzamov_verify.registration.accounting import Fate, ledger_of, study_lines
from agzamov_verify.registration.log_entry import Aborted, Entry, Finished, Read, Registered, read_entry
from registration.registered_run import OUT_S, World
from registration.test_signed_notes import key_of

STUDY, DEADLINE_S = "5d" * 32, 1000


def registered(run: int, attempt: int = 1, attempts: int = 1, study: str = STUDY) -> Registered:
    return Registered(attempt, attempts, "", DEADLINE_S, f"{run:064x}", 0, "0c" * 32, 0, study, "A study")


def ledger(*entries: Entry | str, now_s: int = DEADLINE_S + 1, key: str = "aa" * 32):
    reads = [entry if isinstance(entry, str) else Read(entry, key) for entry in entries]
    return ledger_of(enumerate(reads), now_s, 10**6)


def test_a_run_is_open_until_its_deadline_and_missing_after_it() -> None:
    for now_s, fate in ((DEADLINE_S, Fate.OPEN), (DEADLINE_S + 1, Fate.MISSING)):
        assert [one.fate for one in ledger(registered(1), now_s=now_s).studies[0].accounts] == [fate]


def test_a_deadline_that_never_comes_is_none() -> None:
    never = msgspec.structs.replace(registered(1), deadline_s=2**50)
    assert ledger(never).studies[0].count(Fate.MISSING) == 1


def test_runs_end_once_and_only_if_they_were_registered() -> None:
    run = f"{1:064x}"
    found = ledger(
        Finished("bb" * 32, run),
        registered(1),
        Aborted(run, "the disk failed"),
        Finished("bb" * 32, run),
        registered(1),
        "no registration",
    )
    assert found.studies[0].accounts[0].fate is Fate.STOPPED
    assert [number for number, _ in found.ignored] == [0, 3, 4, 5]


def test_studies_stand_apart_by_key_and_plan() -> None:
    reads = [
        Read(registered(1), "aa" * 32),
        Read(registered(2), "bb" * 32),
        Read(registered(3, study="6e" * 32), "aa" * 32),
    ]
    assert len(ledger_of(enumerate(reads), 0, 10**6).studies) == 3


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ((registered(1, 1, 2), registered(2, 2, 3)), "different numbers of runs: 2, 3"),
        ((registered(1, 1, 2), registered(2, 1, 2)), "registered twice"),
        ((registered(1, 1, 1), registered(2, 2, 1)), "2 runs were registered, and 1 were promised"),
    ],
)
def test_a_study_that_breaks_its_own_promise_is_named(entries: tuple[Registered, ...], problem: str) -> None:
    assert any(problem in one for one in ledger(*entries).studies[0].problems)


def test_reasons_of_stopped_runs_are_told() -> None:
    found = ledger(registered(1), Aborted(f"{1:064x}", "the disk failed"))
    assert '  stopped, 1: "the disk failed"' in list(study_lines(found.studies[0], "somebody"))


def test_a_title_is_told_from_the_words_around_it() -> None:
    titled = msgspec.structs.replace(registered(1), title="A study (level V4); \u0430ll good")
    first = next(study_lines(ledger(titled).studies[0], "key 1234"))
    assert first == '"A study (level V4); \\u0430ll good", by key 1234'


@pytest.mark.parametrize(("runs", "is_told"), [(1, False), (2, True)])
def test_finished_runs_beside_one_are_digests_alone(runs: int, is_told: bool) -> None:
    """A digest may be of nothing, so who shows one of several results has not accounted for the others."""
    begun = [registered(run, run, runs) for run in range(1, runs + 1)]
    study = ledger(*begun, *(Finished("bb" * 32, one.manifest_sha256) for one in begun)).studies[0]
    told = f"  of the {runs} results the log has digests alone: who shows one should show the bundles of all"
    assert (told in study_lines(study, "somebody")) is is_told


def test_runs_that_were_promised_and_not_registered_are_counted() -> None:
    promised = msgspec.structs.replace(registered(1), attempts=3)
    assert "1 of 3 promised registered: " in list(study_lines(ledger(promised).studies[0], "me"))[1]
    assert (
        "1 registered: " in list(study_lines(ledger(msgspec.structs.replace(promised, attempts=1)).studies[0], "me"))[1]
    )


def test_grinding_is_visible_in_plain_words(tmp_path: Path) -> None:
    """Forty seals of one plan that differ in their nonces, of which the luckiest is published."""
    world = World(tmp_path)
    world.create()
    requests = [tmp_path / f"request-{number}.json" for number in range(3)]
    runs = [world.register(path, "--attempt", 1, "--attempts", 1, "--days", 1) for path in requests]
    first = read_entry(requests[0].read_bytes()).entry
    assert isinstance(first, Registered)
    entries = [read_entry(path.read_bytes()).entry for path in requests]
    last_s = max(entry.deadline_s for entry in entries)  # type: ignore[union-attr]
    studies = {entry.study for entry in entries}  # type: ignore[union-attr]
    assert studies == {first.study}, "runs of one plan are one study, whatever their nonces and titles"
    key = signing_keys.load(tmp_path / "submitter.pem")
    forged = [
        signed_entry(msgspec.structs.replace(first, manifest_sha256=f"{number:064x}"), key) for number in range(37)
    ]
    end = signed_entry(Finished("bb" * 32, first.manifest_sha256), key)
    sealed = [path.read_bytes() for path in requests]
    log_writer.append(world.log, [*sealed, *forged, end], signing_keys.load(tmp_path / "log.pem"))
    policy = tmp_path / "policy.json"
    policy.write_bytes(msgspec.json.encode(world.policy))
    world.cosign(first.deadline_s - 60)
    assert "40 registered: 1 finished, 0 stopped, 39 open" in world.call("registrations", world.log, "--policy", policy)
    world.cosign(last_s + 1)
    told = world.call("registrations", world.log, "--policy", policy, code=1)
    assert "40 registered: 1 finished, 0 stopped, 0 open, 39 missing" in told
    assert "39 runs were begun and never reported; 1 result was published" in told
    assert "may have kept back worse ones" in told
    assert len(runs) == 3


def test_a_log_is_compared_with_a_checkpoint_that_was_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.create()
    log_writer.append(world.log, [b"one"], signing_keys.load(tmp_path / "log.pem"))
    kept = tmp_path / "kept"
    kept.write_bytes((world.log / "checkpoint").read_bytes())
    log_writer.append(world.log, [b"two"], signing_keys.load(tmp_path / "log.pem"))
    told = world.call("registrations", world.log, "--since", kept)
    assert "2 entries" in told
    assert "entry 0 counts for nothing" in told
    kept.write_bytes((world.log / "checkpoint").read_bytes())
    for name in ("log", "again"):
        folder = tmp_path / f"other-{name}"
        log_writer.create_log(folder, "example.com/log", key_of(1))
        log_writer.append(folder, [b"one", b"three", b"four"], key_of(1))
        world.call("registrations", folder, "--since", kept, code=1)


def test_without_a_witness_deadlines_are_compared_with_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    world.create()
    entry = signed_entry(registered(1), signing_keys.load(tmp_path / "submitter.pem"))
    log_writer.append(world.log, [entry], signing_keys.load(tmp_path / "log.pem"))
    assert trust_options.now_s() > OUT_S
    assert "1 missing" in world.call("registrations", world.log, code=1)

"""The report of a registered run: its level, what its log says, and what is missing for the next level, in one line."""

import html
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.agreement_check import AgreementVerdict
from agzamov_verify.checks.check_log import Status, Step
from agzamov_verify.checks.registration_check import RegistrationVerdict
from agzamov_verify.checks.replay_check import ReplayVerdict
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.seats import GgufSeat, ReferenceSeat
from agzamov_verify.seats.endpoint_seat import EndpointSeat
from agzamov_verify.show.text.registration_lines import next_level
from registration.registered_case import Case

HOSTED = EndpointSeat(base_url="https://a.example/v1", model="m")


def reported(case: Case, *options: object, code: int = 0) -> str:
    """The words of the page's part on what to believe."""
    out = case.world.folder / "report"
    case.world.call("report", case.bundle, "--out", out, "--jobs", 1, *options, code=code)
    page = (out / "index.html").read_text("utf-8").partition("What to believe")[2].partition("</section>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def trusted(case: Case, *, with_log: bool = True) -> tuple[object, ...]:
    policy = case.world.folder / "policy.json"
    policy.write_bytes(msgspec.json.encode(case.policy))
    return ("--policy", policy, "--log", case.world.log) if with_log else ("--policy", policy)


def test_a_report_with_policy_and_log_says_v2_and_accounts_for_the_study(case: Case) -> None:
    told = reported(case, *trusted(case))
    assert "level V2 of V0 to V4" in told
    counts = "1 registered: 1 finished, 0 stopped, 0 open, 0 missing"
    assert "Registration registered before its seed existed, and every registration of its study" in told
    assert told.count(counts) == 2, "in sight, and in the account"
    assert "the best of many" not in told
    assert "Missing for level V3 somebody else than the submitter would have to ask" in told
    assert "--key KEY.pub --policy POLICY.json --log LOG" in told
    assert str(case.world.folder) not in told


@pytest.mark.slow
def test_a_report_without_a_policy_says_who_would_have_to_do_what(case: Case) -> None:
    told = reported(case)
    assert "level V1" in told
    assert "Missing for level V2 the bundle holds a registration, and nobody has checked it here; you would" in told
    assert "Registration " not in told
    assert "the best of many" in told
    for name in bundle.REGISTRATION_FILES:
        (case.bundle / name).unlink()
    (case.world.folder / "report").rename(case.world.folder / "before")
    assert "Missing for level V2 this run was not registered before it was played" in reported(case)


def test_a_report_without_the_log_lacks_the_log(case: Case) -> None:
    told = reported(case, *trusted(case, with_log=False), code=3)
    assert "Registration not V2: 0 wrong, 1 missing" in told
    assert "Missing for level V2 whether every registered run was reported is not known: get a copy" in told
    assert "Check it yourself" in told
    assert "--log LOG" not in told


def test_a_missing_run_stands_in_sight_on_the_page_of_the_one_that_was_published(case: Case) -> None:
    case.register_again(attempts=2)
    case.more(case.another_run(attempt=2, attempts=2, deadline_s=1))
    told = reported(case, *trusted(case), code=1)
    assert "Registration not V2: 1 wrong, 0 missing; 2 registered: 1 finished, 0 stopped, 0 open, 1 missing" in told
    assert "1 run was begun and never reported; 1 result was published." in told
    assert "Missing for level V2 1 thing is wrong with its registration" in told


def test_a_log_without_a_policy_is_wrong_use(case: Case) -> None:
    case.world.call("report", case.bundle, "--out", case.world.folder / "r", "--log", case.world.log, code=2)
    assert not (case.world.folder / "r").exists()


def verdict_of(level: str, seat: object = None, **fields: Any) -> Verdict:
    plan: Any = SimpleNamespace(plan=SimpleNamespace(playing={"a": seat or ReferenceSeat()}))
    return Verdict([Step(12, "engine", Status.NOT_CHECKED)], [], level, manifest=plan, **fields)


@pytest.mark.parametrize(
    ("verdict", "level", "words"),
    [
        (lambda: verdict_of("V0"), "V1", "not checked here: engine;"),
        (lambda: verdict_of("V1"), "V2", "its submitter can register the next"),
        (lambda: verdict_of("V1", is_registered=True), "V2", "--policy FILE --log FOLDER"),
        (lambda: verdict_of("V1", registration=RegistrationVerdict(missing=["a\n", "b"])), "V2", "b"),
        (lambda: verdict_of("V2"), "V3", "ask the same models again"),
        (lambda: verdict_of("V2", GgufSeat(weights="m.gguf")), "V3", "ask the same models again"),
        (lambda: verdict_of("V2", HOSTED), "V3", "another party would have to repeat"),
        (lambda: verdict_of("V2", replays=ReplayVerdict(missing=["a seat\n"])), "V3", "a seat"),
        (lambda: verdict_of("V2", agreements=AgreementVerdict(missing=["a log"])), "V4", "a log"),
        (lambda: verdict_of("V3"), "V4", "agzamov compare --attest"),
        (lambda: verdict_of("V4"), "V4", "a third execution"),
    ],
)
def test_the_next_level_and_what_it_takes_are_one_line(verdict: Callable[[], Verdict], level: str, words: str) -> None:
    found, told = next_level(verdict())
    assert (found, words in told, "\n" in told) == (level, True, False)

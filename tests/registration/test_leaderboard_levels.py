"""A leaderboard whose policy has a trust policy: level V2, and the registered runs that were never reported."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_harness.leaderboard.board_runs import runs_of
from agzamov_harness.leaderboard.leaderboard_pages import leaderboard_page
from agzamov_harness.leaderboard.ranking import boards_of
from agzamov_harness.leaderboard.ranks_file import ranks_text
from agzamov_harness.leaderboard.submissions import Policy, load_policy
from agzamov_verify import bundle
from agzamov_verify.checks.registration_check import RegistrationVerdict
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.trust_policy import Authority
from harness.board_worlds import board_run
from registration.registered_case import Case
from registration.registered_run import LOG_NAME
from stack_world import HANDS, bundle_of, plan_of


def policy_file(case: Case, level: str = "V2", *, with_trust: bool = True) -> Path:
    document = {
        "title": "Board",
        "keys": {"ada": key_id(case.key.public_key())},
        "departures": True,
        "level": level,
        "trust": msgspec.to_builtins(case.policy) if with_trust else {},
    }
    path = case.world.folder / "policy.yaml"
    path.write_text(json.dumps(document))
    return path


def built(case: Case, *options: object, level: str = "V2") -> Result:
    out = case.world.folder / "site"
    words = ["leaderboard", "build", case.bundle.parent, "--policy", policy_file(case, level), "--out", out, *options]
    return CliRunner().invoke(main, [*map(str, words), "--jobs", "1"])


def test_a_registered_run_is_accepted_at_level_v2_and_its_report_says_so(case: Case) -> None:
    result = built(case, "--log", case.world.log)
    assert (result.exit_code, result.output.endswith("1 accepted\n")) == (0, True), result.output
    report = (case.world.folder / "site" / case.bundle.name / "index.html").read_text("utf-8")
    assert "every registration of its study is accounted for; 1 registered: 1 finished" in report


def test_a_root_certificate_lies_beside_the_leaderboards_policy(case: Case) -> None:
    root = case.world.folder / "root.pem"
    root.write_bytes(b"a root")
    named = Authority(root.name, hashlib.sha256(b"a root").hexdigest())
    case.change_policy(timestampers={"Example TSA": named})
    assert built(case, "--log", case.world.log).exit_code == 0
    root.write_bytes(b"another")
    refused = built(case, "--log", case.world.log)
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
    assert "the root certificate of Example TSA, with SHA-256" in refused.stderr


def _unregistered(case: Case) -> None:
    for name in bundle.REGISTRATION_FILES:
        (case.bundle / name).unlink()


def _one_missing(case: Case) -> None:
    case.register_again(attempts=2)
    case.more(case.another_run(attempt=2, attempts=2, deadline_s=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spoil", "options", "why"),
    [
        (lambda case: None, (), "whether every registered run was reported is not known"),
        (_one_missing, ("--log",), "1 thing is wrong with its registration"),
        (_unregistered, ("--log",), "the log has this run's registration, and the bundle has not"),
    ],
)
def test_what_keeps_a_bundle_from_v2_is_the_reason_and_v1_is_still_ranked(
    spoil: Callable[[Case], object], options: tuple[str, ...], why: str, case: Case
) -> None:
    spoil(case)
    where = [case.world.log] if options else []
    refused = built(case, *options, *where)
    assert refused.exit_code == 1
    assert "level V1, V2 required; V2 " in refused.output
    assert why in refused.output
    assert built(case, *options, *where, level="V1").output.endswith("1 accepted\n")


def test_a_bundle_that_leaves_its_registration_out_hides_no_missing_run(case: Case) -> None:
    _one_missing(case)
    _unregistered(case)
    found = case.check()
    assert found.unreported == 1
    assert "2 registered: 1 finished, 0 stopped, 0 open, 1 missing" in found.account[1]
    assert not found.reached


def test_missing_runs_stand_on_the_row_that_profits_from_them(tmp_path: Path) -> None:
    words = "A study, by ada: 400 registered: 1 finished, 0 stopped, 0 open, 399 missing"
    runs = [board_run("a", 0.5, unreported=words), board_run("b", 0.4)]
    boards = boards_of(runs, 10, draws=500)
    page = leaderboard_page(Policy("Board", {}), boards, [])
    cards = page.split('<li class="entry')[1:]
    assert [words in card for card in cards] == [True, False]
    (board,) = json.loads(ranks_text(boards, {}))["boards"]
    assert [row["runs"][0]["unreported"] for row in board["rows"]] == [words, ""]


@pytest.mark.slow
def test_a_run_brings_the_account_of_its_study_where_that_has_other_runs(tmp_path: Path) -> None:
    verdict = verify(bundle_of(plan_of({**HANDS, "hands": 16, "careers": 2}), tmp_path), Options())
    account = ["A study, by ada", "  2 registered: 1 finished, 0 stopped, 0 open, 1 missing"]
    words = "A study, by ada: 2 registered: 1 finished, 0 stopped, 0 open, 1 missing"
    for missing, others, told in ((1, 1, (words, "")), (0, 1, ("", words)), (0, 0, ("", ""))):
        verdict.registration = RegistrationVerdict(account=account, unreported=missing, others=others)
        assert [(run.unreported, run.other_runs) for run in runs_of(verdict, "a", "ada")] == [told]


def test_submitters_have_the_names_of_the_leaderboard(case: Case) -> None:
    trusted = load_policy(policy_file(case)).trust_policy
    assert trusted
    assert trusted.name_of(key_id(case.key.public_key())) == "ada"


def test_policies_whose_trust_is_none_are_refused(case: Case) -> None:
    with pytest.raises(ManifestError, match=r"policy\.trust: expected a trust policy"):
        load_policy(policy_file(case, with_trust=False))
    case.policy = msgspec.structs.replace(case.policy, logs=(LOG_NAME,))
    with pytest.raises(ManifestError, match=r"policy\.yaml"):
        load_policy(policy_file(case))


def test_a_log_without_trust_is_wrong_use(case: Case) -> None:
    out = case.world.folder / "site"
    policy = policy_file(case, "V1", with_trust=False)
    words = ["leaderboard", "build", case.bundle.parent, "--policy", policy, "--out", out, "--log", case.world.log]
    result = CliRunner().invoke(main, [*map(str, words)])
    assert (result.exit_code, "whose logs and statements you believe" in " ".join(result.output.split())) == (2, True)


def test_a_log_of_somebody_else_is_wrong_use(case: Case) -> None:
    """Otherwise no row would show a missing run, and nobody would know why."""
    case.change_policy(logs=())
    result = built(case, "--log", case.world.log)
    assert (result.exit_code, str(case.world.log) in result.output) == (2, True), result.output
    assert not (case.world.folder / "site").exists()

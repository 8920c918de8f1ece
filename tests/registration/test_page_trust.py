"""Whom the person before the check page trusts: the same verdict as by the command's options, and each wrong choice."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_images.verify_page.parts.check_bundle import NO_STAMPS, Checked
from agzamov_images.verify_page.parts.check_bundle import check as check_bundle
from agzamov_verify import bundle, cli
from agzamov_verify.checks import stamp_check
from agzamov_verify.registration.time_stamp import NoReader
from agzamov_verify.registration.trust_policy import Authority
from agzamov_verify.show.text.registration_lines import NO_POLICY, REACHED
from registration.registered_case import Case


class Given:
    """What a person chose on the page, as it lies before the page's Python."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder, self.files = case, folder, folder / "files"
        self.files.mkdir(parents=True)
        self.policy = self.files / "policy.json"
        self.policy.write_bytes(msgspec.json.encode(case.policy))
        shutil.copytree(case.world.log, folder / "log")

    def check(self) -> Checked:
        return check_bundle(str(self.case.bundle), b"", lambda _: None, str(self.folder))

    def cards(self) -> dict[str, object]:
        cards: dict[str, object] = json.loads(self.check().cards)
        return cards


@pytest.fixture
def given(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Given:
    monkeypatch.setattr("agzamov_verify.engines.uci_engine.PLACES", ())
    return Given(case, tmp_path / "trusted")


def test_a_policy_and_a_log_give_the_verdict_of_the_command_and_its_words(given: Given) -> None:
    told = given.check()
    options = ["--policy", str(given.policy), "--log", str(given.folder / "log")]
    done = CliRunner().invoke(cli.main, ["check", str(given.case.bundle), "--json", "--jobs", "1", *options])
    assert (told.code, told.verdict) == (done.exit_code, done.stdout)
    assert (told.code, json.loads(told.verdict)["level"]) == (0, "V2")
    cards = json.loads(told.cards)
    assert cards["levels"][0]["title"] == "Registration"
    assert cards["levels"][0]["lines"][0] == REACHED
    assert cards["next"]["level"] == "V3"
    assert not any("only run" in line for line in cards["claimed"])


def test_what_is_missing_for_v2_is_said_in_the_words_of_the_command(given: Given) -> None:
    shutil.rmtree(given.folder / "log")
    cards = given.cards()
    assert "missing for V2: whether every registered run was reported is not known" in str(cards["levels"])
    without = json.loads(check_bundle(str(given.case.bundle), b"", lambda _: None).cards)
    assert (without["levels"], without["next"]["words"][1:-1]) == ([], NO_POLICY[1:])
    assert any("only run" in line for line in without["claimed"])


def test_the_page_says_in_a_line_that_it_reads_no_time_stamps(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*_: object) -> int:
        raise NoReader

    monkeypatch.setattr(stamp_check, "stamped_s", lacking)
    monkeypatch.setattr(stamp_check, "asked", lambda *_: None)
    (given.files / "root.pem").write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    policy = msgspec.structs.replace(
        given.case.policy, witnesses=(), timestampers={"Example TSA": Authority("root.pem", empty)}
    )
    given.policy.write_bytes(msgspec.json.encode(policy))
    for name in bundle.STAMP_FILES:
        (given.case.bundle / name).write_bytes(b"")
    told = given.check()
    assert told.code == 3
    assert NO_STAMPS in " ".join(told.text.split())
    assert "pip install" not in told.text


def _cut(given: Given) -> None:
    checkpoint = given.folder / "log" / "checkpoint"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])


def test_a_bad_log_is_a_finding(given: Given) -> None:
    _cut(given)
    assert given.check().code == 1
    assert "not V2: log" in str(given.cards()["levels"])


WRONG: dict[str, tuple[Callable[[Given], object], str]] = {
    "a log alone": (lambda given: given.policy.unlink(), "says whose log and witnesses you trust"),
    "an attestation alone": (
        lambda given: given.policy.rename(given.files / "a.json").write_text("{}"),
        "found a.json alone",
    ),
    "two policies": (
        lambda given: (given.files / "b.json").write_bytes(given.policy.read_bytes()),
        "expected one trust policy, found b.json and policy.json",
    ),
    "a policy of another form": (
        lambda given: given.policy.write_text('{"format": "agz-policy-1", "log": []}'),
        "policy.json: expected a trust policy in JSON",
    ),
    "no root beside it": (
        lambda given: given.policy.write_bytes(
            msgspec.json.encode(
                msgspec.structs.replace(given.case.policy, timestampers={"Example TSA": Authority("r.pem", "00" * 32)})
            )
        ),
        "r.pem beside the policy, the root certificate of Example TSA",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_choice_is_refused_in_a_line(given: Given, name: str) -> None:
    spoil, told = WRONG[name]
    spoil(given)
    found = given.check()
    assert (found.code, found.verdict) == (2, "")
    assert found.text.startswith("Whom you trust: ")
    assert told in found.text
    assert str(given.folder) not in found.text
    assert "\n" not in found.text

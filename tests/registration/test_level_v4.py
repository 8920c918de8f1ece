"""Level V4: a plan that another party executed too reaches it, and no statement with exactly one defect does."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from agzamov_harness.cli import main
from agzamov_harness.registry import log_writer
from agzamov_harness.reproduce.compare_executions import Executed, margins_of, require_attestable, require_comparable
from agzamov_harness.run import signing_keys
from agzamov_harness.run.registration import signed_entry
from agzamov_verify.attestations.agreement import compared
from agzamov_verify.attestations.agreement_statement import ComparedFigure, Execution
from agzamov_verify.attestations.signed_statement import read_attestation
from agzamov_verify.checks.agreement_check import AgreementVerdict
from agzamov_verify.checks.attestations_given import GivenAttestations
from agzamov_verify.checks.check_log import CheckLog
from agzamov_verify.checks.opened_bundle import open_bundle
from agzamov_verify.checks.registration_check import Trust
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import SUBJECT, Digest, Subject
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.log_entry import Finished, Registered, read_entry
from agzamov_verify.registration.trust_policy import Revoked, TrustPolicy
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.inference.samples import Contrast
from agzamov_verify.scoring.repeated_figures import RepeatedFigure, repeated_figures
from registration.executed_twice import Twice, executed_twice
from registration.registered_run import OUT_S, World
from registration.replayed_run import any_round_is_signed, policy_file


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Twice, Analysis]:
    with pytest.MonkeyPatch.context() as patch:
        any_round_is_signed(patch)
        twice = executed_twice(tmp_path_factory.mktemp("good"))
        analysis = verify(twice.bundles[0], Options()).analysis
    assert analysis
    return twice, analysis


class Case:
    """A copy of a good world, which a test spoils in one place."""

    def __init__(self, good: Twice, analysis: Analysis, folder: Path) -> None:
        shutil.copytree(good.world.folder, folder, dirs_exist_ok=True)
        first, second = (folder / "bundles" / bundle.name for bundle in good.bundles)
        self.twice, self.analysis = Twice(World(folder), (first, second)), analysis
        self.policy: TrustPolicy = self.twice.policy
        self.log: Path | None = self.twice.world.log

    def change_policy(self, **changes: object) -> None:
        self.policy = replace(self.policy, **changes)

    def change_figure(self, change: Callable[[ComparedFigure], ComparedFigure]) -> None:
        (figure,) = self.twice.agreement.figures
        self.twice.sign(figures=(change(figure),))

    def change_execution(self, index: int, **changes: str) -> None:
        executions = list(self.twice.agreement.executions)
        executions[index] = replace(executions[index], **changes)
        self.twice.sign(executions=tuple(executions))

    def without(self, number: int) -> None:
        """The reader's log without one entry: 0 and 1 are the first run's, 2 and 3 the other's."""
        log = self.twice.world.log
        entries = list(log_writer.FolderLog(log).entries())
        shutil.rmtree(log)
        (self.twice.world.folder / "seen-witness.pem").unlink()
        key = self.twice.key("log.pem")
        log_writer.create_log(log, "example.com/log", key)
        log_writer.append(log, [entry for index, entry in enumerate(entries) if index != number], key)
        self.twice.world.cosign(OUT_S + 600)

    def judged(self) -> AgreementVerdict:
        trust = Trust(self.policy, self.log, OUT_S + 10**9, (self.twice.attestation,))
        given = GivenAttestations(open_bundle(self.twice.bundles[0], CheckLog()), trust)
        found = given.agreements(self.analysis)
        if found is None:
            replays = given.replays()
            assert replays
            return AgreementVerdict(replays.findings)
        return found


@pytest.fixture
def case(good: tuple[Twice, Analysis], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    any_round_is_signed(monkeypatch)
    return Case(*good, tmp_path)


@pytest.mark.slow
def test_both_executions_reach_v4_by_the_comparers_word(case: Case) -> None:
    twice = case.twice
    policy = policy_file(twice.world, case.policy)
    for bundle, other in zip(twice.bundles, ("Other Institute", "Example University"), strict=True):
        given = ("--policy", policy, "--log", twice.world.log, "--attestation", twice.attestation)
        screen = " ".join(twice.world.call("verify", bundle, *given).split())
        assert "(level V4 of V0 to V4)" in screen
        assert f"{other} executed the plan again" in screen
        assert json.loads(twice.world.call("verify", bundle, *given, "--json"))["level"] == "V4"


@pytest.mark.slow
def test_compare_tells_figures_margins_and_tests(case: Case) -> None:
    told = case.twice.compare()
    assert "bb/100 agree within 4000; 90 % interval of the difference" in told
    assert "1 of 1 figures agree" in told
    (figure,) = json.loads(case.twice.compare("--json"))
    assert (figure["agrees"], figure["margin"], figure["unit"]) == (True, "4000", "bb/100")


@pytest.mark.slow
def test_a_page_of_a_run_that_was_executed_twice_says_so(case: Case) -> None:
    twice, out = case.twice, case.twice.world.folder / "report"
    given = ("--policy", policy_file(twice.world, case.policy), "--log", twice.world.log)
    twice.world.call("report", twice.bundles[0], "--out", out, "--jobs", 1, *given, "--attestation", twice.attestation)
    page = (out / "index.html").read_text("utf-8")
    assert "level V4 of V0 to V4" in page
    assert "Highest level reached:" in page


def _revoked(case: Case, key: str) -> None:
    case.change_policy(revoked={case.twice.id_of(key): Revoked("stolen", 10**10)})


def _subject(case: Case, index: int, sha256: str) -> None:
    subjects = [Digest(one.sha256) for one in _digests(case)]
    subjects[index] = Digest(sha256)
    statement = _statement(case)
    case.twice.sign(subject=tuple(replace(one, digest=digest) for one, digest in zip(statement, subjects, strict=True)))


def _statement(case: Case) -> tuple[Subject, ...]:
    return read_attestation(case.twice.attestation.read_bytes()).statement.subject


def _digests(case: Case) -> list[Digest]:
    return [subject.digest for subject in _statement(case)]


def _value(case: Case, index: int, value: str) -> None:
    """Another value of one execution, with its tests left as they were."""
    (figure,) = case.twice.agreement.figures
    figures = list(figure.figures)
    figures[index] = replace(figures[index], value=value)
    case.change_figure(lambda one: replace(one, figures=tuple(figures)))


def _same_party(case: Case) -> None:
    submitters = dict.fromkeys(case.policy.submitters, "Example University")
    case.change_policy(submitters=submitters)


def _unknown_party(case: Case) -> None:
    kept = case.twice.id_of("submitter.pem")
    case.change_policy(submitters={kept: case.policy.submitters[kept]})


def _unknown_own_party(case: Case) -> None:
    """Whoever is known could else confirm a second key of their own, which nobody knows."""
    kept = case.twice.id_of("other.pem")
    case.change_policy(submitters={kept: case.policy.submitters[kept]})


WRONG: dict[str, tuple[Callable[[Case], object], str]] = {
    "signed by the submitter": (lambda case: case.twice.sign("submitter.pem"), "somebody else than the submitter"),
    "signed by the submitter with another key": (
        lambda case: case.change_policy(comparers={case.twice.id_of("comparer.pem"): "Example University"}),
        "another key of Example University",
    ),
    "signed by somebody whom nobody knows": (lambda case: case.twice.sign("log.pem"), "the policy names"),
    "a policy without comparers": (lambda case: case.change_policy(comparers={}), "the policy names"),
    "a comparer whose key is revoked": (lambda case: _revoked(case, "comparer.pem"), "stolen"),
    "another submitter whose key is revoked": (lambda case: _revoked(case, "other.pem"), "stolen"),
    "about two other bundles": (lambda case: _subject(case, 0, "ab" * 32), "and another"),
    "about one bundle twice": (lambda case: _subject(case, 1, _digests(case)[0].sha256), "and another"),
    "another bundle of the other party": (lambda case: _subject(case, 1, "ab" * 32), "as the result of a registered"),
    "another plan": (lambda case: case.twice.sign(plan_sha256="ab" * 32), "plan_sha256"),
    "another run of ours": (lambda case: case.change_execution(0, run="0" * 16), "executions run"),
    "another submitter of ours": (lambda case: case.change_execution(0, submitter="ab" * 32), "executions submitter"),
    "another study of ours": (lambda case: case.change_execution(0, study="ab" * 32), "executions study"),
    "one submitter twice": (
        lambda case: case.change_execution(1, submitter=case.twice.id_of("submitter.pem")),
        "the same key twice",
    ),
    "one run twice": (
        lambda case: case.change_execution(1, run=case.twice.agreement.executions[0].run),
        "the same run twice",
    ),
    "one party with two keys": (_same_party, "Example University twice"),
    "another party whom the policy does not name": (_unknown_party, "another submitter whom the policy names"),
    "a party of our own that the policy does not name": (_unknown_own_party, "a submitter whom the policy names"),
    "no run of the other's": (lambda case: case.change_execution(1, run=""), "registered run"),
    "the beginning of the other's run": (
        lambda case: case.change_execution(1, run=case.twice.agreement.executions[1].run[:-1]),
        "registered run",
    ),
    "another run than was registered": (lambda case: case.change_execution(1, run="0" * 16), "registered run"),
    "another study than was registered": (lambda case: case.change_execution(1, study="ab" * 32), "registered run"),
    "the other run was not registered": (lambda case: case.without(2), "registered run"),
    "the other result is not in the log": (lambda case: case.without(3), "registered run"),
    "a log that nobody trusts": (lambda case: case.change_policy(logs=()), "a log that the policy names"),
    "a figure left out": (lambda case: case.twice.sign(figures=()), "no such figure"),
    "a figure that the bundle has not": (
        lambda case: case.change_figure(lambda one: replace(one, name="p9")),
        "no figure that this bundle does not have",
    ),
    "a wider margin than was declared": (
        lambda case: case.change_figure(lambda one: replace(one, margin="5000")),
        "margin 4000",
    ),
    "a wider margin than the policy allows": (
        lambda case: case.change_policy(margins_max={"bb/100": "50"}),
        "at most 50 bb/100",
    ),
    "another value of ours": (lambda case: _value(case, 0, "1"), "value='1'"),
    "another value of the other's": (lambda case: _value(case, 1, "1"), "tests that follow"),
    "another p": (lambda case: case.change_figure(lambda one: replace(one, p="0.01")), "tests that follow"),
    "another interval": (
        lambda case: case.change_figure(lambda one: replace(one, pairs=(replace(one.pairs[0], low="0"),))),
        "tests that follow",
    ),
    "another pooled figure": (
        lambda case: case.change_figure(lambda one: replace(one, pooled=replace(one.pooled, value="0"))),
        "tests that follow",
    ),
    "another heterogeneity": (
        lambda case: case.change_figure(lambda one: replace(one, heterogeneity=None)),
        "tests that follow",
    ),
    "a figure of a third execution that is not named": (
        lambda case: case.change_figure(lambda one: replace(one, figures=(*one.figures, one.figures[0]))),
        "expected 2 figures, found 3",
    ),
    "a third bundle without its execution": (
        lambda case: case.twice.sign(subject=(*_statement(case), Subject(Digest("ab" * 32), SUBJECT))),
        "another for each execution",
    ),
    "an agreement that the tests do not show": (
        lambda case: case.change_figure(lambda one: replace(one, agrees=False)),
        "tests that follow",
    ),
    "a variance without degrees of freedom": (
        lambda case: case.change_figure(
            lambda one: replace(one, figures=tuple(replace(each, df="0") for each in one.figures))
        ),
        "tests that follow",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_defect_is_a_finding_and_no_v4(case: Case, name: str) -> None:
    spoil, words = WRONG[name]
    spoil(case)
    found = case.judged()
    assert not found.reached
    told = " ".join(f"{one.place}: expected {one.expected}, found {one.found}" for one in found.findings)
    assert words in told


def test_figures_that_do_not_agree_are_told_with_their_interval(case: Case) -> None:
    (figure,) = case.twice.agreement.figures

    (own,) = repeated_figures(case.analysis)
    far = replace(own.measured, value=own.measured.value + 10_000)
    case.twice.sign(figures=(compared([own, own._replace(measured=far)], figure.margin),))
    told = [one.found for one in case.judged().findings]
    assert len(told) == 1
    assert "do not agree within 4000" in told[0]


class Third:
    """A third execution by its word in the log and in the comparer's statement, a value apart from ours."""

    def __init__(self, case: Case, apart: int = 0, **logged: Any) -> None:
        self.case, world = case, case.twice.world
        signing_keys.generate(world.folder / "third.pem")
        key, log = case.twice.key("third.pem"), world.log
        entry = read_entry(log_writer.FolderLog(log).entry(2)).entry
        assert isinstance(entry, Registered)
        ours = case.twice.agreement
        name, bundle_sha256 = "cd" * 32, "ef" * 32
        entries = (replace(entry, manifest_sha256=name, **logged), Finished(bundle_sha256, name))
        log_writer.append(log, [signed_entry(one, key) for one in entries], case.twice.key("log.pem"))
        world.cosign(OUT_S + 700)
        self.execution = Execution(name[:16], entry.study, case.twice.id_of("third.pem"))
        (figure,) = ours.figures
        again = [
            RepeatedFigure(figure.name, figure.unit, Contrast(*map(Fraction, (one.value, one.squared_error, one.df))))
            for one in figure.figures
        ]
        far = again[0]._replace(measured=replace(again[0].measured, value=again[0].measured.value + apart))
        self.figure = compared([*again, far], figure.margin)
        subjects = (*_statement(case), Subject(Digest(bundle_sha256), SUBJECT))
        executions = (*ours.executions, self.execution)
        case.twice.sign(subject=subjects, executions=executions, figures=(self.figure,))

    def known_as(self, name: str) -> None:
        """The third submitter in the policy, under this name."""
        self.case.change_policy(submitters={**self.case.policy.submitters, self.execution.submitter: name})


def test_three_executions_that_agree_reach_v4_and_tell_each_party(case: Case) -> None:
    Third(case).known_as("Third Lab")
    found = case.judged()
    assert (found.reached, found.findings) == (True, [])
    told = "\n".join(found.account)
    assert told.startswith("2 parties executed the plan again: Other Institute, run ")
    assert "; and Third Lab, run cdcdcdcdcdcdcdcd: 1 figure agrees within the margins declared before" in told
    assert "the farthest apart of 3 pairs" in told
    assert "I^2 = " in told


@pytest.mark.parametrize(
    ("apart", "name", "logged", "words"),
    [
        (10_000, "Third Lab", {}, "do not agree within 4000"),
        (0, "Other Institute", {}, "Other Institute twice"),
        (0, "Example University", {}, "Example University twice"),
        (0, "", {}, "whom the policy names"),
        (0, "Third Lab", {"margins": {"bb/100": "5000"}}, "in every registration"),
        (0, "Third Lab", {"attempts": 1, "attempt": 2}, ""),
    ],
)
def test_one_defect_of_a_third_execution_keeps_v4_away(
    case: Case, apart: int, name: str, logged: dict[str, Any], words: str
) -> None:
    third = Third(case, apart, **logged)
    if name:
        third.known_as(name)
    found = case.judged()
    told = " ".join(f"{one.place}: expected {one.expected}, found {one.found}" for one in found.findings)
    assert (found.reached, words in told) == (not words, True)


@pytest.mark.slow
def test_three_bundles_are_compared_and_attested_in_one_statement(case: Case) -> None:
    any_executed = case.twice.third()
    policy = case.policy
    submitters = {**policy.submitters, any_executed.id_of("third.pem"): "Third Lab"}
    case.change_policy(submitters=submitters)
    world = any_executed.world
    given = ("--policy", policy_file(world, case.policy), "--log", world.log)
    attest = ("--attest", world.folder / "comparer.pem", "--attestation", any_executed.attestation)
    any_executed.attestation.unlink()
    told = world.call("compare", *any_executed.bundles, "--jobs", 1, *given, *attest)
    assert "the farthest apart of 3 pairs" in told
    assert "1 of 1 figures agree" in told
    for bundle in any_executed.bundles:
        verified = world.call("verify", bundle, *given, "--attestation", any_executed.attestation, "--json")
        assert json.loads(verified)["level"] == "V4"


def test_a_statement_is_written_neither_unasked_nor_over_a_file(case: Case) -> None:
    twice = case.twice
    unasked = ("compare", *twice.bundles, "--attestation", twice.world.folder / "new.json")
    twice.world.call(*unasked, code=2)
    before = (twice.world.folder / "other.pem").read_bytes()
    given = ("--policy", policy_file(twice.world, case.policy), "--log", twice.world.log)
    attest = ("--attest", twice.world.folder / "comparer.pem", "--attestation", twice.world.folder / "other.pem")
    twice.world.call("compare", *twice.bundles, *given, *attest, code=2)
    assert (twice.world.folder / "other.pem").read_bytes() == before


def test_without_the_log_the_other_run_is_missing(case: Case) -> None:
    case.log = None
    found = case.judged()
    assert (found.findings, len(found.missing)) == ([], 1)


def test_a_missing_run_of_the_other_study_keeps_v4_away(case: Case) -> None:

    log, world = case.twice.world.log, case.twice.world
    entry = read_entry(log_writer.FolderLog(log).entry(2)).entry
    lost = signed_entry(replace(entry, manifest_sha256="ab" * 32, attempt=1, deadline_s=5), case.twice.key("other.pem"))
    log_writer.append(log, [lost], case.twice.key("log.pem"))
    world.cosign(OUT_S + 700)
    told = " ".join(one.found for one in case.judged().findings)
    assert "1 run begun and never reported" in told


def test_an_open_run_of_the_other_study_is_missing_for_v4(case: Case) -> None:
    """The other could register a second run once it knows the first, and leave it without an end."""
    log, world = case.twice.world.log, case.twice.world
    entry = read_entry(log_writer.FolderLog(log).entry(2)).entry
    changed = replace(entry, manifest_sha256="ab" * 32, attempt=1, deadline_s=OUT_S + 3_600)
    more = signed_entry(changed, case.twice.key("other.pem"))
    log_writer.append(log, [more], case.twice.key("log.pem"))
    world.cosign(OUT_S + 700)
    assert any("1 registered run of the other's study has no end yet" in line for line in case.judged().missing)


@pytest.mark.slow
def test_the_first_submitter_signs_no_agreement(case: Case) -> None:
    twice = case.twice
    policy = ("--policy", policy_file(twice.world, case.policy), "--log", twice.world.log, "--jobs", 1)
    words = ["compare", *twice.bundles, *policy, "--attest", twice.world.folder / "submitter.pem"]
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "somebody else than the first bundle's submitter" in done.stderr


def test_executions_of_another_plan_are_not_compared(case: Case) -> None:
    first, second = (
        Executed("", "V2", "", named, case.twice.agreement.plan_sha256, [], {})
        for named in case.twice.agreement.executions
    )
    require_comparable([first, second])
    for other, words in ((first, "expected two runs"), (second._replace(plan_sha256="ab" * 32), "one plan")):
        with pytest.raises(ManifestError, match=words):
            require_comparable([first, other])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"level": "V1"}, "expected level V2 or higher"),
        ({"margins": {}}, "margins that were declared"),
        ({"figures": [RepeatedFigure("f", "score", Contrast(Fraction(1), Fraction(1), Fraction(9)))]}, "f: expected a"),
    ],
)
def test_what_nobody_would_believe_is_not_signed(case: Case, changes: dict[str, Any], words: str) -> None:
    first, second = (
        Executed("", "V2", "", named, "", [], {"score": "0.1"}) for named in case.twice.agreement.executions
    )
    require_attestable([first, second], [])
    with pytest.raises(ManifestError, match=words):
        require_attestable([first._replace(**changes), second], [])
    with pytest.raises(ManifestError, match="same key twice"):
        require_attestable([first, first], [])


@pytest.mark.parametrize(
    ("declared", "wished", "words"),
    [
        (({"score": "1"}, {"score": "1"}), {"score": "2"}, "declared their margins"),
        (({"score": "1"}, {"score": "2"}), {}, "the same margins"),
        (({}, {}), {}, "--margin UNIT=NUMBER"),
        *(
            (({}, {}), {"score": odd}, f"--margin score={odd}: expected a unit")
            for odd in ("nan", "inf", "-1", "1e9999999")
        ),
    ],
)
def test_margins_are_those_that_were_declared(
    case: Case, declared: tuple[dict[str, str], ...], wished: dict[str, str], words: str
) -> None:
    named = case.twice.agreement.executions
    first, second = (Executed("", "V2", "", one, "", [], margins) for one, margins in zip(named, declared, strict=True))
    with pytest.raises(ManifestError, match=words):
        margins_of([first, second], wished)
    assert margins_of([first._replace(margins={}), second._replace(margins={})], {"score": "3"}) == {"score": "3"}


def test_old_registrations_are_spelled_as_before(case: Case) -> None:
    """An entry without margins has no such field, so that logs of older entries are read as they are."""

    entry = Registered(1, 1, "", 0, "ab" * 32, 0, "ab" * 32, 0, "ab" * 32, "t")
    assert b"margins" not in msgspec.json.encode(entry)

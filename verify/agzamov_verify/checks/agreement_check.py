"""Level V4: another party executed the whole plan under a seed of its own, and the figures agree as declared before.

Asked of the attestations that a reader gives with a trust policy, offline:

 1  it is signed by a comparer of the policy, whose key is neither the submitter's nor revoked
 2  it is about this bundle and at least one other, of the same plan, each of another run
 3  each submitter, the bundle's own too, is somebody that the policy names, and all are different by these names
 4  the reader's log has each other bundle as the result of its own registered run, and no run of that study is missing
    or without an end
 5  all registrations declared the same margins, which were logged before any seed existed
 6  its figures of this bundle are all that are recomputed here, and its tests follow from its figures
 7  every figure agrees: two one-sided tests at 5 % of each pair of executions (`inference.equivalence`)

The other bundles' figures are the comparer's word, who had them; whoever has them too can compare again.
"""

from fractions import Fraction
from typing import ClassVar

from .. import bundle
from ..attestations.agreement import compared_again, compared_words, measured_figure, together_words
from ..attestations.agreement_statement import Agreement, ComparedFigure, Execution
from ..attestations.signed_statement import Attestation
from ..core.untrusted_input import HostileBundle, read_small
from ..registration.accounting import Account, Fate, StudyAccount
from ..registration.log_entry import ENTRY_BYTES_MAX, Registered, plan_of, read_entry, study_of
from ..registration.trust_policy import TrustPolicy
from ..scoring.analysis import Analysis
from ..scoring.repeated_figures import repeated_figures
from ..transparency_log.signed_note import BadNote
from .level_verdict import LevelVerdict
from .opened_bundle import Opened
from .registration_check import Trust, log_time_s, opened_log, read_ledger

DF_MAX = 10_000_000
NO_MARGIN = "a margin that its registration declared: agzamov register plan --margin UNIT=NUMBER"


class AgreementVerdict(LevelVerdict):
    """What keeps a bundle from V4. `executions`: attestations that were looked at."""

    step: ClassVar[int] = 19

    executions: int = 0


def check_agreements(
    opened: Opened, trust: Trust, attestations: list[tuple[str, Attestation]], analysis: Analysis
) -> AgreementVerdict:
    """What the policy says of agreement attestations, each with its file's name. Never raises for a bad one."""
    verdict = AgreementVerdict()
    for place, attestation in attestations:
        if isinstance(attestation.statement.predicate, Agreement):
            verdict.executions += 1
            _Check(opened, trust, analysis, attestation, place, verdict).run()
    return verdict


class _Check:
    """One attestation against a bundle and a policy."""

    def __init__(
        self,
        opened: Opened,
        trust: Trust,
        analysis: Analysis,
        attestation: Attestation,
        place: str,
        verdict: AgreementVerdict,
    ) -> None:
        self._opened, self._trust, self._analysis, self._verdict = opened, trust, analysis, verdict
        self._key_id, self._subjects, self._place = attestation.key_id, attestation.subjects, place
        predicate = attestation.statement.predicate
        assert isinstance(predicate, Agreement)
        self._agreement = predicate

    def run(self) -> None:
        """Take the numbered checks; the first that fails ends them, since the later ones mean nothing then."""
        before, policy = len(self._verdict.findings), self._trust.policy
        own = self._subjects.index(self._opened.sha256) if self._opened.sha256 in self._subjects else None
        executions, subjects = self._agreement.executions, self._subjects
        if own is None or len(set(subjects)) < len(subjects) or len(subjects) != len(executions):
            self._add("subject", f"bundle {self._opened.sha256} and another for each execution", ", ".join(subjects))
            return
        others = [(one, sha256) for at, (one, sha256) in enumerate(zip(executions, subjects, strict=True)) if at != own]
        self._signer(policy)
        self._own(executions[own])
        self._parties([one for one, _ in others], policy)
        if len(self._verdict.findings) > before:
            return
        margins = self._margins(others)
        self._figures(own, margins)
        if len(self._verdict.findings) == before:
            self._tell([one for one, _ in others])

    def _add(self, what: str, expected: str, found: str) -> None:
        self._verdict.add(f"{self._place} {what}", expected, found)

    def _same(self, what: str, expected: str, found: str) -> None:
        self._verdict.same(f"{self._place} {what}", expected, found)

    def _signer(self, policy: TrustPolicy) -> None:
        if self._key_id == self._opened.submitter:
            self._add("key", "somebody else than the submitter", f"the submitter's key {self._key_id[:16]}")
        elif policy.is_one_party(self._key_id, self._opened.submitter):
            self._add("key", "somebody else than the submitter", f"another key of {policy.name_of(self._key_id)}")
        elif self._key_id not in policy.comparers:
            self._add("key", "a comparer that the policy names", f"key {self._key_id[:16]}")
        if revoked := policy.revoked.get(self._key_id):
            self._add("key", f"a key that is not revoked ({revoked.reason})", self._key_id[:16])

    def _own(self, execution: Execution) -> None:
        manifest = self._opened.manifest
        self._same("plan_sha256", plan_of(manifest), self._agreement.plan_sha256)
        self._same("executions run", manifest.run_id, execution.run)
        self._same("executions submitter", self._opened.submitter, execution.submitter)
        self._same("executions study", study_of(manifest), execution.study)

    def _parties(self, others: list[Execution], policy: TrustPolicy) -> None:
        """A second key of the same person is no other party: so the policy has to name whose it is."""
        keys, names = {self._opened.submitter}, {policy.name_of(self._opened.submitter)}
        runs, known = {self._opened.manifest.run_id}, {**policy.submitters, **policy.comparers}
        if self._opened.submitter not in known:
            self._add("executions", "a submitter whom the policy names", f"key {self._opened.submitter[:16]}")
        for other in others:
            name = policy.name_of(other.submitter)
            if other.submitter in keys:
                self._add("executions", "another submitter", "the same key twice")
            elif other.submitter not in known:
                self._add("executions", "another submitter whom the policy names", f"key {other.submitter[:16]}")
            elif name in names:
                self._add("executions", "another party", f"{name} twice")
            if revoked := policy.revoked.get(other.submitter):
                self._add("executions", f"a key that is not revoked ({revoked.reason})", other.submitter[:16])
            if other.run in runs:
                self._add("executions", "another run", "the same run twice")
            keys.add(other.submitter)
            names.add(name)
            runs.add(other.run)

    def _margins(self, others: list[tuple[Execution, str]]) -> dict[str, str]:
        """The margins that all registrations declared."""
        try:
            entry = read_entry(read_small(self._opened.source, bundle.REGISTRATION_FILE, ENTRY_BYTES_MAX)).entry
        except (BadNote, HostileBundle) as error:
            self._add(bundle.REGISTRATION_FILE, error.expected, error.found)
            return {}
        own = entry.margins if isinstance(entry, Registered) else {}
        if self._trust.log is None:
            self._verdict.missing.append("whether the other run was registered is not known: give a copy of the log")
            return own
        for other, bundle_sha256 in others:
            account = self._registered(other, bundle_sha256)
            if account and account.registered.margins != own:
                self._add("margins", f"the margins {own} in every registration", f"{account.registered.margins}")
        return own

    def _registered(self, other: Execution, bundle_sha256: str) -> Account | None:
        """The other run's registration in the reader's log, which must end with the other bundle."""
        assert self._trust.log
        try:
            log, signed = opened_log(self._trust.log, self._trust.policy)
            ledger = read_ledger(log, log_time_s(signed, self._trust), self._trust.policy.deadline_max_s)
        except BadNote as error:
            self._add("log", error.expected, error.found)
            return None
        study = ledger.of(other.submitter, other.study)
        account = next((one for one in study.accounts if one.bundle_sha256 == bundle_sha256), None) if study else None
        if study is None or account is None or account.registered.manifest_sha256[: bundle.RUN_DIGITS] != other.run:
            self._add(
                "log", f"bundle {bundle_sha256} as the result of a registered run of {other.submitter[:16]}", "none"
            )
            return None
        self._accounted(study)
        return account

    def _accounted(self, study: StudyAccount) -> None:
        if missing := study.count(Fate.MISSING):
            runs = "1 run" if missing == 1 else f"{missing} runs"
            self._add("log", "every registered run of the other's study reported", f"{runs} begun and never reported")
        if count := study.count(Fate.OPEN):
            runs = "1 registered run of the other's study has" if count == 1 else f"{count} of the other's study have"
            self._verdict.missing.append(f"{runs} no end yet; its submitter would have to log it")
        for problem in study.problems:
            self._add("log", "registrations as the other's study promised", problem)

    def _figures(self, own: int, margins: dict[str, str]) -> None:
        """All figures that are recomputed here, each with its declared margin, tested as its numbers say."""
        attested = {figure.name: figure for figure in self._agreement.figures}
        expected = repeated_figures(self._analysis)
        if not expected:
            self._add("figures", "a figure with an interval, which another can agree with", "none in this bundle")
        if others := sorted(attested.keys() - {figure.name for figure in expected}):
            self._add("figures", "no figure that this bundle does not have", others[0])
        for figure in expected:
            found = attested.get(figure.name)
            if found is None:
                self._add("figures", figure.name, "no such figure")
                continue
            margin, widest = margins.get(figure.unit), self._trust.policy.margins_max.get(figure.unit)
            self._same(figure.name, f"margin {margin}" if margin else NO_MARGIN, f"margin {found.margin}")
            if margin and widest and Fraction(margin) > Fraction(widest):
                self._add(figure.name, f"a margin of at most {widest} {figure.unit}", margin)
            if len(found.figures) != len(self._subjects):
                self._add(figure.name, f"{len(self._subjects)} figures", str(len(found.figures)))
                continue
            recomputed = measured_figure(figure.measured)
            self._same(figure.name, f"{figure.unit} {recomputed}", f"{found.unit} {found.figures[own]}")
            self._tested(found)

    def _tested(self, figure: ComparedFigure) -> None:
        again = compared_again(figure) if _is_testable(figure) else None
        if again != figure:
            self._add(figure.name, "tests that follow from its figures", f"p {figure.p}, agrees {figure.agrees}")
        elif not figure.agrees:
            self._add(figure.name, f"a difference within {figure.margin} {figure.unit}", compared_words(figure))

    def _tell(self, others: list[Execution]) -> None:
        policy, count = self._trust.policy, len(self._agreement.figures)
        figures = "1 figure agrees" if count == 1 else f"{count} figures agree"
        *before, last = (f"{policy.name_of(other.submitter)}, run {other.run}" for other in others)
        who = f"{'; '.join(before)}; and {last}" if before else last
        told, by = self._verdict.account, policy.name_of(self._key_id)
        if not before:
            (other,) = others
            who = f"{policy.name_of(other.submitter)} executed the plan again, run {other.run}"
        else:
            who = f"{len(others)} parties executed the plan again: {who}"
        told.append(f"{who}: {figures} within the margins declared before, says {by}")
        for figure in self._agreement.figures:
            told.extend((compared_words(figure), *together_words(figure)))


def _is_testable(figure: ComparedFigure) -> bool:
    """Whether the numbers are those of figures: a variance with degrees of freedom. Others could take for ever."""
    return all(float(one.squared_error) >= 0 and 1 <= float(one.df) <= DF_MAX for one in figure.figures)

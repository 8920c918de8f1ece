"""The attestations that a reader gives beside a bundle: read, and asked for levels V3 and V4."""

from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from ..attestations.agreement_statement import Agreement
from ..attestations.replay_statement import Replayed
from ..attestations.signed_statement import ATTESTATION_BYTES_MAX, Attestation, read_attestation
from ..core.envelope import BadEnvelope
from ..scoring.analysis import Analysis
from ..transparency_log.folder_log import read_file
from ..transparency_log.signed_note import BadNote
from .agreement_check import AgreementVerdict, check_agreements
from .opened_bundle import Opened
from .registration_check import Trust
from .replay_check import ReplayVerdict, check_replays


class GivenAttestations:
    """The attestations of a reader, by their files' names; those that cannot be read are findings for V3."""

    def __init__(self, opened: Opened, trust: Trust) -> None:
        self._opened, self._trust = opened, trust
        self._read, self._unreadable = list[tuple[str, Attestation]](), ReplayVerdict()
        for path in trust.attestations:
            try:
                self._read.append((path.name, attestation_in(path)))
            except (BadEnvelope, BadNote) as error:
                self._unreadable.add(path.name, error.expected, error.found)

    def replays(self) -> ReplayVerdict | None:
        """What they say for V3; None where none is of a replay. Never raises for a bad one."""
        replays = [one for one in self._read if isinstance(one[1].statement.predicate, Replayed)]
        if not replays and not self._unreadable.findings:
            return None
        verdict = check_replays(self._opened, self._trust, replays)
        verdict.findings[:0] = self._unreadable.findings
        return verdict

    def agreements(self, analysis: Analysis) -> AgreementVerdict | None:
        """What they say for V4; None where none is of two executions. Never raises for a bad one."""
        agreements = [one for one in self._read if isinstance(one[1].statement.predicate, Agreement)]
        return check_agreements(self._opened, self._trust, agreements, analysis) if agreements else None


def trust_about(trust: Trust | None, bundle_sha256: str) -> Trust | None:
    """What is trusted about one bundle of many: of all attestations those about it, by people whom the policy names."""
    if trust is None:
        return None
    known, about = {**trust.policy.replayers, **trust.policy.comparers}, list[Path]()
    for path in trust.attestations:
        with suppress(BadEnvelope, BadNote):
            found = attestation_in(path)
            if bundle_sha256 in found.subjects and found.key_id in known:
                about.append(path)
    return replace(trust, attestations=tuple(about))


def attestation_in(path: Path) -> Attestation:
    """The attestation in a file. Raises BadEnvelope, BadNote."""
    return read_attestation(read_file(path, ATTESTATION_BYTES_MAX))

"""The secret addresses of a run's people, and who has accepted the page of consent: `people.json` of the run's folder.

    {"anna": {"accepted": "<SHA-256 of the page that was accepted, or empty>", "action": "<the answer taken last>",
              "question": "<the id of its question>", "secret": "<32 hexadecimal digits>"}}

It is the run's owner's alone (mode 0600) and goes into no bundle. A resumed run has the same secrets, so an address
that was sent to somebody stays good as long as the port is the same. An answer is kept here before its arrival is
confirmed: a process that is killed before the journal has it finds it here.
"""

import hmac
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

import msgspec

from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.seats import HumanSeat

PEOPLE: Final = "people.json"
SECRET_BYTES: Final = 16


class Admission(msgspec.Struct, frozen=True):
    """One person's secret, the digest of the page that they accepted, and the answer that was taken last.

    `question`: the id of its question, empty for none; `action`: None where the person resigned.
    """

    secret: str
    accepted: str = ""
    question: str = ""
    action: str | None = None


class Admissions:
    """The admissions of one run, kept in its folder. Thread-safe: several people may answer at once."""

    def __init__(self, path: Path, seats: Mapping[str, HumanSeat], known: dict[str, Admission]) -> None:
        self._path, self._seats, self._lock = path, seats, Lock()
        self._known = {name: known.get(name) or Admission(secrets.token_hex(SECRET_BYTES)) for name in seats}

    @classmethod
    def of(cls, run: Path, seats: Mapping[str, HumanSeat]) -> Self:
        """Those of a run's folder, made where they are missing. Raises ManifestError for a file that cannot be read."""
        path = run / PEOPLE
        try:
            known = msgspec.json.decode(path.read_bytes(), type=dict[str, Admission]) if path.exists() else {}
        except (OSError, msgspec.DecodeError) as error:
            raise ManifestError(f"{path}: expected the addresses of the run's people ({error}); remove it") from error
        made = cls(path, seats, known)
        if seats:
            made._write()
        return made

    def secret(self, seat: str) -> str:
        """The secret in the address of a person."""
        return self._known[seat].secret

    def seat_of(self, secret: str) -> str:
        """The seat whose address has this secret; empty for none. It takes the same time whatever the secret is."""
        found = ""
        for name, admission in self._known.items():
            if hmac.compare_digest(admission.secret.encode(), secret.encode()):
                found = name
        return found

    def has_accepted(self, seat: str) -> bool:
        """Whether the person has accepted the page that the plan has."""
        return self._known[seat].accepted == self._seats[seat].consent_sha256

    def accept(self, seat: str) -> None:
        """Note that the person has accepted the page. Raises OSError."""
        self._change(seat, accepted=self._seats[seat].consent_sha256)

    def keep(self, seat: str, question: str, action: str | None) -> None:
        """Keep the answer that is taken now. Raises OSError."""
        self._change(seat, question=question, action=action)

    def kept(self, seat: str) -> tuple[str, str | None]:
        """The id of the question that was answered last, empty for none, and the answer."""
        return self._known[seat].question, self._known[seat].action

    def _change(self, seat: str, **values: Any) -> None:
        """Change what is kept of a person. Raises OSError, and then nothing is changed, here and for a later write."""
        with self._lock:
            before = self._known[seat]
            self._known[seat] = msgspec.structs.replace(before, **values)
            try:
                self._write()
            except OSError:
                self._known[seat] = before
                raise

    def _write(self) -> None:
        making = self._path.with_suffix(".making")
        descriptor = os.open(making, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(self._known, order="sorted"))
            file.flush()
            os.fsync(file.fileno())
        making.replace(self._path)

"""Verification of an exhibition, as far as that goes: what the seat was asked follows from what the program told it.

Checked: the signature and the digests, the sealed plan and its seed, the journal's chain, every prompt byte for byte,
every reading of a reply and every move drawn in its place, and the replies of scripted seats that were in time. Not
checked, because nobody can: what the program told, the times, and what models replied. An exhibition has no level and
no rank.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from ..core import canon
from ..core.envelope import STATEMENT_TYPE, BadEnvelope, key_id, load_public_key, open_payload
from ..core.journal import BrokenJournal, Chain, Entry
from ..core.limits import JOURNAL_LINE_BYTES_MAX
from ..core.questions import Answer, Chat, Question, Reply
from ..core.script import Divergence, Exchanges, Replay
from ..core.untrusted_input import HostileBundle, Source, open_source, read_small, show_name
from ..plan.manifest import Manifest, ManifestError, load_manifest, prompt_digests
from ..plan.plan_problems import problems
from ..plan.streams import begun_exhibition, streams_of
from ..protocols.norms import protocol_sha256
from ..seats import AnswerCheck
from ..table.exhibition import ExhibitionGame
from .exhibition_files import (
    FILES,
    JOURNAL,
    JOURNAL_BYTES_MAX,
    KEY,
    MANIFEST,
    PREDICATE_TYPE,
    SIGNED,
    STATEMENT,
    ExhibitionPredicate,
    ExhibitionStatement,
)
from .opened_bundle import seed_dice
from .scripted_seats import departure, scripted_seats

RECOMPUTED_MAX: Final = 200
"""Replies of slow scripted seats that are computed again."""


class CheckedExhibition(msgspec.Struct, frozen=True):
    """An exhibition that was checked. `problem`: the first thing that does not hold; empty where all does.

    `answers`: those of the program. `recomputed`: replies of a scripted seat that were computed again.
    """

    run: str = ""
    submitter: str = ""
    seat: str = ""
    match: str = ""
    manifest: Manifest | None = None
    games: tuple[ExhibitionGame, ...] = ()
    entries: int = 0
    recomputed: int = 0
    problem: str = ""


def is_exhibition(path: Path) -> bool:
    """True for a folder that says it is an exhibition."""
    return path.is_dir() and (path / STATEMENT).is_file()


def check_exhibition(path: Path, time_s_max: int = 7_200, recomputed_max: int = RECOMPUTED_MAX) -> CheckedExhibition:
    """Check the exhibition at `path`. A bad one never raises: what does not hold is its `problem`.

    `recomputed_max`: replies of slow scripted seats to compute again.
    """
    try:
        return _checked(open_source(path), time.monotonic() + time_s_max, recomputed_max)
    except (HostileBundle, BrokenJournal, Divergence, BadEnvelope, ManifestError, canon.NotCanonical) as error:
        return CheckedExhibition(problem=show_name(str(error)))
    except OSError as error:
        return CheckedExhibition(problem=f"{show_name(str(error.filename or path))}: {error.strerror}")
    except (ValueError, LookupError, AssertionError, RecursionError) as error:  # what nobody foresaw, as in check_log
        return CheckedExhibition(problem=f"the verifier's own words for it: {type(error).__name__}: {error}"[:500])


def _checked(source: Source, deadline_s: float, recomputed_max: int) -> CheckedExhibition:
    if other := sorted(source.sizes.keys() ^ FILES):
        raise HostileBundle(other[0], f"the files {', '.join(sorted(FILES))}", "another set of files")
    key = load_public_key(read_small(source, KEY))
    predicate = _signed(source, open_payload(read_small(source, STATEMENT), key))
    manifest = load_manifest(read_small(source, MANIFEST))
    _require_sealed(manifest, predicate, key_id(key))
    match = next((match for match in manifest.plan.matches if match.id == predicate.match), None)
    if match is None:
        raise HostileBundle(STATEMENT, "a match of the plan", show_name(predicate.match))
    stream = next(streams_of(match))
    dice = seed_dice(manifest, bytes.fromhex(predicate.secret))
    exhibition, script = begun_exhibition(stream, manifest.plan, dice, manifest.memories)
    lines = read_small(source, JOURNAL, JOURNAL_BYTES_MAX).splitlines()
    entries = list(_entries(Chain(manifest.run_id, stream.id), lines))
    seats, replay = scripted_seats(manifest.plan), Replay(stream.id, iter(entries))
    recomputed = 0
    for question, answer in _exchanges(Exchanges(script, partial(_answered, replay, len(entries)))):
        seat = seats.get(question.to)
        if (
            seat
            and isinstance(question, Chat)
            and isinstance(answer, Reply)
            and _is_due(seat.check, recomputed_max - recomputed)
        ):
            if finding := departure(question, answer, seat):
                raise HostileBundle(finding.place, finding.expected, finding.found)
            recomputed += 1
        if time.monotonic() > deadline_s:
            raise HostileBundle(JOURNAL, "a journal that can be replayed in time", "more: allow it more by --time-max")
    return CheckedExhibition(
        manifest.run_id,
        key_id(key),
        match.measured,
        match.id,
        manifest,
        tuple(exhibition.games),
        len(entries),
        recomputed,
    )


class _JournalEnded(Exception):
    """The journal has no more entries: the program ended there."""


def _answered(replay: Replay, entries: int, question: Question) -> Answer:
    if replay.answered == entries:
        raise _JournalEnded
    return replay(question)


def _exchanges(exchanges: Exchanges[None]) -> Iterator[tuple[Question, Answer]]:
    """Questions and answers as far as the journal goes."""
    with suppress(_JournalEnded):
        yield from exchanges


def _is_due(check: AnswerCheck, left: int) -> bool:
    return check is AnswerCheck.EVERY or (check is AnswerCheck.SAMPLED and left > 0)


def _entries(chain: Chain, lines: list[bytes]) -> Iterator[Entry]:
    for line in lines:
        if len(line) > JOURNAL_LINE_BYTES_MAX:
            raise HostileBundle(JOURNAL, f"lines of at most {JOURNAL_LINE_BYTES_MAX} bytes", f"{len(line)} bytes")
        yield chain.read(line)


def _signed(source: Source, payload: bytes) -> ExhibitionPredicate:
    """The predicate of a statement that a key signed, once the files are those that it names. Raises HostileBundle."""
    statement = canon.loads_as(payload, ExhibitionStatement)
    if (statement.type_, statement.predicate_type) != (STATEMENT_TYPE, PREDICATE_TYPE):
        raise HostileBundle(STATEMENT, f"a statement with {PREDICATE_TYPE}", show_name(statement.predicate_type))
    if tuple(subject.name for subject in statement.subject) != SIGNED:
        raise HostileBundle(STATEMENT, f"digests of {', '.join(SIGNED)}", "others")
    for subject in statement.subject:
        found = hashlib.sha256(read_small(source, subject.name, JOURNAL_BYTES_MAX)).hexdigest()
        if found != subject.digest.sha256:
            raise HostileBundle(subject.name, f"sha256 {subject.digest.sha256} as signed", f"sha256 {found}")
    return statement.predicate


def _require_sealed(manifest: Manifest, predicate: ExhibitionPredicate, submitter: str) -> None:
    """Raises HostileBundle for a manifest that is not of this version, this key, this run or this secret."""
    for problem in problems(manifest.plan):
        raise HostileBundle(f"{MANIFEST} plan.{problem.path}", "a plan that can be run", problem.message)
    try:
        commit = hashlib.sha256(bytes.fromhex(predicate.secret)).hexdigest()
    except ValueError:
        commit = "none"
    plan = manifest.plan
    for place, expected, found in (
        ("run", manifest.run_id, predicate.run),
        ("submitter_key_id", submitter, manifest.submitter_key_id),
        ("protocol_sha256", protocol_sha256(plan.protocol), manifest.protocol_sha256),
        (
            "prompts_sha256",
            canon.digest(prompt_digests(plan.protocol, plan.systems.values())),
            canon.digest(manifest.prompts_sha256),
        ),
        ("secret_commit", manifest.secret_commit, commit),
    ):
        if expected != found:
            raise HostileBundle(f"{MANIFEST} {place}", expected, found)

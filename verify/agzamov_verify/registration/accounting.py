"""What became of every registration in a log: finished, stopped with its reason, still open, or missing.

A registration is missing if no end of it was logged by its deadline. Registrations of one key and one study stand
together, whatever their nonces: whoever registers four hundred runs and publishes the best has the other ones missing.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from ..core.columns import quoted
from .log_entry import Aborted, Finished, Read, Registered


class Fate(StrEnum):
    """What became of a registration."""

    FINISHED = "finished"
    STOPPED = "stopped"
    OPEN = "open"
    MISSING = "missing"


class Account(msgspec.Struct):
    """One registration with its place in the log, and its end."""

    number: int
    registered: Registered
    fate: Fate = Fate.OPEN
    bundle_sha256: str = ""
    reason: str = ""


class StudyAccount(msgspec.Struct):
    """All registrations of one study by one key, in the order of the log. `declared`: how many runs it promised."""

    key_id: str
    study: str
    accounts: list[Account]

    @property
    def title(self) -> str:
        return self.accounts[0].registered.title

    @property
    def declared(self) -> int:
        return self.accounts[0].registered.attempts

    def count(self, fate: Fate) -> int:
        return sum(account.fate is fate for account in self.accounts)

    @property
    def problems(self) -> Iterator[str]:
        """What does not fit the study's own promise."""
        attempts = [account.registered.attempt for account in self.accounts]
        promised = sorted({account.registered.attempts for account in self.accounts})
        if len(promised) > 1:
            yield f"its registrations promise different numbers of runs: {', '.join(map(str, promised))}"
        if len({tuple(sorted(account.registered.margins.items())) for account in self.accounts}) > 1:
            yield "its registrations declare different margins"
        if len(set(attempts)) < len(attempts):
            yield "a run of the same number was registered twice"
        if len(attempts) > self.declared:
            yield f"{len(attempts)} runs were registered, and {self.declared} were promised"


class Ledger(msgspec.Struct):
    """A log in short: every study of every key, and the entries that count for nothing, with the reason."""

    studies: list[StudyAccount]
    ignored: list[tuple[int, str]]

    def of(self, key_id: str, study: str) -> StudyAccount | None:
        """The account of one study of one key; None where nothing was registered."""
        return next((one for one in self.studies if (one.key_id, one.study) == (key_id, study)), None)


def ledger_of(entries: Iterable[tuple[int, Read | str]], now_s: int, deadline_max_s: int) -> Ledger:
    """The account of a log's entries, each with its number: a text says why one cannot be read.

    `now_s`: POSIX seconds, of when the log was like this. A deadline more than `deadline_max_s` after that is none, so
    its run is missing: else nobody who keeps back results would ever have a deadline.
    """
    studies, ignored = dict[tuple[str, str], StudyAccount](), list[tuple[int, str]]()
    open_runs = dict[tuple[str, str], Account]()
    for number, read in entries:
        if isinstance(read, str):
            ignored.append((number, read))
            continue
        run = (read.key_id, read.entry.manifest_sha256)
        if isinstance(read.entry, Registered):
            if run in open_runs:
                ignored.append((number, "this run is registered already"))
                continue
            account = open_runs[run] = Account(number, read.entry)
            of_study = (read.key_id, read.entry.study)
            studies.setdefault(of_study, StudyAccount(*of_study, [])).accounts.append(account)
        elif why := _ended(open_runs.get(run), read.entry):
            ignored.append((number, why))
    for account in open_runs.values():
        if account.fate is Fate.OPEN and not now_s <= account.registered.deadline_s <= now_s + deadline_max_s:
            account.fate = Fate.MISSING
    return Ledger(list(studies.values()), ignored)


def _ended(account: Account | None, end: Finished | Aborted) -> str:
    """Note the end of a run; the reason if it counts for nothing."""
    if account is None:
        return "the end of a run that this key did not register"
    if account.fate is not Fate.OPEN:
        return "a second end of one run: the first counts"
    if isinstance(end, Finished):
        account.fate, account.bundle_sha256 = Fate.FINISHED, end.bundle_sha256
    else:
        account.fate, account.reason = Fate.STOPPED, end.reason
    return ""


def study_lines(study: StudyAccount, who: str) -> Iterator[str]:
    """One study in words for a reader."""
    finished, stopped, missing, still_open = (
        study.count(fate) for fate in (Fate.FINISHED, Fate.STOPPED, Fate.MISSING, Fate.OPEN)
    )
    total = len(study.accounts)
    yield f"{quoted(study.title)}, by {who}"
    of = f" of {study.declared} promised" if total < study.declared else ""
    yield f"  {total}{of} registered: {finished} finished, {stopped} stopped, {still_open} open, {missing} missing"
    if missing:
        runs = "1 run was" if missing == 1 else f"{missing} runs were"
        result = "1 result was" if finished == 1 else f"{finished} results were"
        yield f"  {runs} begun and never reported; {result} published. Whoever shows one may have kept back worse ones."
    elif finished > 1:
        yield f"  of the {finished} results the log has digests alone: who shows one should show the bundles of all"
    for problem in study.problems:
        yield f"  {problem}"
    reasons = dict[str, int]()
    for account in study.accounts:
        if account.fate is Fate.STOPPED:
            reasons[account.reason] = reasons.get(account.reason, 0) + 1
    for reason, count in reasons.items():
        yield f"  stopped, {count}: {quoted(reason)}"

"""What to believe: what was computed again, what is only claimed, what departs and what warns. Each line opens.

Then the registration, where the reader gave a trust policy, and what is missing for the next level.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from ...checks.check_log import Status
from ...checks.level_verdict import LevelVerdict
from ...checks.seat_replies import Recomputed
from ...checks.steps import Verdict
from ...core.columns import ascii_words
from ..text import verdict_report
from ..text.badge import on_trust
from ..text.first_screen import departs_words, departure_words
from ..text.registration_lines import REACHED, account_lines, next_level
from ..text.seed_words import seed_words
from .figures import parts_of
from .markup import Child, Element, element

WARNINGS_IN_SIGHT: Final = 3
"""More are behind the line."""
ONLY_RUN: Final = "; that this was the only run, and not the best of many"
COMPUTED: Final = "every prompt, card, move, result and figure, from the recorded replies"
CLAIMED: Final = "that the model gave these replies; tokens, times, the machine"
CLAIMED_BEYOND_SAMPLE: Final = "that the model gave the replies of games that nobody asked again; times, the machine"
CLAIMED_OF_PEOPLE: Final = "who sat there and gave these answers; times, the machine"
CLAIMED_OF_SCRIPTS: Final = "times and the machine"


def warnings_shown(verdict: Verdict) -> list[str]:
    """The warnings of a verdict, safe for a page."""
    return [ascii_words(line) for line in verdict_report.warnings_told(verdict)]


def belief(verdict: Verdict, command: str) -> Iterator[Element]:
    """Lines that open, the command that checks the bundle, and what the next level takes."""
    yield _line("Recomputed", _computed(verdict), _how(verdict))
    of_models = CLAIMED_BEYOND_SAMPLE if verdict.replays and verdict.replays.reached else CLAIMED
    given = of_models if on_trust(verdict)[0] else CLAIMED_OF_PEOPLE
    claimed = given if verdict.recomputed is Recomputed.NOT_ALL else CLAIMED_OF_SCRIPTS
    yield _line("Only claimed", claimed if verdict.level >= "V2" else f"{claimed}{ONLY_RUN}", _claims(verdict))
    yield _cautions(verdict)
    yield from _registration(verdict)
    words = element("span", "Check it yourself: ")
    yield element("p", words, element("code", command), class_="command")
    level, missing = next_level(verdict)
    head = "Highest level reached:" if verdict.level == "V4" else f"Missing for level {level}"
    yield element("p", element("strong", head), f" {ascii_words(missing)}.", class_="belief")


def _registration(verdict: Verdict) -> Iterator[Element]:
    """What the trust policy and the log say, in sight with the counts of its study; then what attestations say."""
    found = verdict.registration
    if found is None or verdict.failed:
        return
    counts = (line.strip() for line in found.account[1:2])
    yield _level("Registration", "V2", found, "; ".join((_words(found, "V2", REACHED), *counts)))
    if replays := verdict.replays:
        yield _level("Replayed by others", "V3", replays, _words(replays, "V3", "; ".join(replays.account[:1])))
    if agreements := verdict.agreements:
        words = _words(agreements, "V4", "; ".join(agreements.account[:1]))
        yield _level("Executed by others", "V4", agreements, words)


def _words(found: LevelVerdict, level: str, reached: str) -> str:
    wrong, missing = len(found.findings), len(found.missing)
    return f"not {level}: {wrong} wrong, {missing} missing" if wrong or missing else reached


def _level(name: str, level: str, found: LevelVerdict, words: str) -> Element:
    lines = (line.strip() for line in account_lines(found, level))
    inside = element("ul", *(element("li", ascii_words(line)) for line in lines))
    return _line(name, ascii_words(words), [inside])


def _line(name: str, words: str, inside: Sequence[Element]) -> Element:
    summary = element("summary", element("strong", name), f" {words}")
    return element("details", summary, *inside, class_="belief")


def _computed(verdict: Verdict) -> str:
    missing = [step.name for step in verdict.steps if step.status is Status.NOT_CHECKED]
    return f"{COMPUTED}, but not the steps {', '.join(missing)}" if missing else COMPUTED


def _how(verdict: Verdict) -> list[Element]:
    sentence, limits = verdict_report.believe_words(verdict)
    told = [element("p", ascii_words(line)) for line in (sentence, limits) if line]
    return [*told, element("p", element("a", "Steps of the check", href="#steps"))]


def _claims(verdict: Verdict) -> list[Element]:
    manifest = parts_of(verdict)[2]
    attested = " ".join((verdict_report.ATTESTED, *verdict_report.attested_of_systems(manifest)))
    return [element("p", seed_words(manifest)), element("p", ascii_words(attested))]


def _cautions(verdict: Verdict) -> Element:
    """Departures and warnings: their numbers and the first warnings are in sight."""
    results, warnings = parts_of(verdict)[0], warnings_shown(verdict)
    departures = [ascii_words(departure_words(line)) for line in results.departures]
    words = departs_words(results).removesuffix(":")
    head: list[Child] = [element("strong", "Departs"), f" {words}"]
    if warnings:
        counted = f"{len(warnings)} {'warning' if len(warnings) == 1 else 'warnings'}"
        head += ["; ", element("strong", counted)]
        head += [element("span", one, class_="warning") for one in warnings[:WARNINGS_IN_SIGHT]]
    if not departures and len(warnings) <= WARNINGS_IN_SIGHT:
        return element("p", *head, class_="belief")
    inside: list[Element] = []
    for title, lines in (("Warnings", warnings), ("Departures", departures)):
        if lines:
            inside += [element("h3", title), element("ul", *(element("li", line) for line in lines))]
    return element("details", element("summary", *head), *inside, class_="belief")

"""Report of asking again: exact counts for each seat and game, the first difference, and what level V3 means."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import show_name

from .compare_answers import AnswerOutcome, ComparedAnswer, TextDifference

GAMES_SHOWN_MAX = 20
NOT_PINNED = "not pinned by the manifest"
ASKED_AGAIN = "the endpoint is asked again, whatever it serves"
MEANING = (
    "V3, replayed, is this together with V1 and V2: the bundle holds together, its manifest was registered before its",
    "seed was known, and somebody who is not its submitter drew games when it was already signed, and got the same",
    "answers from the same weights. Who could still cheat: a replayer in league with the submitter, and a submitter",
    "whose false answers are few enough to miss the sample. It says nothing of seats that were not asked again.",
)
NOT_V3 = (
    "Not V3 for these seats: their endpoint was asked again, and nothing shows which weights answered, then or now.",
    "Equal answers say that the endpoint still answers as the bundle says; other answers may come from another model.",
)
NOT_A_FUNCTION = "this server's answers are no function of the request, so a difference proves nothing"


class AnswerCounts(msgspec.Struct):
    """Numbers of answers that were the same, within the margin, different. `counted_otherwise`: other token counts."""

    same: int = 0
    within_margin: int = 0
    different: int = 0
    counted_otherwise: int = 0

    @property
    def asked(self) -> int:
        return self.same + self.within_margin + self.different

    def add(self, outcome: AnswerOutcome, *, counts_same: bool) -> None:
        """Count one answer."""
        match outcome:
            case AnswerOutcome.SAME:
                self.same += 1
            case AnswerOutcome.WITHIN_MARGIN:
                self.within_margin += 1
            case AnswerOutcome.DIFFERENT:
                self.different += 1
        self.counted_otherwise += not counts_same


class SeatWeights(msgspec.Struct, frozen=True):
    """Weights with which a seat was asked again, the witness that they are the sealed ones, and their server."""

    sha256: str
    witness: str
    server: str
    served_by: str
    function_of_request: bool | None


class ReproductionReport(msgspec.Struct, frozen=True):
    """The report, in canonical JSON. Its format's name has the command's word, replay."""

    run: str
    payload_sha256: str
    submitter: str
    seed: str
    games_in_bundle: int
    margin_nats: str
    weights: dict[str, SeatWeights]
    not_asked: tuple[str, ...]
    seats: dict[str, AnswerCounts]
    games: dict[str, AnswerCounts]
    first_difference: TextDifference | None
    cpu_flags_same: bool | None
    format: Literal["agz-replay-1"] = "agz-replay-1"

    @property
    def different(self) -> int:
        return sum(counts.different for counts in self.seats.values())


def tally(
    compared: Iterable[ComparedAnswer],
) -> tuple[dict[str, AnswerCounts], dict[str, AnswerCounts], TextDifference | None]:
    """Counts by seat, counts by game, and the first difference: one beyond the margin if there is one."""
    seats: dict[str, AnswerCounts] = {}
    games: dict[str, AnswerCounts] = {}
    first: dict[AnswerOutcome, TextDifference] = {}
    for comparison in compared:
        for table, key in ((seats, comparison.seat), (games, comparison.game)):
            table.setdefault(key, AnswerCounts()).add(comparison.outcome, counts_same=comparison.counts_same)
        if comparison.difference:
            first.setdefault(comparison.outcome, comparison.difference)
    return seats, games, first.get(AnswerOutcome.DIFFERENT) or first.get(AnswerOutcome.WITHIN_MARGIN)


def canonical(report: ReproductionReport) -> bytes:
    """The report in canonical JSON."""
    return canon.dumps(msgspec.to_builtins(report))


def lines(report: ReproductionReport, again: str) -> Iterator[str]:
    """The report, line by line; what the bundle chose is made safe for a terminal. `again`: what draws these games."""
    yield f"run        {report.run}, signed by key {report.submitter}"
    yield f"payload    sha256 {report.payload_sha256}"
    yield f"sample     {len(report.games)} of {report.games_in_bundle} games; the same again: {again}"
    for name, weights in report.weights.items():
        weights_text = (
            f"sha256 {weights.sha256}, {weights.witness}"
            if weights.sha256
            else f"{weights.witness}: {ASKED_AGAIN}"
            if weights.witness == NOT_PINNED
            else weights.witness
        )
        yield f"weights    {show_name(name)}: {weights_text}"
        yield f"server     {show_name(name)}: {show_name(weights.server)}, {weights.served_by}"
        if weights.function_of_request is False:
            yield f"           {NOT_A_FUNCTION}"
    if report.cpu_flags_same is False:
        yield "processor  other flags than the run's: last bits may differ, which is what the margin is for"
    if report.not_asked:
        yield f"not asked  {', '.join(map(show_name, report.not_asked))}"
    yield ""
    for name, counts in report.seats.items():
        yield f"{show_name(name)}: {_counts(counts, report.margin_nats)}"
    shown = list(report.games.items())[:GAMES_SHOWN_MAX]
    yield from (f"  {show_name(game)}: {counts.same} of {counts.asked} the same" for game, counts in shown)
    if len(report.games) > len(shown):
        yield f"  … and {len(report.games) - len(shown)} more games (--json lists them)"
    yield from _first(report)
    yield ""
    pinned = [name for name, weights in report.weights.items() if weights.sha256]
    if pinned:
        yield from MEANING
    if any(weights.witness == NOT_PINNED for weights in report.weights.values()):
        yield from NOT_V3


def _counts(counts: AnswerCounts, margin: str) -> str:
    percent = f"{100 * counts.same / counts.asked:.2f} %" if counts.asked else "nothing to ask"
    otherwise = f", {counts.counted_otherwise} with other token counts" if counts.counted_otherwise else ""
    return (
        f"{counts.same} of {counts.asked} answers the same to the last byte ({percent}),"
        f" {counts.within_margin} within {margin} nats, {counts.different} different{otherwise}"
    )


def _first(report: ReproductionReport) -> Iterator[str]:
    first = report.first_difference
    if first:
        place = f"{show_name(first.game)} turn {first.turn} attempt {first.attempt}, {show_name(first.seat)}"
        yield f"first difference: {place}, from character {first.character} on:"
        yield f"  recorded {show_name(first.recorded)!r}"
        yield f"  found    {show_name(first.found)!r}"

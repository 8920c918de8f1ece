"""A replay's report for a person: exact counts, the first difference, and what level V3 means."""

from collections.abc import Iterator

from agzamov_verify.reading import show_name

from .tally import Counts, ReplayReport

GAMES_SHOWN_MAX = 20
MEANING = (
    "V3, replayed, is this together with V1 and V2: the bundle holds together, its manifest was registered before its",
    "seed was known, and somebody who is not its submitter drew games when it was already signed, and got the same",
    "answers from the same weights. Who could still cheat: a replayer in league with the submitter, and a submitter",
    "whose false answers are few enough to miss the sample. It says nothing of seats that were not asked again.",
)
NOT_A_FUNCTION = "this server's answers are no function of the request, so a difference proves nothing"


def lines(report: ReplayReport) -> Iterator[str]:
    """The report, line by line; what the bundle chose is made safe for a terminal."""
    yield f"run        {report.run}, signed by key {report.submitter}"
    yield f"payload    sha256 {report.payload_sha256}"
    yield f"sample     {len(report.games)} of {report.games_in_bundle} games; the same again: --seed {report.seed}"
    for name, weights in report.weights.items():
        what = f"sha256 {weights.sha256}, {weights.witness}" if weights.sha256 else weights.witness
        yield f"weights    {show_name(name)}: {what}"
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
    yield from MEANING


def _counts(counts: Counts, margin: str) -> str:
    percent = f"{100 * counts.same / counts.asked:.2f} %" if counts.asked else "nothing to ask"
    otherwise = f", {counts.counted_otherwise} with other token counts" if counts.counted_otherwise else ""
    return (
        f"{counts.same} of {counts.asked} answers the same to the last byte ({percent}),"
        f" {counts.within_margin} within {margin} nats, {counts.different} different{otherwise}"
    )


def _first(report: ReplayReport) -> Iterator[str]:
    first = report.first_difference
    if first:
        place = f"{show_name(first.game)} turn {first.turn} attempt {first.attempt}, {show_name(first.seat)}"
        yield f"first difference: {place}, from character {first.character} on:"
        yield f"  recorded {show_name(first.recorded)!r}"
        yield f"  found    {show_name(first.found)!r}"

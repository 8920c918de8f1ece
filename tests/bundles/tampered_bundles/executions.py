"""Defects of the log of executions: answers that were dropped between two executions, and logs that do not hold."""

from agzamov_verify import bundle
from agzamov_verify.core.execution_log import Event, ExecutionOutcome, Finished, Head, Start, Stop, encoded
from agzamov_verify.core.journal import GENESIS, line_digest
from bundles.bundle_factory import GAMES0, Draft, lines, reseal, rows_of
from bundles.tampered_bundles.cases import TamperedCases

tampered = TamperedCases()
LOG = bundle.EXECUTIONS_FILE
STEP = 14


def put_log(draft: Draft, *events: Event) -> None:
    """Write these events with a good chain, whatever they say."""
    prev, written = GENESIS, b""
    for event in events:
        line = encoded(type(event)(**{name: getattr(event, name) for name in event.__struct_fields__} | {"prev": prev}))
        written += line + b"\n"
        prev = line_digest(line)
    draft.files[LOG] = written
    reseal(draft)


def heads(draft: Draft) -> dict[str, Head]:
    """What the journals of a bundle hold."""
    return {row.stream: Head(row.entries, row.head) for row in rows_of(draft)}


def others(draft: Draft) -> dict[str, Head]:
    return {stream: head for stream, head in heads(draft).items() if stream != GAMES0}


@tampered(STEP, f"{GAMES0} entry 3")
def a_stream_was_deleted_after_four_answers_and_played_again(draft: Draft) -> None:
    stop = Stop(0, ExecutionOutcome.STOPPED, "", {GAMES0: Head(4, "ab" * 32)})
    put_log(draft, Start(0, "", {}), stop, Start(1, "", {}), Stop(1, ExecutionOutcome.DONE, "", heads(draft)))


@tampered(STEP, f"{LOG} line 2")
def a_stream_has_fewer_entries_at_the_second_start_than_at_the_first_stop(draft: Draft) -> None:
    start = Start(1, "", {GAMES0: Head(2, line_digest(lines(draft, GAMES0)[1]))})
    stop = Stop(0, ExecutionOutcome.STOPPED, "", {GAMES0: heads(draft)[GAMES0]})
    put_log(draft, Start(0, "", {}), stop, start)


@tampered(STEP, f"{LOG} line 2")
def a_stream_is_played_twice_to_its_end(draft: Draft) -> None:
    head = heads(draft)[GAMES0]
    finished = Finished(head.entries, 0, head.head, "", GAMES0)
    put_log(draft, Start(0, "", {}), finished, finished, Stop(0, ExecutionOutcome.DONE, "", others(draft)))


@tampered(STEP, f"{LOG} {GAMES0}")
def a_stream_is_in_the_bundle_and_not_in_the_log(draft: Draft) -> None:
    put_log(draft, Start(0, "", {}), Stop(0, ExecutionOutcome.DONE, "", others(draft)))


@tampered(STEP, f"{LOG} p1-chess960-naked-agent-b00007")
def a_stream_is_in_the_log_and_not_in_the_bundle(draft: Draft) -> None:
    more = {"p1-chess960-naked-agent-b00007": Head(9, "ab" * 32)}
    put_log(draft, Start(0, "", {}), Stop(0, ExecutionOutcome.DONE, "", heads(draft) | more))


@tampered(STEP, f"{LOG} line 1")
def a_line_of_the_log_does_not_name_the_line_before(draft: Draft) -> None:
    draft.files[LOG] = (
        encoded(Start(0, GENESIS, {})) + b"\n" + encoded(Stop(0, ExecutionOutcome.DONE, GENESIS, heads(draft))) + b"\n"
    )
    reseal(draft)


@tampered(STEP, f"{LOG} line 1")
def an_execution_is_missing_from_the_log(draft: Draft) -> None:
    put_log(draft, Start(0, "", {}), Start(2, "", {}), Stop(2, ExecutionOutcome.DONE, "", heads(draft)))


@tampered(STEP, f"{LOG} line 2")
def the_log_goes_on_after_a_stop_without_a_start(draft: Draft) -> None:
    stop = Stop(0, ExecutionOutcome.DONE, "", heads(draft))
    put_log(draft, Start(0, "", {}), stop, stop)


@tampered(STEP, LOG)
def the_last_execution_was_stopped(draft: Draft) -> None:
    put_log(draft, Start(0, "", {}), Stop(0, ExecutionOutcome.STOPPED, "", heads(draft)))


@tampered(STEP, f"{LOG} line 2")
def the_log_ends_within_a_line(draft: Draft) -> None:
    put_log(draft, Start(0, "", {}), Stop(0, ExecutionOutcome.DONE, "", heads(draft)))
    draft.files[LOG] += b'{"event"'
    reseal(draft)


@tampered(STEP, LOG)
def the_log_of_executions_is_missing(draft: Draft) -> None:
    del draft.files[LOG]
    reseal(draft)

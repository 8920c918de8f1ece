"""Defects of the story: its chain, its script, and which streams there are."""

import gzip
from typing import Any

import msgspec

from agzamov_verify import bundle
from agzamov_verify.core.journal import line_digest
from agzamov_verify.core.question_digest import question_digest
from agzamov_verify.core.questions import Chat, Reply
from bundles.bundle_factory import (
    CHESS0,
    GAMES0,
    GAMES1,
    HANDS,
    POKER0,
    POKER1,
    SELF_PLAY,
    Draft,
    another_move,
    chained,
    edited,
    embellished,
    entries,
    fit_calls,
    forget,
    journal_file,
    lines,
    promised,
    put,
    put_lines,
    put_rows,
    questions,
    recorded,
    reindex,
    replace_manifest,
    rescore,
    reseal,
    reseal_journal,
    retell,
    rows_of,
    sign,
    stream_name,
    world_of,
    zipped,
)
from bundles.tampered_bundles.cases import TamperedCases

tampered = TamperedCases()

# --- 6 journal --------------------------------------------------------------------------------------


@tampered(6, f"{GAMES0} entry 8")
def an_answer_is_edited_and_the_chain_is_not(draft: Draft) -> None:
    put(draft, GAMES0, edited(entries(draft, GAMES0), 7, answer=Reply(text="MOVE: a1a1")))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 8")
def a_remark_is_edited_and_the_chain_is_not(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    put(draft, GAMES0, edited(story, 7, answer=embellished(story[7].answer)))
    reseal_journal(draft)


@tampered(6, f"{bundle.INDEX_FILE} {HANDS}")
def the_last_remark_of_a_stream_is_edited_and_the_index_is_not(draft: Draft) -> None:
    story = entries(draft, HANDS)
    put(draft, HANDS, edited(story, len(story) - 1, answer=embellished(story[-1].answer)))
    reseal(draft)


@tampered(6, f"{GAMES0} entry 3")
def an_entry_names_the_wrong_predecessor(draft: Draft) -> None:
    put(draft, GAMES0, edited(entries(draft, GAMES0), 3, prev="0" * 64))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 0")
def a_chain_starts_from_another_genesis(draft: Draft) -> None:
    put(draft, GAMES0, edited(entries(draft, GAMES0), 0, prev="f" * 64))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 5")
def a_sequence_number_is_skipped(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    renumbered = [msgspec.structs.replace(entry, seq=entry.seq + (at >= 5)) for at, entry in enumerate(story)]
    put(draft, GAMES0, relinked(renumbered))
    reseal_journal(draft)


def relinked(story: list[Any]) -> list[Any]:
    """Only the digests recomputed: everything else stays as it is."""
    linked: list[Any] = []
    for entry in story:
        prev = line_digest(msgspec.json.encode(linked[-1])) if linked else entry.prev
        linked.append(msgspec.structs.replace(entry, prev=prev))
    return linked


@tampered(6, f"{GAMES0} entry 0")
def a_journal_is_from_another_run(draft: Draft) -> None:
    put(draft, GAMES0, chained(entries(draft, GAMES0), run="0123456789abcdef"))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 4")
def one_entry_is_from_another_run(draft: Draft) -> None:
    put(draft, GAMES0, relinked(edited(entries(draft, GAMES0), 4, run="0123456789abcdef")))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 0")
def a_journal_is_that_of_another_stream(draft: Draft) -> None:
    put(draft, GAMES0, entries(draft, GAMES1))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 0")
def a_journal_is_of_another_version(draft: Draft) -> None:
    put(draft, GAMES0, chained(entries(draft, GAMES0), version=2))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 6")
def an_entry_is_removed_and_the_chain_is_not_repaired(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    put(draft, GAMES0, story[:6] + story[7:])
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 2")
def a_line_is_spelled_in_another_way(draft: Draft) -> None:
    there = lines(draft, GAMES0)
    there[2] = there[2].replace(b'"prev":', b'"prev": ')
    put_lines(draft, GAMES0, there)
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 2")
def a_line_has_an_unknown_field(draft: Draft) -> None:
    there = lines(draft, GAMES0)
    there[2] = there[2].replace(b',"v":1}', b',"v":1,"w":"nota bene"}')
    put_lines(draft, GAMES0, there)
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 2")
def a_line_is_empty(draft: Draft) -> None:
    there = lines(draft, GAMES0)
    put_lines(draft, GAMES0, [*there[:2], b"", *there[2:]])
    reseal_journal(draft)


@tampered(6, journal_file(GAMES0))
def a_last_line_has_no_end(draft: Draft) -> None:
    draft.files[journal_file(GAMES0)] = zipped(b"\n".join(lines(draft, GAMES0)))
    reseal_journal(draft)


@tampered(6, journal_file(GAMES0))
def a_segment_is_cut_in_its_middle(draft: Draft) -> None:
    reindex(draft)
    draft.files[journal_file(GAMES0)] = draft.files[journal_file(GAMES0)][:-9]
    reseal(draft)


@tampered(6, journal_file(GAMES0))
def a_segment_is_not_compressed(draft: Draft) -> None:
    reindex(draft)
    draft.files[journal_file(GAMES0)] = gzip.decompress(draft.files[journal_file(GAMES0)])
    reseal(draft)


def change_row(draft: Draft, **changes: object) -> None:
    """One row of the index changed, with a statement that agrees."""
    rows = rows_of(draft)
    put_rows(draft, (msgspec.structs.replace(rows[0], **changes), *rows[1:]))
    reseal(draft)


@tampered(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_counts_one_entry_too_many(draft: Draft) -> None:
    change_row(draft, entries=rows_of(draft)[0].entries + 1)


@tampered(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_names_another_head(draft: Draft) -> None:
    change_row(draft, head="0" * 64)


@tampered(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_names_another_root(draft: Draft) -> None:
    change_row(draft, root="0" * 64)


@tampered(6, f"{bundle.INDEX_FILE} {GAMES0}")
def the_index_names_a_segment_that_is_not_there(draft: Draft) -> None:
    change_row(draft, segments=(journal_file(GAMES0), f"data/journal/{GAMES0}/000001.jsonl.gz"))


@tampered(6, "statement journal")
def the_statement_names_another_journal_root(draft: Draft) -> None:
    draft.predicate["journal"]["root"] = "0" * 64
    sign(draft)


@tampered(6, "statement journal")
def the_statement_counts_one_entry_too_few(draft: Draft) -> None:
    draft.predicate["journal"]["entries"] -= 1
    sign(draft)


@tampered(6, "statement journal")
def the_statement_names_another_kind_of_tree(draft: Draft) -> None:
    draft.predicate["journal"]["tree"] = "sum"
    sign(draft)


@tampered(6, bundle.INDEX_FILE)
def the_index_lists_a_stream_that_was_never_promised(draft: Draft) -> None:
    put(draft, "p0-chess960-naked-agent-b00007", [])
    reindex(draft, [*draft.streams(), "p0-chess960-naked-agent-b00007"])
    reseal(draft)


@tampered(6, bundle.INDEX_FILE)
def the_index_lists_a_stream_twice(draft: Draft) -> None:
    put_rows(draft, (*rows_of(draft), rows_of(draft)[0]))
    reseal(draft)


@tampered(6, bundle.INDEX_FILE)
def the_index_is_not_canonical(draft: Draft) -> None:
    draft.files[bundle.INDEX_FILE] += b"\n"
    reseal(draft)


@tampered(6, bundle.INDEX_FILE)
def the_index_is_of_another_format(draft: Draft) -> None:
    draft.put_json(bundle.INDEX_FILE, {**draft.json(bundle.INDEX_FILE), "format": "agz-journal-2"})
    reseal(draft)


@tampered(6, "data/journal/trash/000000.jsonl.gz")
def a_journal_lies_there_that_the_index_does_not_list(draft: Draft) -> None:
    put(draft, "trash", entries(draft, GAMES0))
    reseal(draft)


@tampered(6, f"data/journal/{GAMES0}/000002.jsonl.gz")
def a_segment_lies_beyond_a_gap(draft: Draft) -> None:
    draft.files[f"data/journal/{GAMES0}/000002.jsonl.gz"] = zipped(b"")
    reseal(draft)


@tampered(6, "data/calls/trash.jsonl.gz")
def a_file_of_calls_belongs_to_no_stream(draft: Draft) -> None:
    draft.files["data/calls/trash.jsonl.gz"] = zipped(b"")
    reseal(draft)


# --- 7 replay ---------------------------------------------------------------------------------------
# The chain is repaired, so only the script can say that the story is not the one it tells.


@tampered(7, f"{GAMES0} entry 11")
def a_journal_is_cut_short(draft: Draft) -> None:
    retell(draft, GAMES0, entries(draft, GAMES0)[:11])


@tampered(7, f"{GAMES0} entry 0")
def a_journal_is_empty(draft: Draft) -> None:
    retell(draft, GAMES0, [])


@tampered(7, f"{GAMES0} entry 6")
def an_entry_is_removed(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, story[:6] + story[7:])


@tampered(7, f"{GAMES0} entry 7")
def an_entry_is_doubled(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, story[:7] + story[6:])


@tampered(7, f"{GAMES0} entry 6")
def two_entries_change_places(draft: Draft) -> None:
    story = entries(draft, GAMES0)
    retell(draft, GAMES0, [*story[:6], story[7], story[6], *story[8:]])


@tampered(7, f"{HANDS} entry 4")
def an_entry_moves_to_another_stream(draft: Draft) -> None:
    story = entries(draft, HANDS)
    retell(draft, HANDS, [*story[:4], entries(draft, GAMES0)[3], *story[4:]])


@tampered(7, f"{GAMES0} entry 0")
def the_games_of_another_stream_are_told_again(draft: Draft) -> None:
    retell(draft, GAMES0, entries(draft, GAMES1))


@tampered(7, f"{GAMES0} entry 1")
def an_answer_is_changed_so_that_the_game_is_another(draft: Draft) -> None:
    retell(draft, GAMES0, edited(entries(draft, GAMES0), 0, answer=another_move(draft, GAMES0, 0)))


@tampered(7, f"{HANDS} entry 1")
def an_action_is_changed_so_that_the_hand_is_another(draft: Draft) -> None:
    story = entries(draft, HANDS)
    assert isinstance(story[0].answer, Reply)
    other = "call" if story[0].answer.text.endswith("fold") else "fold"
    retell(draft, HANDS, edited(story, 0, answer=Reply(text=f"ACTION: {other}")))


@tampered(7, f"{GAMES0} entry 4")
def a_call_was_sampled_with_another_seed(draft: Draft) -> None:
    question = questions(draft, GAMES0)[4]
    assert isinstance(question, Chat)
    other = msgspec.structs.replace(question, seed=question.seed + 1)
    change_question(draft, 4, digest=question_digest(other))


@tampered(7, f"{HANDS} entry 0")
def the_opponents_cards_were_shown(draft: Draft) -> None:
    """A patched harness asks more than the script does; the replay computes what should have been asked."""
    question = questions(draft, HANDS)[0]
    assert isinstance(question, Chat)
    system, user = question.messages
    peeked = msgspec.structs.replace(user, content=user.content + "\nOpponent's hole cards: [As, Ah]")
    shown = msgspec.structs.replace(question, messages=(system, peeked))
    change_question(draft, 0, HANDS, digest=question_digest(shown))


@tampered(7, f"{GAMES0} entry 4")
def a_prompt_was_another_one(draft: Draft) -> None:
    change_question(draft, 4, digest="0" * 64)


@tampered(7, f"{GAMES0} entry 4")
def a_question_went_to_another_seat(draft: Draft) -> None:
    change_question(draft, 4, to="other")


@tampered(7, f"{GAMES0} entry 4")
def a_question_was_asked_at_another_turn(draft: Draft) -> None:
    change_question(draft, 4, turn=5)


@tampered(7, f"{GAMES0} entry 4")
def a_question_was_a_second_attempt(draft: Draft) -> None:
    change_question(draft, 4, attempt=1)


@tampered(7, f"{GAMES0} entry 4")
def a_question_belongs_to_another_game(draft: Draft) -> None:
    change_question(draft, 4, game=f"{CHESS0}-g00004")


def change_question(draft: Draft, at: int, stream: str = GAMES0, **changes: object) -> None:
    story = entries(draft, stream)
    retell(draft, stream, edited(story, at, question=msgspec.structs.replace(story[at].question, **changes)))


@tampered(7, f"{GAMES0} entry 0")
def the_run_was_sealed_after_it_was_played(draft: Draft) -> None:
    """A price is changed and every journal is told again in the new run's name: other starts, other cards."""
    price = {"input_usd": "0", "cached_usd": "0", "output_usd": "0"}
    replace_manifest(draft, lambda value: value["plan"]["prices"].update(agent=price))
    run = draft.manifest.run_id
    for stream in draft.streams():
        put(draft, stream, chained(entries(draft, stream), run=run))
    reseal_journal(draft)


@tampered(6, f"{GAMES0} entry 0")
def a_price_was_changed_after_the_run(draft: Draft) -> None:
    price = {"input_usd": "0", "cached_usd": "0", "output_usd": "0"}
    replace_manifest(draft, lambda value: value["plan"]["prices"].update(agent=price))
    reseal(draft)


# --- 8 gate -----------------------------------------------------------------------------------------


@tampered(8, bundle.INDEX_FILE)
def phase_1_was_played_after_a_failed_phase_0(draft: Draft) -> None:
    plan, stopped = draft.manifest.plan, stream_name(POKER1)
    put(draft, stopped, recorded(draft, stopped, world_of(plan, None)))
    fit_calls(draft, stopped)
    played = {*draft.streams(), stopped}
    reindex(draft, [stream for stream in promised(plan) if stream in played])
    rescore(draft)
    reseal(draft)


@tampered(8, bundle.INDEX_FILE)
def phase_1_is_missing_after_a_passed_phase_0(draft: Draft) -> None:
    forget(draft, SELF_PLAY)
    rescore(draft)
    reseal(draft)


@tampered(8, bundle.INDEX_FILE)
def the_pairs_that_went_badly_are_left_out(draft: Draft) -> None:
    forget(draft, GAMES1)
    rescore(draft)
    reseal(draft)


@tampered(8, bundle.INDEX_FILE)
def a_whole_phase_0_match_is_left_out(draft: Draft) -> None:
    forget(draft, stream_name(POKER0), stream_name(POKER0, 1))
    rescore(draft)
    reseal(draft)


@tampered(8, bundle.INDEX_FILE)
def nothing_was_played(draft: Draft) -> None:
    forget(draft, *draft.streams())
    rescore(draft)
    reseal(draft)


@tampered(8, bundle.INDEX_FILE)
def two_streams_change_places(draft: Draft) -> None:
    first, second, *others = draft.streams()
    reindex(draft, [second, first, *others])
    rescore(draft)
    reseal(draft)


def hide(draft: Draft, header: bytes) -> None:
    """Put another gzip header before the first segment."""
    name = journal_file(GAMES0)
    draft.files[name] = header + draft.files[name][10:]
    reseal(draft)


@tampered(6, journal_file(GAMES0))
def a_segment_tells_when_it_was_packed(draft: Draft) -> None:
    hide(draft, b"\x1f\x8b\x08\x00\x01\x00\x00\x00\x00\xff")


@tampered(6, journal_file(GAMES0))
def a_segment_has_a_name_of_its_own(draft: Draft) -> None:
    hide(draft, b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff" + b"a name\x00")


@tampered(6, journal_file(GAMES0))
def a_segment_hides_a_comment(draft: Draft) -> None:
    hide(draft, b"\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff" + b"a secret" * 7_000 + b"\x00")


@tampered(6, journal_file(GAMES0))
def a_segment_hides_an_extra_field(draft: Draft) -> None:
    hide(draft, b"\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff" + b"\x04\x00abcd")


@tampered(6, journal_file(GAMES0))
def a_segment_is_two_members(draft: Draft) -> None:
    name = journal_file(GAMES0)
    draft.files[name] += zipped(b"")
    reseal(draft)


@tampered(1, "attest/LEVEL-V4.txt")
def a_file_that_claims_a_level_lies_beside_the_signature(draft: Draft) -> None:
    draft.files["attest/LEVEL-V4.txt"] = b"this bundle reached V4\n"

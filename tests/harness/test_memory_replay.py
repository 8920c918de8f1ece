"""`agzamov memory replay`: fresh servers answer as recorded, and a recorded answer that was altered is named."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from agzamov_harness.reproduce.memory_replay import ComparedStore, compared, compared_blank
from agzamov_harness.run import signing_keys
from agzamov_verify.core.questions import Answer, Hit, Hits, Question, Settled, Stored
from agzamov_verify.plan.streams import memory_stores
from bundles.bundle_factory import Draft, chained, edited, put, reseal
from bundles.bundle_factory import entries as entries_of
from harness.commands import Commands
from harness.sealed_runs import finish, seal
from harness.test_memory_run import bundle_of, plan_of
from memory.memory_world import NOTES, end_game, export, fake, opened, search, store


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def bundle(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = seal(commands, tmp_path_factory.mktemp("replayed"), plan=plan_of("recent"))
    finish(commands, run)
    return bundle_of(run)


@pytest.mark.slow
def test_one_career_is_asked_again_by_its_number(bundle: Path, commands: Commands, tmp_path: Path) -> None:
    one = commands.run("memory", "replay", bundle, "--career", "2", cwd=tmp_path)
    assert (one.code, len(one.out.splitlines())) == (0, 1), one
    assert one.out.startswith("career 2 (recent, p2-holdem-memory_real_recent-agent-foe-b00001): ")


@pytest.mark.slow
def test_a_twin_that_is_told_no_entry_gives_none(bundle: Path, commands: Commands, tmp_path: Path) -> None:
    ended = commands.run("memory", "replay", bundle, "--career", "1", "--blank", cwd=tmp_path)
    again, twin = ended.out.splitlines()
    assert ended.code == 0, ended
    assert "answers are the same" in again
    head = "career 1 (recent, p2-holdem-memory_real_recent-agent-foe-b00000), a twin that was told no entry: "
    assert twin.startswith(head)
    assert twin.endswith(" answers hold none")


def test_what_a_server_gives_that_it_was_not_told_is_named_at_its_place(tmp_path: Path) -> None:
    """The words of the book stand in one search of the career; the entries that were stored are not told."""
    recorded: list[tuple[Question, Answer]] = [
        (search("castled", 1), Hits(())),
        (store(1, NOTES[0]), Stored()),
        (end_game(1), Settled(1)),
    ]
    recorded += [(search("First moves as Black", 2), Hits((Hit(NOTES[0], "e00001"),))), (export(), Hits(()))]
    with opened(fake("none"), tmp_path) as port:
        assert compared_blank(port, recorded) == ComparedStore(asked=4)
    with opened(fake("book"), tmp_path) as port:
        seen = compared_blank(port, recorded)
    assert (seen.asked, seen.place) == (3, "question 0 in turn 1 of g00002")
    assert (seen.expected, seen.found) == ("entries that were stored", "book from a search: '1. e4 is best'")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Settled, Hits])
def test_an_altered_answer_differs_at_its_place(bundle: Path, commands: Commands, tmp_path: Path, kind: type) -> None:
    draft = Draft.of(bundle, signing_keys.load(bundle.parents[1] / "key.pem"))
    stream = next(name for name in draft.streams() if "real_recent" in name)
    story = entries_of(draft, stream)
    at = [n for n, entry in enumerate(story) if isinstance(entry.answer, kind)][2]
    before = story[at].answer
    changed: Settled | Hits = Settled(9)
    if isinstance(before, Hits):
        changed = msgspec.structs.replace(before, hits=(Hit("another note", "e00009"), *before.hits))
    put(draft, stream, chained(edited(story, at, answer=changed)))
    reseal(draft)
    career = 1 + [store.stream for store in memory_stores(draft.manifest.plan)].index(stream)
    ended = commands.run("memory", "replay", draft.write(tmp_path), "--career", str(career), cwd=tmp_path)
    question = story[at].question
    assert ended.code == 1, ended
    assert f"{stream}): question {question.attempt} in turn {question.turn} of {question.game}: expected" in ended.out
    assert ("another note" if kind is Hits else '"entries":9') in ended.out


def test_a_bundle_without_a_memory_is_wrong_use(commands: Commands, tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "bundles/golden/agz-0.1/bundle"
    ended = commands.run("memory", "replay", golden, cwd=tmp_path)
    assert (ended.code, "expected a bundle in which seat A has a memory" in ended.err) == (2, True), ended


class Answering:
    """A port that gives one answer to everything."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def answer(self, question: Question) -> Answer:
        return self._answer

    def restore(self, question: Question, recorded: Answer) -> None:
        raise AssertionError

    def close(self) -> None:
        pass


def test_answers_that_are_alike_at_their_beginning_are_told_where_they_differ() -> None:
    long = "Folded to a 3-bet on the button: 4 of 5\n" * 20
    recorded, given = (Hits((Hit(f"{long}{end}", "e00001"),)) for end in ("of 9", "of 8"))
    outcome = compared(Answering(given), [(search("folded", 1), recorded)])
    assert "then expected '9\"," in outcome.found
    assert "found '8\"," in outcome.found

"""Steps 7 and 13: every stream's script over its journal, and the answers of scripted seats (5.7)."""

from dataclasses import dataclass, field
from typing import Any

from .canonical import Refused, Report, canonical, need, sha
from .chess_game import ChessTable, Game
from .holdem_script import HoldemTable, Played
from .journal import OF_ASK, Journal
from .manifest import MODELS, Run, match_id, streams
from .play import Ask, Tally
from .scripted import scripted_reply


@dataclass
class Outcome:
    """What was replayed of a match."""

    match: dict[str, Any]
    results: list[Game | Played] = field(default_factory=list)
    tallies: tuple[Tally, Tally] = field(default_factory=lambda: (Tally(), Tally()))
    numbers: list[int] = field(default_factory=list)
    whole: bool = True


def specified(run: Run, match: dict[str, Any]) -> str:
    """Why the prompts of a match are not in the pages; empty where they are."""
    rules = run.plan[match["game"]]
    if rules["shots"]:
        return "a worked example"
    if match.get("positions"):
        return "positions of Phase 5"
    for condition in (match["condition"], match["b_condition"]):
        if condition["arm"] != "naked":
            return f"augmentation {condition['augmentation']}, arm {condition['arm']}"
    return "shifts" if match["shifts"] else ""


class Replay:
    """The replay of all streams of a run."""

    def __init__(self, run: Run, journal: Journal, report: Report) -> None:
        """Replay each match that was played."""
        self.run, self.journal, self.report = run, journal, report
        self.outcomes: list[Outcome] = []
        self.planted, self.computed, self.unknown = 0, 0, dict[str, int]()
        for match in run.plan["matches"]:
            if any(name in journal.lines for name, _ in streams(match)):
                self.outcomes.append(self._match(match))
        if self.planted:
            report.say(7, "not checked", f"{self.planted} planted questions were passed over")
        report.say(13, "holds", f"{self.computed} answers of scripted seats: model, counts, text if known")
        for kind, count in self.unknown.items():
            report.say(13, "not checked", f"{count} texts of {kind} seats, whose play the pages do not tell")

    def _match(self, match: dict[str, Any]) -> Outcome:
        outcome, why = Outcome(match), specified(self.run, match)
        for name, numbers in streams(match):
            if name not in self.journal.lines:
                continue
            if match.get("positions"):
                self.report.say(7, "not checked", f"{name}: {why}")
                outcome.whole = False
                continue
            outcome.numbers += numbers
            try:
                self._stream(name, numbers, outcome, not why)
            except Refused as error:
                self.report.say(7, "FAILS", f"{name}: {error}")
                outcome.whole = False
                continue
            if why:
                self.report.say(7, "not checked", f"{name}: digests ({why}); games followed from the replies alone")
            else:
                self.report.say(7, "holds", f"{name}: {len(numbers)} results, every question")
        return outcome

    def _script(self, numbers: range, outcome: Outcome) -> Ask:
        table = ChessTable if outcome.match["game"] == "chess960" else HoldemTable
        for number in numbers:
            self.table = table(self.run, outcome.match, number, outcome.tallies)
            result = yield from self.table.play()
            outcome.results.append(result)

    def _stream(self, name: str, numbers: range, outcome: Outcome, strict: bool) -> None:
        script = self._script(numbers, outcome)
        question: dict[str, Any] | None = next(script)
        entries = self.journal.entries[name] if strict else _last_chats(self.journal.entries[name])
        for entry in entries:
            asked, answer, where = entry["question"], entry["answer"], f"entry {entry['seq']}"
            need(answer["as"] in OF_ASK.get(asked["ask"], ()), f"{where}: {answer['as']} answers {asked['ask']}")
            if asked["ask"] == "planted":
                self.planted += 1
                continue
            need(question is not None, f"{where}: the script is over")
            assert question is not None
            short = {key: question.get(key, 0) for key in ("ask", "attempt", "game", "to", "turn")}
            for key, value in short.items():
                right = asked[key] == value or (key == "attempt" and not strict)
                need(right, f"{where}: {key} is {asked[key]!r}, expected {value!r}")
            if strict:
                need(asked["digest"] == sha(canonical(question)), f"{where}: another digest, so another question")
            if asked["ask"] == "chat":
                self._reply(f"{name} {where}", question, answer, strict)
            try:
                question = script.send(answer)
            except StopIteration:
                question = None
        need(question is None, "the journal ends before the script")

    def _reply(self, where: str, question: dict[str, Any], answer: dict[str, Any], strict: bool) -> None:
        seat = self.run.seat(question["to"])
        limit = seat.get("attempts_max")
        need(limit is None or len(answer.get("attempts", [])) < limit, f"{where}: as many tries as are sealed")
        need("tool_calls" not in answer or not strict, f"{where}: tool calls where no tools were offered")
        if seat["kind"] in MODELS:
            return
        if not strict or seat["kind"] == "stockfish":
            self.unknown[seat["kind"]] = self.unknown.get(seat["kind"], 0) + 1
            return
        wanted = scripted_reply(seat["kind"], question, self.table)
        if "text" not in wanted:
            self.unknown[seat["kind"]] = self.unknown.get(seat["kind"], 0) + 1
        wanted = {"text": answer.get("text", "")} | wanted
        if count := len(wanted["text"].split()):
            wanted["completion_tokens"] = count
        self.computed += 1
        if answer != wanted:
            self.report.say(13, "FAILS", f"{where}: {answer} is not {wanted}")


def _last_chats(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [entry for entry in entries if entry["question"]["ask"] in ("chat", "evaluate")]
    turns = [tuple(entry["question"][key] for key in ("ask", "game", "turn")) for entry in kept]
    return [entry for entry, turn, after in zip(kept, turns, [*turns[1:], None], strict=True) if turn != after]


def outcome_of(outcomes: list[Outcome], name: str) -> Outcome | None:
    return next((outcome for outcome in outcomes if match_id(outcome.match) == name), None)

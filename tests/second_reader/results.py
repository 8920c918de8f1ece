"""Counts of matches, the gate, claims and headline figures (pages 8 and 9)."""

from collections import Counter
from fractions import Fraction
from typing import Any

from .canonical import Report, decimal
from .chess_game import RULES, Game
from .figures import gate_reason, headline
from .journal import Journal
from .manifest import MODELS, Run, match_id, streams, total
from .replay import Outcome, specified


def halfpoints(winner: int | None, number: int) -> int:
    return 1 if winner is None else 2 if winner == number % 2 else 0


def _score(points: dict[int, int]) -> dict[str, Any]:
    count = Counter(points.values())
    pairs = Counter(points[n] + points[n + 1] for n in points if n % 2 == 0 and n + 1 in points)
    return {"wins": count[2], "draws": count[1], "losses": count[0], "pairs": [pairs[half] for half in range(5)]}


def chess_points(games: list[Game], raw: bool = False) -> dict[int, int]:
    return {game.number: halfpoints(game.raw_winner if raw else game.winner, game.number) for game in games}


def chess_result(games: list[Game]) -> dict[str, Any]:
    """The result of a match of chess (8.2)."""
    ends = Counter(game.end for game in games)
    identities = {"\n".join([game.start, *game.moves, game.end, str(halfpoints(game.winner, 0))]) for game in games}
    decided = {name: ends[name] for name in ("adjudication", "forfeit", "ply_limit")} | {
        "ends": dict(ends),
        "rules": sum(game.end in RULES for game in games),
        "with_substitution": sum(game.substituted for game in games),
        "by_play": sum(game.end in RULES and not game.substituted for game in games),
    }
    return {
        "game": "chess960",
        "games": len(games),
        "plies": sum(len(game.moves) for game in games),
        "adjudicated": _score(chess_points(games)),
        "raw": _score(chess_points(games, True)),
        "decided": decided,
        "distinct_games": len(identities),
    }


def holdem_units(run: Run, match: dict[str, Any], hands: list[Any]) -> list[int]:
    size, mirrored = run.plan["holdem"]["session_hands"], run.plan["holdem"]["mirrored"]
    nets = [hand.net if hand.number % 2 == 0 else -hand.net for hand in hands]
    sessions = [sum(nets[at : at + size]) for at in range(0, len(nets), size)]
    half = len(sessions) // 2
    return [a + b for a, b in zip(sessions[:half], sessions[half:], strict=True)] if mirrored else sessions


def holdem_result(run: Run, match: dict[str, Any], hands: list[Any]) -> dict[str, Any]:
    """The result of a match of hold'em (8.3)."""
    units = holdem_units(run, match, hands)
    identities = {
        "\n".join([*(card for cards in hand.cards for card in cards), *hand.actions, hand.end, str(hand.net)])
        for hand in hands
    }
    sessions = -(-len(hands) // run.plan["holdem"]["session_hands"])
    return {
        "game": "holdem",
        "hands": len(hands),
        "sessions": sessions,
        "net_chips": sum(units),
        "sessions_won": sum(unit > 0 for unit in units),
        "distinct_hands": len(identities),
        "decided": {
            "ends": dict(Counter(hand.end for hand in hands)),
            "with_faults": sum(hand.faulty for hand in hands),
            "by_play": sum(not hand.faulty and hand.end != "forfeit" for hand in hands),
        },
    } | ({"mirrored_pairs": len(units)} if run.plan["holdem"]["mirrored"] else {})


def result_of(run: Run, outcome: Outcome) -> dict[str, Any]:
    chess = outcome.match["game"] == "chess960"
    return chess_result(outcome.results) if chess else holdem_result(run, outcome.match, outcome.results)


def missed(run: Run, outcome: Outcome) -> str:
    """Why seat a fails the gate; empty where it passes."""
    result, tally = result_of(run, outcome), outcome.tallies[0]
    chess = result["game"] == "chess960"
    wins, n = (
        (result["adjudicated"]["wins"], result["games"])
        if chess
        else (result["sessions_won"], result.get("mirrored_pairs", result["sessions"]))
    )
    return gate_reason(wins, n, tally.faults(), tally.counts["decisions"])


def _repeated(plan: dict[str, Any], name: str) -> str:
    """The seat that a seat repeats at another temperature (8.4.3); empty where it repeats none."""
    own = plan["seats"][name]
    if own["kind"] not in MODELS or not Fraction(own.get("temperature", "0")):
        return ""
    cells: dict[str, list[Any]] = {}
    for match in plan["matches"]:
        cells.setdefault(match["a"], []).append((match["phase"], match["game"], match["condition"]))
    for base in sorted({match[seat] for match in plan["matches"] for seat in "ab"}):
        other = plan["seats"][base]
        alike = other["kind"] == own["kind"] and {**own, "temperature": ""} == {**other, "temperature": ""}
        again = all(cell[0] == 2 and cell in cells.get(base, []) for cell in cells.get(name, []))
        if base != name and alike and not Fraction(other["temperature"]) and again:
            return base
    return ""


def check_played(run: Run, journal: Journal, outcomes: list[Outcome], report: Report) -> list[str]:
    """Step 8: the streams that were played; gives the matches that were not."""
    failed = {
        (outcome.match["a"], outcome.match["game"])
        for outcome in outcomes
        if not outcome.match["phase"] and outcome.whole and missed(run, outcome)
    }
    sequential, left = {row["match"] for row in run.plan["analysis"]["sequential"]}, []
    for match in run.plan["matches"]:
        name, wanted = match_id(match), "all of its streams"
        there = [stream in journal.lines for stream, _ in streams(match)]
        holds = all(there)
        repeated = _repeated(run.plan, match["a"])
        if match["phase"] and {(match["a"], match["game"]), (repeated, match["game"])} & failed:
            holds, wanted = not any(there), "no stream, since its seat a failed the gate"
            left.append(name)
        elif name in sequential and not holds:
            holds, wanted = there[0] and there == sorted(there, reverse=True), "a first part of its streams"
            report.say(8, "not checked", f"{name} ended after {sum(there)} streams by its declared rule")
        report.say(8, "holds" if holds else "FAILS", f"{name}: {wanted}")
    return left


def check_results(run: Run, found: dict[str, Any], outcomes: list[Outcome], left: list[str], report: Report) -> None:
    """Step 10: results.json against the replay."""
    head = {"format": "agz-results-1", "run": run.run, "protocol": run.plan["protocol"], "not_played": left}
    report.same(10, {key: found.get(key) for key in head}, head, "format, run, protocol, matches not played")
    report.same(10, set(found), {*head, "departures", "matches"}, "keys of results.json")
    report.say(10, "not checked", f"{len(found['departures'])} departures, whose rules the pages do not tell")
    ids = [row["id"] for row in found["matches"] if row["side"] == "a"]
    report.same(10, ids, [match_id(outcome.match) for outcome in outcomes], "matches in the plan's order")
    rows = {row["id"]: row for row in found["matches"]}
    for outcome in outcomes:
        name = match_id(outcome.match)
        if not outcome.whole or name not in rows:
            report.say(10, "not checked", f"{name}: it was not replayed")
            continue
        _check_row(run, rows[name], outcome, report)


def _check_row(run: Run, row: dict[str, Any], outcome: Outcome, report: Report) -> None:
    match, name = outcome.match, match_id(outcome.match)
    table = [{"condition": match[key], "seat": match[seat]} for seat, key in (("a", "condition"), ("b", "b_condition"))]
    plain = {
        "game": match["game"],
        "id": name,
        "part": match.get("positions") or "",
        "phase": match["phase"],
        "side": "a",
        "table": table,
        "result": result_of(run, outcome),
    }
    told = {key: value for key, value in row.items() if key not in ("no_finding", "seat_stats", "gate")}
    report.same(10, told, plain, f"{name}: result and table")
    stats = [tally.stats(run, match[seat]) for seat, tally in zip("ab", outcome.tallies, strict=True)]
    if specified(run, match):
        report.same(
            10,
            [own["decisions"] for own in row["seat_stats"]],
            [own["decisions"] for own in stats],
            f"{name}: decisions of the seats",
        )
        report.say(10, "not checked", f"{name}: other counts of the seats, for want of the script")
    else:
        for letter, found, wanted in zip("ab", row["seat_stats"], stats, strict=True):
            report.same(10, found, wanted, f"{name}: counts of seat {letter}")
        report.same(10, row.get("no_finding", ""), no_finding(stats), f"{name}: whether it has a finding")
    gate = row["gate"]
    if match["phase"]:
        report.same(10, gate, None, f"{name}: no gate")
    else:
        reason = missed(run, outcome)
        report.same(10, gate, {"passed": not reason, "reason": reason}, f"{name}: gate")


ERRORS = {
    "first_cut": "replies that the server cut, as at a limit of tokens",
    "first_no_action": "replies that declare no action",
    "first_illegal": "illegal actions",
    "first_ambiguous": "actions that may mean two things",
    "first_no_reply": "calls with no reply",
}


def no_finding(stats: list[dict[str, Any]]) -> str:
    """Why nothing is found in a match (8.1); empty where something may be."""
    drawn = [seat for seat in stats if seat["decisions"] and 2 * seat["substituted"] >= seat["decisions"]]
    if not drawn:
        return ""
    seat = max(drawn, key=lambda one: one["substituted"] / one["decisions"])
    percent = f"{100 * (seat['substituted'] / seat['decisions']):.1f}".removesuffix(".0")
    faults = {name: seat["faults"][name] for name in ERRORS}
    name = max(faults, key=lambda one: faults[one])
    most, number, limit = faults[name], sum(faults.values()), seat["reply_tokens_max"]
    what = ERRORS[name]
    if name == "first_cut" and limit and seat["completion_tokens"] >= limit * most:
        what = f"replies that the plan's limit of {limit} tokens cut"
    told = f": {'all' if most == number else 'nearly all of'} {number:,} errors were {what}"
    told = told if number and most >= 0.9 * number else ""
    return f"{percent} % of the actions of {seat['seat']} were drawn by the harness{told}"


def claims_of(run: Run, results: dict[str, Any]) -> dict[str, str]:
    """The claims that follow from results (8.5)."""
    out = {}
    for row in results["matches"]:
        result, name = row["result"], row["id"]
        count = result["games"] if row["game"] == "chess960" else result["hands"]
        own = {"games" if row["game"] == "chess960" else "hands": str(count)}
        own["decided_by_play"] = decimal(Fraction(result["decided"]["by_play"], count))
        if row["game"] == "chess960":
            for key, part in (("score", result["adjudicated"]), ("score_raw", result["raw"])):
                own[key] = decimal(Fraction(2 * part["wins"] + part["draws"], 2 * count))
        else:
            own["bb_per_100"] = decimal(Fraction(result["net_chips"], count))
        if row["gate"]:
            own["gate"] = "passed" if row["gate"]["passed"] else "failed"
        if "no_finding" in row:
            own = {"no_finding": row["no_finding"]} | ({"gate": own["gate"]} if row["gate"] else {})
        out |= {f"{name}/{key}": value for key, value in own.items()}
    later = any(match["phase"] for match in run.plan["matches"])
    out["compliant"] = "yes" if later else "phase 0 only"
    if results["departures"] or results["not_played"]:
        out["compliant"] = "no"
    return out


def check_figures(
    run: Run, analysis: dict[str, Any], found_none: dict[str, str], outcomes: list[Outcome], report: Report
) -> None:
    """The headline figures of analysis.json (9; part of step 10)."""
    rows = {row["id"]: row for row in analysis["matches"]}
    for outcome in outcomes:
        match, name = outcome.match, match_id(outcome.match)
        if not outcome.whole:
            report.say(10, "not checked", f"{name}: headline figure, since it was not replayed")
            continue
        kept = any(match[condition]["arm"] != "naked" for condition in ("condition", "b_condition"))
        careers = match["careers"] if kept else 0
        careers = careers if len(outcome.results) == total(match) else min(1, careers)
        why = found_none.get(name, "")
        for kind, estimate, groups, factor in _headlines(run, outcome, rows[name]):
            wanted = headline(kind, groups, careers, factor, why)
            found = {key: estimate[key] for key in wanted}
            report.same(10, found, wanted, f"{name}: {kind}")
    report.say(10, "not checked", "the rest of analysis.json and calls.json, of which the pages give no formulas")


def _headlines(run: Run, outcome: Outcome, row: dict[str, Any]) -> list[tuple[str, Any, list[list[int]], Fraction]]:
    size = total(outcome.match) // (outcome.match["careers"] or 1)
    groups = [
        [result for result in outcome.results if result.number // size == career]
        for career in range(outcome.match["careers"] or 1)
    ]
    if outcome.match["game"] == "holdem":
        hands = run.plan["holdem"]["session_hands"] * (2 if run.plan["holdem"]["mirrored"] else 1)
        units = [holdem_units(run, outcome.match, group) for group in groups]
        return [("bb/100", row["bb_per_100"]["everything"], units, Fraction(1, hands))]
    out = []
    for raw, estimate in ((False, row["score"]["everything"]), (True, row["score_raw"])):
        points = [chess_points(group, raw) for group in groups]
        pairs = [[own[n] + own[n + 1] for n in own if n % 2 == 0 and n + 1 in own] for own in points]
        out.append(("score", estimate, pairs, Fraction(1, 4)))
    return out

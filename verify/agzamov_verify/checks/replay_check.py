"""Level V3: somebody else than the submitter asked the same open weights again for a random sample of whole games.

Asked of the attestations that a reader gives with a trust policy, each on its own, offline:

 1  it is signed by a replayer of the policy, whose key is neither the submitter's nor revoked
 2  it is about this bundle
 3  its proof shows that a log of the policy had this bundle's digest, and when enough witnesses had seen that
 4  its beacon round came out later, by the policy's margin, and its signature is by the chain's key
 5  its games are those that the round draws, and as many as the policy wants
 6  its counts are of every answer that the bundle holds in these games, and its weights are the sealed ones
 7  in no more games than the policy allows, an answer differs; and so of memories
 8  every seat and memory of the run was asked again

What is wrong is a finding. What was not asked again is missing, with the reason.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil
from typing import ClassVar

from ..attestations.replay_statement import Counts, Replayed, draw_seed
from ..attestations.sample_power import forged_at_most, missed, percent
from ..attestations.signed_statement import Attestation
from ..core.journal import BrokenJournal
from ..core.untrusted_input import HostileBundle
from ..plan.streams import memory_stores
from ..registration.beacon import NoPairing, is_of_chain
from ..registration.log_entry import Finished, read_entry
from ..registration.trust_policy import TrustPolicy
from ..seats import LocalModelSeat
from ..transparency_log.signed_note import BadNote
from ..transparency_log.tlog_proof import included, parse_proof
from .drawn_games import Asked, Drawn, asked_in, draw_from_all
from .level_verdict import LevelVerdict
from .opened_bundle import Opened
from .registration_check import Trust, opened_log

FORGED_SHOWN = (Fraction(1, 100), Fraction(5, 100), Fraction(1, 10))
"""Shares of forged games whose chance to be missed is told."""
NOT_REPLAYED = (
    "nobody has asked its models again; somebody else than the submitter would have to: agzamov replay --attest"
)


class ReplayVerdict(LevelVerdict):
    """What keeps a bundle from V3. `replays`: attestations that were looked at."""

    step: ClassVar[int] = 18

    replays: int = 0


def check_replays(opened: Opened, trust: Trust, attestations: list[tuple[str, Attestation]]) -> ReplayVerdict:
    """What the policy says of replay attestations, each with its file's name. Never raises for a bad one."""
    verdict = ReplayVerdict()
    complete = False
    for place, attestation in attestations:
        replayed = attestation.statement.predicate
        if not isinstance(replayed, Replayed):
            continue
        verdict.replays += 1
        one = _Check(opened, trust, attestation.key_id, replayed, place)
        one.run(attestation.subjects)
        verdict.findings += one.verdict.findings
        verdict.account += one.verdict.account
        if one.verdict.reached:
            complete = True
        elif not one.verdict.findings:
            verdict.missing += one.verdict.missing
    if complete:
        verdict.missing.clear()
    elif not verdict.missing and not verdict.findings:
        verdict.missing.append(NOT_REPLAYED)
    return verdict


class _Check:
    """One attestation against a bundle and a policy."""

    def __init__(self, opened: Opened, trust: Trust, key_id: str, replayed: Replayed, place: str) -> None:
        self._opened, self._trust, self._key_id, self._replayed = opened, trust, key_id, replayed
        self._place = place
        self.verdict = ReplayVerdict()

    def run(self, subjects: tuple[str, ...]) -> None:
        """Take the numbered checks; counts mean nothing where the bundle or the key is another one."""
        policy = self._trust.policy
        self._signer(policy)
        self._same("", f"bundle {self._opened.sha256}", f"bundle {', '.join(subjects)}")
        self._same("run", self._opened.manifest.run_id, self._replayed.run)
        if self.verdict.findings:
            return
        self._challenge(policy)
        try:
            asked = asked_in(self._opened, self._replayed.seats)
        except (HostileBundle, BrokenJournal) as error:
            self._add(error.place, error.expected, error.found)
            return
        drawn = self._sample(policy, asked)
        self._counts(asked, drawn)
        self._memories(asked, drawn)
        self._weights()
        self._agreement(policy)
        if not self.verdict.findings:
            self.verdict.missing += self._left_out(asked)
            self.verdict.account += self._told(asked)

    def _add(self, what: str, expected: str, found: str) -> None:
        self.verdict.add(f"{self._place} {what}".strip(), expected, found)

    def _same(self, what: str, expected: str, found: str) -> None:
        self.verdict.same(f"{self._place} {what}".strip(), expected, found)

    def _signer(self, policy: TrustPolicy) -> None:
        if self._key_id == self._opened.submitter:
            self._add("key", "a replayer who is not the submitter", f"the submitter's key {self._key_id[:16]}")
        elif policy.is_one_party(self._key_id, self._opened.submitter):
            self._add("key", "a replayer who is not the submitter", f"another key of {policy.name_of(self._key_id)}")
        elif self._key_id not in policy.replayers:
            self._add("key", "a replayer that the policy names", f"key {self._key_id[:16]}")
        if revoked := policy.revoked.get(self._key_id):
            self._add("key", f"a key that is not revoked ({revoked.reason})", self._key_id[:16])

    def _challenge(self, policy: TrustPolicy) -> None:
        """The round that draws the games came out after the bundle's digest was logged."""
        beacon, chain = self._replayed.beacon, policy.chains.get(self._replayed.beacon.chain)
        if chain is None:
            self._add("beacon", "a beacon that the policy knows", beacon.chain)
            return
        logged_s = self._logged_s(policy)
        out_s = chain.time_s(beacon.round)
        if logged_s is not None and out_s < logged_s + policy.margin_s:
            expected = f"a round that came out {policy.margin_s} s after the result was logged, at {logged_s}"
            self._add("beacon", expected, f"round {beacon.round}, out at {out_s}: the games could have been known")
        try:
            if not is_of_chain(beacon, chain):
                self._add("beacon", f"round {beacon.round} signed by {beacon.chain}", "another signature")
        except NoPairing as error:
            self.verdict.missing.append(f"the signature of the round that draws the games was not checked: {error}")

    def _logged_s(self, policy: TrustPolicy) -> int | None:
        """The time at which enough witnesses had seen the log with this bundle's digest in it."""
        if self._trust.log is None:
            self.verdict.missing.append(
                "when its result was logged is not known: get a copy of the log, give it by --log"
            )
            return None
        proof = self._replayed.end_proof.encode()
        try:
            log, _ = opened_log(self._trust.log, policy)
            entry = log.entry(parse_proof(proof).number)
            place = included(proof, entry, policy.log_keys, policy.witness_keys)
            log.require_grown_from(place.witnessed.checkpoint)
            read = read_entry(entry)
        except BadNote as error:
            self._add("end_proof", error.expected, error.found)
            return None
        digest = read.entry.bundle_sha256 if isinstance(read.entry, Finished) else "none"
        self._same("end_proof", f"result {self._opened.sha256}", f"result {digest}")
        self._same("end_proof", f"an entry by key {self._opened.submitter}", f"an entry by key {read.key_id}")
        time_s = place.witnessed.time_s(policy.quorum)
        if time_s is None:
            self._add("end_proof", f"cosignatures of {policy.quorum} of the policy's witnesses", "fewer")
        return time_s

    def _sample(self, policy: TrustPolicy, asked: Asked) -> Drawn:
        replayed, total = self._replayed, sum(map(len, asked.games.values()))
        seed = draw_seed(replayed.beacon, self._opened.sha256)
        drawn = draw_from_all(asked.games, replayed.sample, self._opened.manifest.run_id, seed)
        expected = {game for games in drawn.values() for game in games}
        self._same("games_in_bundle", str(total), str(replayed.games_in_bundle))
        if missing := sorted(expected - replayed.games.keys()):
            self._add(
                "games", f"the game {missing[0]}, which the round draws", f"{len(missing)} that it draws not asked"
            )
        if others := sorted(replayed.games.keys() - expected):
            self._add("games", "no game that the round does not draw", f"{others[0]}, and {len(others) - 1} others")
        wanted = min(policy.replayed_games_min, total)
        if len(expected) < wanted or not expected:
            self._add("sample", f"at least {max(wanted, 1)} games", f"{len(expected)}")
        return drawn

    def _counts(self, asked: Asked, drawn: Drawn) -> None:
        """The numbers of answers are those that the bundle holds in the drawn games."""
        games = {game for names in drawn.values() for game in names}
        by_game, by_seat = Counter[str](), Counter[str]()
        for (game, seat), count in asked.answers.items():
            if game in games and seat in self._replayed.seats:
                by_game[game] += count
                by_seat[seat] += count
        for name, counts in self._replayed.games.items():
            if name in games:
                self._same(f"games.{name}", f"{by_game[name]} answers", f"{counts.asked} answers")
        for name, replayed in self._replayed.seats.items():
            self._same(f"seats.{name}", f"{by_seat[name]} answers", f"{replayed.counts.asked} answers")
        of_games, of_seats = (
            _sums(counts)
            for counts in (self._replayed.games.values(), [seat.counts for seat in self._replayed.seats.values()])
        )
        self._same("seats", f"{of_games} as in the games", f"{of_seats} as in the games")

    def _memories(self, asked: Asked, drawn: Drawn) -> None:
        """Each memory that was asked again got every question of its stream."""
        stores = {f"{store.stream} {store.to}": store for store in memory_stores(self._opened.manifest.plan)}
        for name, memory in self._replayed.memories.items():
            store = stores.get(name)
            if store is None or store.stream not in drawn:
                self._add(f"memories.{name}", "a memory of a stream with a drawn game", "another one")
                continue
            if memory.different:
                self._add(f"memories.{name}", "the answers of the bundle", f"{memory.different} different")
            else:
                self._same(f"memories.{name}", f"{asked.memories[store]} questions", f"{memory.asked} questions")
        left = {name for name, store in stores.items() if store.stream in drawn and asked.memories[store]}
        for name in sorted(left - self._replayed.memories.keys())[:1]:
            reason = self._replayed.not_asked.get(name.partition(" ")[2], "the replayer does not say why")
            self.verdict.missing.append(f"the memory {name} was not asked again: {reason}")

    def _weights(self) -> None:
        manifest = self._opened.manifest
        for name, replayed in self._replayed.seats.items():
            seat = manifest.plan.playing.get(name)
            if seat is None:
                self._add(f"seats.{name}", "a seat that plays in this run", "another name")
            elif isinstance(seat, LocalModelSeat):
                pin = manifest.models.get(name)
                sealed = pin.sha256 if pin else "none"
                self._same(f"seats.{name}", f"weights {sealed}", f"weights {replayed.sha256 or 'none'}")
            elif seat.program_sha256:
                self._same(f"seats.{name}", f"program {seat.program_sha256}", f"program {replayed.sha256 or 'none'}")
        for name in self._of_unknown_weights():
            self.verdict.missing.append(f"nothing shows which weights answered for {name}, then or now")

    def _of_unknown_weights(self) -> list[str]:
        """The replayed seats of models at an endpoint, which may serve anything."""
        playing = self._opened.manifest.plan.playing
        seats = ((name, playing[name]) for name in self._replayed.seats if name in playing)
        return [
            name
            for name, seat in seats
            if seat.is_model and not isinstance(seat, LocalModelSeat) and not seat.program_sha256
        ]

    def _agreement(self, policy: TrustPolicy) -> None:
        replayed = self._replayed
        if Fraction(replayed.margin_nats) > Fraction(policy.margin_nats_max):
            self._add("margin_nats", f"at most {policy.margin_nats_max}", replayed.margin_nats)
        if replayed.games_different > policy.different_games_max:
            different = [name for name, counts in replayed.games.items() if counts.different]
            expected = (
                f"the same answers, or within {replayed.margin_nats} nats, in all but {policy.different_games_max}"
            )
            found = f"other answers in {len(different)} of {len(replayed.games)} games, the first {different[0]}"
            self._add("games", expected, found)

    def _left_out(self, asked: Asked) -> Iterator[str]:
        """Seats that played and were not asked again."""
        for name in sorted({seat for _, seat in asked.answers} - self._replayed.seats.keys()):
            reason = self._replayed.not_asked.get(name, "the replayer does not say why")
            yield f"{name} was not asked again: {reason}"

    def _told(self, asked: Asked) -> Iterator[str]:
        replayed, policy = self._replayed, self._trust.policy
        total, games, allowed = sum(map(len, asked.games.values())), len(replayed.games), policy.different_games_max
        same, answers = (sum(getattr(counts, name) for counts in replayed.games.values()) for name in ("same", "asked"))
        who, round_ = policy.name_of(self._key_id), replayed.beacon.seed_value
        machine = replayed.machine.cpu or replayed.machine.machine
        yield f"{who} asked again {games} of {total} games, drawn by round {round_}, on {machine}"
        yield f"{same:,} of {answers:,} answers the same, {answers - same:,} others as the policy allows"
        if unknown := self._of_unknown_weights():
            yield f"no bound on forged games: nothing shows which weights answered for {', '.join(unknown)}"
            return
        chances = [
            f"{percent(missed(total, ceil(total * share), games, allowed))} if {percent(share)} are forged"
            for share in FORGED_SHOWN
        ]
        yield f"chance that such a sample misses forged games: {', '.join(chances)}"
        most = forged_at_most(total, games, allowed)
        yield f"so at most {most:,} of {total:,} games can be forged (95 % sure)"


def _sums(many: Iterable[Counts]) -> str:
    total = [
        sum(counts) for counts in zip(*((one.same, one.within_margin, one.different) for one in many), strict=True)
    ]
    same, within, different = total or (0, 0, 0)
    return f"{same} same, {within} within the margin, {different} different"

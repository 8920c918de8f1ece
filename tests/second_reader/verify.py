"""The steps of a check, in their order (2.7)."""

import json
from pathlib import Path
from typing import Any

from . import container, envelope, journal, results
from .canonical import Refused, Report, keys, need, read_canonical, sha
from .manifest import Run, check_seed, read_manifest
from .replay import Replay


class Verifier:
    """One check of one bundle."""

    def __init__(self, path: Path, texts: dict[str, str], key: Path | None = None) -> None:
        self.path, self.texts, self.key, self.report = path, texts, key, Report()

    def check(self) -> Report:
        """All steps; 1 to 6 end the check where they fail."""
        first = self.names, self.payload, self.signature, self.manifest, self.seed, self.read_journal
        for step, work in enumerate(first, 1):
            if not self._try(step, work):
                return self.report
        then = {7: self.replay, 8: self.played, 10: self.counts, 11: self.claims, 12: self.quality, 14: self.executions}
        for step, work in then.items():
            if self.run.is_specified or step == 14:
                self._try(step, work)
            else:
                self.report.say(step, "not checked", f"the games of {self.run.plan['protocol']} are not on the pages")
        self.report.say(9, "not checked", "the engine is not asked")
        for step in (15, 16):
            self.report.say(step, "not checked", "not in this version of the pages")
        return self.report

    def _try(self, step: int, work: Any) -> bool:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a bundle may hold anything
            self.report.say(step, "FAILS", str(error) if isinstance(error, Refused) else repr(error))
        return step not in self.report.failed()

    def names(self) -> None:
        self.bundle = container.Bundle(self.path)
        container.check_names(self.bundle, self.report)

    def payload(self) -> None:
        container.check_payload(self.bundle, self.report)

    def signature(self) -> None:
        """Step 3."""
        raw = envelope.raw_key(self.bundle.read("data/submitter.pem"))
        payload = envelope.open_envelope(self.bundle.read("attest/run.dsse.json", container.ENVELOPE), raw)
        self.said = envelope.read_statement(payload, self.bundle.digest("manifest-sha256.txt"))
        self.key_id = envelope.key_id(raw)
        self.report.say(3, "holds", f"key, envelope, signature, statement; key id {self.key_id}")
        if self.key:
            need(envelope.raw_key(self.key.read_bytes()) == raw, "it is signed by another key than the one given")
        self.report.say(3, *("holds", "the key given") if self.key else ("not checked", "whose key it is"))

    def manifest(self) -> None:
        """Step 4."""
        data = self.bundle.read("data/manifest.json")
        self.run = read_manifest(data)
        run, said = self.run, self.said
        need(said["protocol"] == run.plan["protocol"], "a statement of another protocol")
        need(said["run"] == run.run and said["manifest_sha256"] == run.digest, "a statement of another run")
        need(run.manifest["submitter_key_id"] == self.key_id, "another key than was sealed")
        self._environment(run)
        texts = self.texts if run.is_specified else {}
        own = {name: digest for name, digest in run.manifest["prompts_sha256"].items() if name in texts}
        wrong = [name for name, digest in own.items() if sha(self.texts[name].encode()) != digest]
        need(not wrong and len(own) == len(texts), f"other fixed texts than the protocol's: {wrong}")
        run.texts = self.texts
        self.report.say(4, "holds", f"manifest, run id {run.run}, key, environment, {len(own)} fixed texts")
        more = sorted(set(run.manifest["prompts_sha256"]) - set(own))
        self.report.say(4, "not checked", f"{len(more)} texts that no vector has, and whether the plan can be run")

    def _environment(self, run: Run) -> None:
        environment = read_canonical(self.bundle.read("data/environment.json", container.ENVIRONMENT))
        may = "containers container_engine endpoints executions harness verify python system release machine cpu cores"
        keys(environment, "format isolation sealed_by packed_by", may)
        need(environment["isolation"] == run.plan["isolation"], "another isolation than was sealed")
        started = {(row["part"], row["image"]) for row in environment.get("containers", [])}
        sealed = {(part, pin["config_digest"]) for part, pin in run.manifest["images"].items()}
        need(started == sealed, "containers of other images than the sealed ones")

    def seed(self) -> None:
        beacon = self.bundle.read("data/beacon.json") if "data/beacon.json" in self.bundle.sizes else None
        check_seed(self.run, self.said["seed"], beacon)
        self.report.say(5, "holds", "secret, commitment, origin, root of all draws")

    def read_journal(self) -> None:
        self.journal = journal.Journal()
        self.journal.read(self.bundle, self.run, self.said["journal"], self.report)

    def replay(self) -> None:
        self.outcomes = Replay(self.run, self.journal, self.report).outcomes

    def played(self) -> None:
        self.left = results.check_played(self.run, self.journal, self.outcomes, self.report)

    def counts(self) -> None:
        for name in self.journal.lines:
            self.journal.check_calls(self.bundle, name)
        self.results = read_canonical(self.bundle.read("data/results/results.json"))
        results.check_results(self.run, self.results, self.outcomes, self.left, self.report)
        analysis = read_canonical(self.bundle.read("data/results/analysis.json"))
        found_none = {row["id"]: row.get("no_finding", "") for row in self.results["matches"]}
        results.check_figures(self.run, analysis, found_none, self.outcomes, self.report)

    def claims(self) -> None:
        self.report.same(11, self.said["recomputability"], envelope.RECOMPUTABILITY, "words of recomputability")
        wanted, found = results.claims_of(self.run, self.results), self.said["claims"]
        self.report.same(11, set(found), set(wanted), "which claims there are")
        for name in sorted(set(found) & set(wanted)):
            self.report.same(11, found[name], wanted[name], name)

    def quality(self) -> None:
        there = any(name.startswith("data/quality/") for name in self.bundle.sizes)
        self.report.same(12, there, bool(self.run.plan["quality"]["nodes"]), "quality is there where it is promised")
        if there:
            self.report.say(12, "not checked", "the engine's answers and what follows from them")

    def executions(self) -> None:
        self.report.say(14, "holds", journal.check_executions(self.bundle.read("data/executions.jsonl"), self.journal))


def texts_of(spec: Path) -> dict[str, str]:
    return json.loads((spec / "vectors" / "prompts.json").read_text())

"""Models as rows and lines for a person: of a server, of files, and what a check or a pull found."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import ollama

from .checking import SeatCheck
from .inventory import Inventory, Model
from .pins import pin_of_gguf

MB = 1_000_000
SHOWN_CHARACTERS_MAX = 200


class Row(msgspec.Struct, frozen=True):
    """One model. `context_tokens` is the longest that its weights allow; 0 and "" where nobody tells."""

    name: str
    digest: str
    size_bytes: int
    quantisation: str = ""
    parameters: str = ""
    context_tokens: int = 0
    remote: str = ""

    @property
    def line(self) -> str:
        told = [self.parameters, self.quantisation, f"context {self.context_tokens}" if self.context_tokens else ""]
        told += [f"CLOUD MODEL of {self.remote}: cannot be pinned" if self.remote else ""]
        return "  ".join([self.name, self.digest, f"{self.size_bytes / MB:.1f} MB", *filter(None, told)])


def served(base_url: str) -> list[Row]:
    """The models of an Ollama server. Raises ModelFault."""
    with Inventory(base_url) as server:
        return [row_of(model, 0 if model.remote else server.context_of(model.name)) for model in server.models()]


def files(paths: Sequence[Path]) -> list[Row]:
    """GGUF files, hashed. Raises ModelFault."""
    pins = [(path, pin_of_gguf(path)) for path in paths]
    return [Row(str(path), pin.sha256, pin.size_bytes) for path, pin in pins]


def row_of(model: Model, context_tokens: int) -> Row:
    """One model of a server as a row."""
    told = (model.quantisation, model.parameters, context_tokens, model.remote)
    return Row(model.name, model.digest, model.size_bytes, *told)


def seat_lines(name: str, check: SeatCheck) -> Iterator[str]:
    """What a check found of one seat."""
    if not check.pin:
        yield f"{name}: cannot be sealed"
    else:
        yield f"{name}: would be sealed with sha256 {check.pin.sha256}, {check.pin.size_bytes} bytes ({check.witness})"
    outcome = check.outcome
    if outcome:
        server = outcome.server
        yield f"  server     {server.kind} {server.version}, context {server.context_tokens} tokens"
        for one in outcome.rounds:
            logprobs = (
                "" if one.logprobs_same is None else f", log probabilities {one.logprobs_same}/{outcome.requests}"
            )
            yield f"  {one.how:<16} texts {one.texts_same}/{outcome.requests}{logprobs}"
        yield f"  a prompt that does not fit is {outcome.overlong}"
        yield f"  preflight of {check.preflight_ms / 1000:.1f} s, determinism {outcome.determinism}"
    if check.wrong:
        yield f"  WRONG      {check.wrong}"


def progress_line(step: ollama.ProgressResponse) -> str:
    """One step of a pull, in whole percents so that a slow one does not fill the screen."""
    status = (step.status or "")[:SHOWN_CHARACTERS_MAX]
    if not step.total:
        return status
    return f"{status}: {100 * (step.completed or 0) // step.total} % of {step.total / MB:.1f} MB"

"""Train the reader model: `python reader_train.py RUN`. The same command goes on from its checkpoint.

A row is one prefix (rules, notes, passages) and many decisions. Lessons are drawn anew in every step; another process
makes them ahead.

Beside the replies training asks for what the texts of the prefix say, as numbers (`Told.facts`), at the first token of
each decision, and for the share of each count of a note where it ends: so the model learns to read before it learns
what to do. These heads are not exported.

Every 50 steps it prints seconds, the losses of replies (nats a token) and of facts, and the share of replies that are
right as a whole.
"""

import argparse
import multiprocessing
import pickle
from collections.abc import Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path
from time import monotonic

import numpy as np
import torch
from reader_data import STREET_HABITS, Decision, Lesson, lesson, sample
from reader_llama import Reader, Shape
from reading import ANSWER, ID, WHOLE_MAX
from torch import Tensor
from torch.nn import functional

from agzamov_verify.games.holdem.habit_words import Habit

ROWS, SPOTS = 16, 16  # of a step
RATE, HIDDEN_RATE = 0.003, 0.01
WARMUP, DECAY_SHARE, FACTS_SHARE = 60, 0.45, 2.0
TOLD_EVERY, SAVE_EVERY, AHEAD = 50, 250, 8
TOOL_FROM = 45  # tokens of a decision from which on it has a tool's answer
OF = ID[" of"]
SIZES = {ID[f" {whole}"]: whole for whole in range(WHOLE_MAX + 1)}
HABITS = {
    ID[f"{habit.value}:"]: STREET_HABITS.index(habit) if habit in STREET_HABITS else len(STREET_HABITS)
    for habit in Habit
}
PART = {token: at for at, token in enumerate(ANSWER)}


class Batch:
    """Lessons side by side: tokens told and asked, and the row, spot, place and part of each token to be answered."""

    def __init__(self, lessons: list[Lesson]) -> None:
        self.lengths = torch.tensor([len(each.prefix) for each in lessons])
        told = np.zeros((len(lessons), int(self.lengths.max())), np.int64)
        longest = max(len(a) + len(b) - 1 for each in lessons for a, b in zip(each.asked, each.answers, strict=True))
        spots = np.zeros((len(lessons), SPOTS, longest), np.int64)
        targets: list[tuple[int, int, int, int]] = []
        for row, each in enumerate(lessons):
            told[row, : len(each.prefix)] = each.prefix
            for number, (asked, answer) in enumerate(zip(each.asked, each.answers, strict=True)):
                here = [*asked, *answer[:-1]]
                spots[row, number, : len(here)] = here
                targets += [(row, number, len(asked) - 1 + n, PART[token]) for n, token in enumerate(answer)]
        self.facts = torch.tensor([each.facts for each in lessons])
        lines = [(row, *line) for row, each in enumerate(lessons) for line in counted_lines(each.prefix)]
        self.lines = torch.tensor([line[:3] for line in lines], dtype=torch.long).reshape(-1, 3)
        self.shares = torch.tensor([line[3] for line in lines])
        self.told, self.spots = torch.from_numpy(told), torch.from_numpy(spots)
        self.rows, self.numbers, self.places, self.parts = torch.tensor(targets).T


def counted_lines(tokens: list[int]) -> Iterator[tuple[int, int, float]]:
    """Where a count of a note ends, whose it is (0 flop, 1 turn, 2 river, 3 any other habit), and its share."""
    for at, token in enumerate(tokens[:-3]):
        if token in HABITS and tokens[at + 2] == OF and all(tokens[at + n] in SIZES for n in (1, 3)):
            yield at + 3, HABITS[token], SIZES[tokens[at + 1]] / max(1, SIZES[tokens[at + 3]])


def lessons(decisions: list[Decision], seed: int, bare: int) -> Iterator[list[Lesson]]:
    """Without end: lessons of a step, of like length; the first `bare` steps have no texts, and are cheap."""
    rng = np.random.default_rng(seed)
    for step in count(0, 8):
        drawn = sorted((lesson(rng, decisions, SPOTS, texts=step >= bare) for _ in range(ROWS * 8)), key=_like)
        for start in rng.permutation(np.arange(0, len(drawn), ROWS)):
            yield drawn[start : start + ROWS]


def _like(each: Lesson) -> tuple[bool, int]:
    """Lessons with a tool's answers stand together, and those of like length."""
    return max(map(len, each.asked)) > TOOL_FROM, len(each.prefix)


def _feed(queue: "multiprocessing.Queue[list[Lesson]]", decisions: list[Decision], seed: int, bare: int) -> None:
    for drawn in lessons(decisions, seed, bare):
        queue.put(drawn)


def rate(step: int, steps: int) -> float:
    """Warm up, stay, and fall to zero over the last part."""
    return min(1.0, (step + 1) / WARMUP, (steps - step) / (DECAY_SHARE * steps))


class Muon:
    """Momentum made orthogonal by five steps of Newton-Schulz (Jordan et al., 2024), in float32.

    PyTorch's own is in bfloat16, which is slow on processors without it.
    """

    def __init__(self, parameters: list[Tensor]) -> None:
        self.parameters = parameters
        self.moments = [torch.zeros_like(each) for each in parameters]

    @torch.no_grad()
    def step(self, rate_: float) -> None:
        """One step for all matrices."""
        for parameter, moment in zip(self.parameters, self.moments, strict=True):
            assert parameter.grad is not None
            moment.lerp_(parameter.grad, 0.05)
            update = orthogonal(parameter.grad.lerp(moment, 0.95))
            wide = max(1, parameter.shape[0] / parameter.shape[1]) ** 0.5
            parameter.mul_(1 - 0.01 * rate_).add_(update, alpha=-rate_ * wide)


def orthogonal(matrix: Tensor) -> Tensor:
    """The nearest matrix whose singular values are about 1, by the quintic iteration."""
    x = matrix / (matrix.norm() + 1e-7)
    x = x.T if matrix.shape[0] > matrix.shape[1] else x
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.T if matrix.shape[0] > matrix.shape[1] else x


class Trainer:
    """The model, its optimiser and how far they are."""

    def __init__(self, checkpoint: Path) -> None:
        self.checkpoint, self.step = checkpoint, 0
        self.model = Reader(Shape())
        hidden = [p for layer in self.model.layers for p in layer.parameters() if p.ndim == 2]
        other = [p for p in self.model.parameters() if not any(p is h for h in hidden)]
        self.optimiser = torch.optim.AdamW(other, lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
        self.hidden = Muon(hidden)
        if checkpoint.exists():
            saved = torch.load(checkpoint)
            self.model.load_state_dict(saved["model"])
            self.optimiser.load_state_dict(saved["optimiser"])
            self.hidden.moments = saved["moments"]
            self.step = saved["step"]

    def learn(self, batch: Batch, share: float) -> tuple[float, float, float]:
        """One step at a share of the full learning rates: both losses, and the share of answers right as a whole."""
        hidden, facts, counts = self.model(batch.told, batch.lengths, batch.spots)
        logits = self.model.logits(hidden[batch.rows, batch.numbers, batch.places])
        loss = functional.cross_entropy(logits, batch.parts)
        told = functional.binary_cross_entropy_with_logits(facts, batch.facts[:, None].expand_as(facts))
        if len(batch.lines):
            logits_of_lines = counts[batch.lines[:, 0], batch.lines[:, 1]]
            told = told + functional.binary_cross_entropy_with_logits(logits_of_lines[:, 0], batch.shares)
            told = told + functional.cross_entropy(logits_of_lines[:, 1:], batch.lines[:, 2])
        (loss + FACTS_SHARE * told).backward()
        for group in self.optimiser.param_groups:
            group["lr"] = RATE * share
        self.optimiser.step()
        self.hidden.step(HIDDEN_RATE * share)
        self.model.zero_grad(set_to_none=True)
        self.step += 1
        answers = SPOTS * batch.rows + batch.numbers
        wrong = answers[logits.detach().argmax(-1) != batch.parts]
        return float(loss.detach()), float(told.detach()), 1 - len(wrong.unique()) / (ROWS * SPOTS)

    def save(self) -> None:
        """Write the checkpoint beside its old version, then in its place."""
        saved = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "moments": self.hidden.moments,
            "step": self.step,
            "shape": asdict(self.model.shape),
        }
        torch.save(saved, self.checkpoint.with_suffix(".new"))
        self.checkpoint.with_suffix(".new").replace(self.checkpoint)


def train(trainer: Trainer, drawn: Iterator[list[Lesson]], steps: int, stop: int) -> None:
    """Go on to the last step, or to `stop`."""
    seen: list[tuple[float, float, float]] = []
    began_s = monotonic()
    while trainer.step < min(steps, stop or steps):
        seen.append(trainer.learn(Batch(next(drawn)), rate(trainer.step, steps)))
        if trainer.step % TOLD_EVERY == 0:
            loss, told, right = np.mean(seen, axis=0)
            seen = []
            seconds = f"{trainer.step}  {monotonic() - began_s:.0f} s"
            print(f"{seconds}  loss {loss:.4f}  facts {told:.4f}  right {right:.4f}", flush=True)
        if trainer.step % SAVE_EVERY == 0:
            trainer.save()
    trainer.save()


def decisions_of(path: Path, seed: int, hands: int) -> list[Decision]:
    """The decisions of a seed, made at the first call."""
    if not path.exists():
        path.write_bytes(pickle.dumps(sample(seed, hands)))
    return list(pickle.loads(path.read_bytes()))  # noqa: S301 - our own file


def main() -> None:
    """Make the decisions, and train from the checkpoint or from nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--steps", type=int, default=1700)
    parser.add_argument("--bare", type=int, default=500, help="steps without texts to read")
    parser.add_argument("--hands", type=int, default=15_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--stop", type=int, default=0, help="stop after this step, as if interrupted")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    options.run.mkdir(parents=True, exist_ok=True)
    decisions = decisions_of(options.run / "decisions.pickle", options.seed, options.hands)
    trainer = Trainer(options.run / "checkpoint.pt")
    print(sum(each.numel() for each in trainer.model.parameters()), "parameters,", len(decisions), "decisions")
    queue: multiprocessing.Queue[list[Lesson]] = multiprocessing.Queue(AHEAD)
    feeder = multiprocessing.Process(
        target=_feed, args=(queue, decisions, options.seed + trainer.step, options.bare - trainer.step), daemon=True
    )  # a resumed run sees other lessons than it would have, of the same kinds
    feeder.start()
    train(trainer, iter(queue.get, None), options.steps, options.stop)
    feeder.terminate()


if __name__ == "__main__":
    main()

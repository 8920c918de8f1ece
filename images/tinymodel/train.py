"""Train the tiny model: `python train.py DATA RUN`. Stopped at any time, the same command goes on from its checkpoint.

Every 50 steps it prints, for chess and for hold'em: -log of the probability of all that is right, the teacher's, and
how often the best guess is right, over all targets of a row; then the losses of the two maps, for each piece.
"""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path
from time import monotonic, process_time

import numpy as np
import torch
from batches import Batch, ChessFile, HoldemFile, batches
from llama import Llama, Shape
from torch import Tensor
from torch.nn import functional
from vocabulary import ANSWER, TOKENS

CHESS_ROWS, HOLDEM_ROWS = 128, 64  # of every step
TEACHER_SHARE, MAP_SHARE = 0.5, 0.1
LOSS_SCALE = 512
HIDDEN_RATE, TABLE_RATE = 0.008, 0.003
WARMUP, DECAY_SHARE = 100, 0.72
TOLD_EVERY, SAVE_EVERY = 50, 250
NEVER_WRITTEN = len(TOKENS) - len(ANSWER)


def losses(logits: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Of every target: -log of the probability of all that is right; the teacher's; and whether the best is right."""
    rest = torch.zeros(len(ANSWER) + 1)
    rest[-1] = np.log(NEVER_WRITTEN)
    logs = torch.log_softmax(logits + rest, -1)
    legal = -logs.masked_fill(~batch.right, -torch.inf).logsumexp(-1)
    taught = batch.teacher >= 0
    teacher = -logs[taught].gather(1, batch.teacher[taught][:, None])[:, 0]
    best = logits.detach().argmax(-1)
    return legal, teacher, batch.right.gather(1, best[:, None])[:, 0]


def stream(file: ChessFile | HoldemFile, indices: np.ndarray, size: int, seed: int) -> Iterator[Batch]:
    """Batches without end, each pass in another order."""
    for epoch in count():
        yield from batches(file, indices, size, np.random.default_rng([seed, epoch]))


def rate(step: int, steps: int) -> float:
    """Warm up, stay, and fall to zero over the last part."""
    return min(1.0, (step + 1) / WARMUP, (steps - step) / (DECAY_SHARE * steps))


class Trainer:
    """The model, its optimisers and how far they are."""

    def __init__(self, checkpoint: Path) -> None:
        self.checkpoint, self.step, self.spent_s = checkpoint, 0, 0.0
        self.model = Llama(Shape())
        self.forward = torch.compile(self.model, dynamic=True)
        hidden = [p for layer in self.model.layers for p in layer.parameters() if p.ndim == 2]
        other = [p for p in self.model.parameters() if not any(p is h for h in hidden)]
        self.optimisers: list[torch.optim.Optimizer] = [
            torch.optim.Muon(hidden, lr=HIDDEN_RATE, momentum=0.95, weight_decay=0.01, adjust_lr_fn="original"),
            torch.optim.AdamW(other, lr=TABLE_RATE, betas=(0.9, 0.98), weight_decay=0.0),
        ]
        if checkpoint.exists():
            self._load()
        self.began_s = process_time() - self.spent_s

    def learn(self, both: tuple[Batch, Batch], share: float) -> Tensor:
        """One step at a share of the full learning rates; what is to be printed of each batch."""
        told = torch.stack([self._gradient(batch) for batch in both])
        for optimiser, full in zip(self.optimisers, (HIDDEN_RATE, TABLE_RATE), strict=True):
            for group in optimiser.param_groups:
                group["lr"] = full * share
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.step += 1
        return told

    def _gradient(self, batch: Batch) -> Tensor:
        hidden, *passed = self.forward(batch.tokens, batch.positions, batch.mask)
        legal, teacher, right = losses(self.model.logits(hidden[batch.rows, batch.places]), batch)
        loss = legal.sum() + TEACHER_SHARE * teacher.sum()
        missed = []
        for which, (rows, places, squares) in enumerate(batch.maps):
            logits = self.model.map_logits(passed[which][rows, places], which)
            map_loss = functional.binary_cross_entropy_with_logits(logits, squares, reduction="sum")
            loss = loss + MAP_SHARE * map_loss
            missed.append(map_loss.detach() / max(1, len(rows)))
        (loss / LOSS_SCALE).backward()
        return torch.stack((legal.mean().detach(), teacher.mean().detach(), right.float().mean(), *missed))

    @property
    def cpu_s(self) -> float:
        """Processor seconds of all training up to now."""
        return process_time() - self.began_s

    def save(self) -> None:
        """Write the checkpoint beside its old version, then in its place."""
        saved = {
            "model": self.model.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "step": self.step,
            "cpu_s": self.cpu_s,
            "shape": asdict(self.model.shape),
        }
        torch.save(saved, self.checkpoint.with_suffix(".new"))
        self.checkpoint.with_suffix(".new").replace(self.checkpoint)

    def _load(self) -> None:
        saved = torch.load(self.checkpoint)
        self.model.load_state_dict(saved["model"])
        for optimiser, state in zip(self.optimisers, saved["optimisers"], strict=True):
            optimiser.load_state_dict(state)
        self.step, self.spent_s = saved["step"], saved["cpu_s"]


def train(trainer: Trainer, chess: Iterator[Batch], holdem: Iterator[Batch], steps: int, stop: int) -> None:
    """Go on to the last step, or to `stop`."""
    seen: list[Tensor] = []
    began_s = monotonic()
    while trainer.step < min(steps, stop or steps):
        seen.append(trainer.learn((next(chess), next(holdem)), rate(trainer.step, steps)))
        if trainer.step % TOLD_EVERY == 0:
            means = [" ".join(f"{value:.3f}" for value in game) for game in torch.stack(seen).mean(0)]
            seen = []
            print(
                trainer.step, f"{trainer.cpu_s:.0f} cpu-s {monotonic() - began_s:.0f} s", *means, sep="  ", flush=True
            )
        if trainer.step % SAVE_EVERY == 0:
            trainer.save()
    trainer.save()


def main() -> None:
    """Read the data, and train from the checkpoint or from nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--steps", type=int, default=3900)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stop", type=int, default=0, help="stop after this step, as if interrupted")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    options.run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(options.run / "checkpoint.pt")
    chess = ChessFile(sorted(options.data.glob("chess-1-*.npz")))
    holdem = HoldemFile(sorted(options.data.glob("holdem-1-*.jsonl")))
    parameters = sum(parameter.numel() for parameter in trainer.model.parameters())
    print(parameters, "parameters,", len(chess), "positions,", len(holdem), "spots", flush=True)
    seed = options.seed + trainer.step  # a resumed run sees other rows than it would have, in the same proportions
    chess_batches = stream(chess, chess.weighted(), CHESS_ROWS, seed)
    holdem_batches = stream(holdem, np.arange(len(holdem)), HOLDEM_ROWS, seed)
    train(trainer, chess_batches, holdem_batches, options.steps, options.stop)


if __name__ == "__main__":
    main()

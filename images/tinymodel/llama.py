"""A small llama in PyTorch: weights in float32, matrix products in bfloat16.

The embedding of a piece token is a sum (owner and piece, square, and the token's own part), which is written out as
one table when the model is exported. Two heads that only training has read the stream on its way: what each piece of
the opponent attacks, and where each of the mover's may go. Logits are computed for the tokens that the model may
write; all others share one row, so that the exported table makes them just as unlikely.
"""

from dataclasses import dataclass

import chess
import torch
from torch import Tensor, nn
from torch.nn import functional
from vocabulary import ANSWER, ID, PIECES, TOKENS

from agzamov_verify.games.holdem.cards import DECK


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model. A rotation base this large turns only the first two pairs of each head noticeably."""

    width: int = 192
    layers: int = 8
    heads: int = 6
    inner: int = 512
    context: int = 4096
    rope_base: float = 1e20
    attacks_after: int = 3
    moves_after: int = 6
    epsilon: float = 1e-5


def product(x: Tensor, weight: Tensor) -> Tensor:
    """A linear map in bfloat16."""
    return functional.linear(x.bfloat16(), weight.bfloat16())


class Layer(nn.Module):
    """Attention and a gated layer, each after a norm and added to the stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, inner = shape.width, shape.inner
        self.heads, self.epsilon = shape.heads, shape.epsilon
        self.scale = (width // self.heads) ** -0.5
        self.attn_norm, self.ffn_norm = (nn.Parameter(torch.ones(width)) for _ in range(2))
        self.q, self.k, self.v = (nn.Parameter(torch.randn(width, width) * width**-0.5) for _ in range(3))
        self.out = nn.Parameter(torch.zeros(width, width))
        self.gate, self.up = (nn.Parameter(torch.randn(inner, width) * width**-0.5) for _ in range(2))
        self.down = nn.Parameter(torch.zeros(width, inner))

    def forward(self, x: Tensor, turns: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        rows, length, width = x.shape
        normed = functional.rms_norm(x, (width,), self.attn_norm, self.epsilon)
        q, k, v = (
            product(normed, torch.cat((self.q, self.k, self.v)))
            .view(rows, length, 3, self.heads, -1)
            .permute(2, 0, 3, 1, 4)
        )
        scores = turned(q, turns) @ turned(k, turns).transpose(-2, -1)
        mixed = torch.softmax(scores * self.scale + mask, -1) @ v
        x = x + product(mixed.transpose(1, 2).reshape(rows, length, width), self.out)
        normed = functional.rms_norm(x, (width,), self.ffn_norm, self.epsilon)
        gate, up = product(normed, torch.cat((self.gate, self.up))).chunk(2, -1)
        return x + product(functional.silu(gate) * up, self.down)


def turned(x: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions as llama has them: neighbouring pairs (2i, 2i + 1) turn together."""
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = turns
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Llama(nn.Module):
    """Embedding, layers, norm and head."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.token = nn.Parameter(torch.randn(len(TOKENS), width) * 0.1)
        self.part = nn.Parameter(torch.randn(200, width) * 0.5)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.Parameter(torch.ones(width))
        self.maps = nn.Parameter(torch.zeros(2, 64, width))
        self.head = nn.Parameter(torch.randn(len(ANSWER) + 1, width) * 0.02)
        self.register_buffer("parts", torch.tensor(parts()), persistent=False)
        pairs = torch.arange(0, width // shape.heads, 2) / (width // shape.heads)
        self.register_buffer("speeds", shape.rope_base**-pairs, persistent=False)

    def table(self) -> Tensor:
        """The embedding of every token."""
        part = torch.cat((self.part, torch.zeros(1, self.shape.width)))
        return self.token + part[self.parts].sum(1)

    def forward(self, tokens: Tensor, positions: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Hidden states [rows, length, width]: the final ones, and those that `map_logits` reads.

        `mask` [rows, 1, length, length] is 0 or -inf.
        """
        x = functional.embedding(tokens, self.table())
        angles = (positions[:, None, :, None] * self.speeds).float()
        turns = angles.cos().bfloat16(), angles.sin().bfloat16()
        passed = []
        for layer in self.layers:
            x = layer(x, turns, mask)
            passed.append(x)
        final = functional.rms_norm(x, (self.shape.width,), self.norm, self.shape.epsilon)
        return final, passed[self.shape.attacks_after - 1], passed[self.shape.moves_after - 1]

    def map_logits(self, hidden: Tensor, which: int) -> Tensor:
        """Logits of 64 squares: what is attacked (0), or may be gone to (1)."""
        normed = functional.rms_norm(hidden, (self.shape.width,), None, self.shape.epsilon)
        return product(normed, self.maps[which]).float()

    def logits(self, hidden: Tensor) -> Tensor:
        """Logits of the tokens that may be written, and last the one that all others share."""
        return product(hidden, self.head).float()


def parts() -> list[list[int]]:
    """For each token the rows of `part` that its embedding adds: piece and square, or rank and suit. 200 is none."""
    rows = {token: [200, 200] for token in TOKENS}
    for at, square in enumerate(chess.SQUARE_NAMES):
        rows[square] = [at, 200]
        for mine, owner in enumerate("+-"):
            for kind, piece in enumerate(PIECES):
                rows[f"{owner}{piece}{square}"] = [64 + at, 128 + 7 * mine + kind]
    for at, card in enumerate(DECK):
        rows[f"[{card}]"] = [150 + at // 4, 170 + at % 4]
    assert len(rows) == len(ID)
    return [rows[token] for token in TOKENS]

"""The reader model in PyTorch: a llama whose rows are one prefix and many decisions that see it and themselves alone.

So the prefix, notes and passages of hundreds of tokens, is computed once for all decisions of a row:

    prefix   [rows, told]            sees itself, from left to right
    spots    [rows, spots, length]   each sees the whole prefix of its row, and itself from left to right
"""

from dataclasses import dataclass

import torch
from llama import turned
from reading import ANSWER, ID, NUMBERS, TOKENS
from torch import Tensor, nn
from torch.nn import functional

from agzamov_verify.games.holdem.cards import DECK, RANKS

SUITS = "cdhs"
WAVES = 16
FACTS, FACTS_AFTER = 7, 3
"""Facts that training asks for at the first token of a decision, and the layer after which it does."""
COUNTS, COUNTS_AFTER = 5, 2
"""The same of each count in a note, at its last token: the share, and whose it is (flop, turn, river, any other)."""
Turns = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a model."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 384
    context: int = 8192
    rope_base: float = 10_000.0
    epsilon: float = 1e-5


class Layer(nn.Module):
    """Attention and a gated layer, each after a norm and added to the stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, inner = shape.width, shape.inner
        self.heads, self.epsilon = shape.heads, shape.epsilon
        self.attn_norm, self.ffn_norm = (nn.Parameter(torch.ones(width)) for _ in range(2))
        self.q, self.k, self.v = (nn.Parameter(torch.randn(width, width) * width**-0.5) for _ in range(3))
        self.out = nn.Parameter(torch.zeros(width, width))
        self.gate, self.up = (nn.Parameter(torch.randn(inner, width) * width**-0.5) for _ in range(2))
        self.down = nn.Parameter(torch.zeros(width, inner))

    def forward(self, x: Tensor, turns: Turns, mask: Tensor | None, past: tuple[Tensor, Tensor] | None) -> tuple:
        """The stream [rows, length, width] after this layer, and its keys and values; `past`: those of a prefix."""
        rows, length, width = x.shape
        normed = functional.rms_norm(x, (width,), self.attn_norm, self.epsilon)
        q, k, v = (
            functional.linear(normed, torch.cat((self.q, self.k, self.v)))
            .view(rows, length, 3, self.heads, -1)
            .permute(2, 0, 3, 1, 4)
        )
        q, k = turned(q, turns), turned(k, turns)
        keys, values = (k, v) if past is None else (torch.cat((past[0], k), 2), torch.cat((past[1], v), 2))
        mixed = functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask, is_causal=mask is None)
        x = x + functional.linear(mixed.transpose(1, 2).reshape(rows, length, width), self.out)
        normed = functional.rms_norm(x, (width,), self.ffn_norm, self.epsilon)
        gate, up = functional.linear(normed, torch.cat((self.gate, self.up))).chunk(2, -1)
        return x + functional.linear(functional.silu(gate) * up, self.down), (k, v)


class Reader(nn.Module):
    """Embedding, layers, norm and head; logits of the tokens that may be written, and one that all others share."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.token = nn.Parameter(torch.randn(len(TOKENS), shape.width) * 0.3)
        self.part = nn.Parameter(torch.randn(len(RANKS) + len(SUITS), shape.width) * 0.4)
        self.value = nn.Parameter(torch.randn(WAVES, shape.width) * 0.1)
        self.register_buffer("cards", card_parts(), persistent=False)
        self.register_buffer("waves", number_waves(), persistent=False)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.Parameter(torch.ones(shape.width))
        self.head = nn.Parameter(torch.randn(len(ANSWER) + 1, shape.width) * 0.02)
        self.fact = nn.Parameter(torch.zeros(FACTS, shape.width))
        self.count = nn.Parameter(torch.zeros(COUNTS, shape.width))
        pairs = torch.arange(0, shape.width // shape.heads, 2) / (shape.width // shape.heads)
        self.register_buffer("speeds", shape.rope_base**-pairs, persistent=False)

    def table(self) -> Tensor:
        """The embedding of every token: its own, with rank and suit for a card, and size for a number."""
        return self.token + self.cards @ self.part + self.waves @ self.value

    def forward(self, told: Tensor, lengths: Tensor, spots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Hidden states of the spots [rows, spots, length, width], logits of facts [rows, spots, FACTS] and of counts.

        Those of counts are [rows, told, COUNTS].

        `told` [rows, told] and `spots` [rows, spots, length] are tokens, padded at their ends; `lengths` [rows] those
        of the prefixes, where the positions of the spots begin.
        """
        rows, count, length = spots.shape
        table = self.table()
        prefix = functional.embedding(told, table)
        x = functional.embedding(spots.reshape(rows * count, length), table)
        ahead = torch.arange(told.shape[1])
        turns = self._turns(ahead.expand(rows, -1))
        each = lengths.repeat_interleave(count)
        spot_turns = self._turns(each[:, None] + torch.arange(length))
        sees = torch.zeros(rows * count, 1, length, told.shape[1] + length)
        sees[..., : told.shape[1]].masked_fill_((ahead >= each[:, None])[:, None, None], -torch.inf)
        sees[..., told.shape[1] :] += torch.full((length, length), -torch.inf).triu(1)
        for number, layer in enumerate(self.layers, 1):
            if told.shape[1]:
                prefix, (k, v) = layer(prefix, turns, None, None)
                past = k.repeat_interleave(count, 0), v.repeat_interleave(count, 0)
            x, _ = layer(x, spot_turns, sees, past if told.shape[1] else None)
            if number == COUNTS_AFTER:
                counts = functional.linear(functional.rms_norm(prefix, (self.shape.width,)), self.count)
            if number == FACTS_AFTER:
                first = functional.rms_norm(x[:, 0], (self.shape.width,), None, self.shape.epsilon)
                facts = functional.linear(first, self.fact).view(rows, count, FACTS)
        x = functional.rms_norm(x, (self.shape.width,), self.norm, self.shape.epsilon)
        return x.view(rows, count, length, -1), facts, counts

    def _turns(self, positions: Tensor) -> Turns:
        angles = positions[:, None, :, None] * self.speeds
        return angles.cos(), angles.sin()

    def logits(self, hidden: Tensor) -> Tensor:
        """Logits of ANSWER, and last the one that all others share."""
        return functional.linear(hidden, self.head)


def card_parts() -> Tensor:
    """For each token the rank and the suit that its embedding adds, as 0 and 1."""
    parts = torch.zeros(len(TOKENS), len(RANKS) + len(SUITS))
    for card in DECK:
        parts[ID[f"[{card}]"], [RANKS.index(card[0]), len(RANKS) + SUITS.index(card[1])]] = 1
    return parts


def number_waves() -> Tensor:
    """For each number waves of its logarithm (hundredths: of itself), so that numbers of like size look alike."""
    waves = torch.zeros(len(TOKENS), WAVES)
    speeds = 2.0 ** (torch.arange(WAVES // 2) / 1.5 - 1)
    for token in NUMBERS:
        size = torch.log1p(torch.tensor(float(token))) if token.startswith(" ") else torch.tensor(float(token) * 5)
        waves[ID[token]] = torch.cat(((size * speeds).sin(), (size * speeds).cos()))
    return waves

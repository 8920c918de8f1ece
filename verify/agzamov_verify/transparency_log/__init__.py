"""Transparency logs as C2SP specifies them: signed notes, checkpoints, cosignatures, tiles and proofs, read offline."""

"""Write a checkpoint as a GGUF, the same bytes each time: `python reader_export.py RUN/checkpoint.pt FILE.gguf`."""

import argparse
from pathlib import Path

import gguf
import torch
from export import Described, tensors, write
from reader_llama import Reader, Shape
from reading import ANSWER, TOKENS

HERE = Path(__file__).parent


def main() -> None:
    """Export, and record the digest beside the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--type", choices=("Q8_0", "F16", "F32"), default="Q8_0")
    options = parser.parse_args()
    saved = torch.load(options.checkpoint)
    model = Reader(Shape(**saved["shape"]))
    model.load_state_dict(saved["model"])
    print("step", saved["step"])
    of = Described("agzamov-readermodel", TOKENS, (HERE / "template.jinja").read_text())
    write(options.gguf, model.shape, of, tensors(model, len(TOKENS), ANSWER), gguf.GGMLQuantizationType[options.type])


if __name__ == "__main__":
    main()

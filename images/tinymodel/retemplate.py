"""Put template.jinja into a GGUF and leave all else as it is: `python retemplate.py tinymodel.gguf`.

The weights were trained on what the template writes, not on the prompt that it reads. So when the prompt changes and
the template writes the same of it, the file needs no training.
"""

import argparse
import hashlib
from pathlib import Path

import gguf

HERE = Path(__file__).parent
TEMPLATE = "tokenizer.chat_template"


def rewrite(path: Path, new: Path, template: str) -> None:
    """A copy of `path` with this chat template: the same fields and tensors in the same order."""
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(new, reader.fields["general.architecture"].contents())
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue  # the writer's own
        kind, *of = field.types
        value = template if field.name == TEMPLATE else field.contents()
        writer.add_key_value(field.name, value, kind, of[-1] if of else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Rewrite the file, and record the digest beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gguf", type=Path)
    path = parser.parse_args().gguf
    new = path.with_suffix(".new")
    rewrite(path, new, (HERE / "template.jinja").read_text())
    new.replace(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    print(path.stat().st_size, "bytes", digest)


if __name__ == "__main__":
    main()

"""The bytecode of each Python file in /sources.zip, by the same name in /bytecode.zip, as if it lay at that path.

The hash in each file is not checked at import, so no time of a file matters.
"""

import py_compile
import zipfile
from pathlib import Path

SOURCE, COMPILED = Path("/source.py"), Path("/source.pyc")

with zipfile.ZipFile("/sources.zip") as sources, zipfile.ZipFile("/bytecode.zip", "w") as bytecode:
    for name in sources.namelist():
        SOURCE.write_bytes(sources.read(name))
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(SOURCE), str(COMPILED), f"/{name}", doraise=True, invalidation_mode=mode)
        bytecode.writestr(name, COMPILED.read_bytes())

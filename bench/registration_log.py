"""What a log of registrations in a folder costs: building it, one proof from it, and reading all of it.

    python bench/registration_log.py [ENTRIES]

Bars, for 100,000 entries: built in less than a minute, a proof in less than 50 ms, both in CPU seconds of one core.
"""

import sys
import tempfile
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.registry.log_writer import append, create_log, proof
from agzamov_verify.transparency_log.folder_log import FolderLog

ENTRY_BYTES = 900
BUILT_S, PROOF_S = 60, 0.05


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    key = Ed25519PrivateKey.generate()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        create_log(log, "example.com/bench", key)
        begun = time.process_time()
        append(log, (b"%d " % number + bytes(ENTRY_BYTES) for number in range(count)), key)
        built = time.process_time() - begun
        begun = time.process_time()
        append(log, [b"one more"], key)
        grown = time.process_time() - begun
        begun = time.process_time()
        for index in range(0, count, count // 20):
            proof(log, index)
        proved = (time.process_time() - begun) / 20
        begun = time.process_time()
        read = sum(1 for _ in FolderLog(log).entries())
        walked = time.process_time() - begun
    print(f"{read} entries: built in {built:.2f} s, one more in {grown:.3f} s, a proof in {proved * 1000:.1f} ms,")
    print(f"read whole in {walked:.2f} s")
    sys.exit(not (built < BUILT_S and proved < PROOF_S))


if __name__ == "__main__":
    main()

"""A bare Debian 12 to type commands in: debootstrap's smallest variant, made once and kept as a tar outside of the
repository, unpacked for each use and entered by chroot in namespaces of its own.

Where packages come from is the outer machine's configuration of apt and pip, read when this runs. The name of the tar
holds Debian's point release, so that a new one makes a new tar.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

SUITE = "bookworm"
HOME = "/root"
MAKE_S, COMMAND_S = 900, 900
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
OUTER_CERTIFICATES = "/etc/ssl/outer.crt"
"""A copy inside: Debian's ca-certificates, once it is installed there, makes its own anew."""
ENVIRONMENT = re.compile(r"PIP_\w+|(https?|no|all)_proxy|SSL_CERT_FILE|REQUESTS_CA_BUNDLE", re.IGNORECASE)
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
# Nothing of the outer machine can be changed from inside: it has devices of its own, and what it shares is read-only.
ENTER = """
set -eu
root=$1; shift
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root${1%/*}" && touch "$root$1"; fi
    mount --bind "$1" "$root$1"
    mount -o remount,bind,ro "$root$1"
    shift
done
shift
exec chroot "$root" /usr/bin/env -i "$@"
"""


def unavailable(reason: str) -> NoReturn:
    """Skip the test, unless this machine must be able to make a bare Debian."""
    if os.environ.get("AGZ_REQUIRE_BARE_DEBIAN") == "1":
        pytest.fail(f"AGZ_REQUIRE_BARE_DEBIAN=1, and {reason}")
    pytest.skip(f"{reason}; no bare Debian is walked")


class BareDebian:
    """A root folder, and commands in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root, root / HOME[1:]
        pip = _pip_configuration()
        environment = {
            name: value.replace(CERTIFICATES, OUTER_CERTIFICATES)
            for name, value in os.environ.items()
            if ENVIRONMENT.fullmatch(name)
        }
        self._environment = {
            **environment,
            "HOME": HOME,
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "TERM": "dumb",
        }
        (root / "etc" / "pip.conf").write_text(pip)
        self._shared = sorted({*_paths_in(pip), *_paths_in("\n".join(environment.values()))})
        _configure_apt(root)

    def __call__(self, command: str, cwd: str = "~") -> str:
        """What a command line printed, which a shell in `cwd` must run to a good end."""
        typed = f"cd {cwd} && {command}"
        inside = (f"{name}={value}" for name, value in self._environment.items())
        done = subprocess.run(
            [*ALONE, "sh", "-c", ENTER, "sh", self.root, *self._shared, "--", *inside, "sh", "-c", typed],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=COMMAND_S,
            check=False,
        )
        assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout[-8000:]}"
        return done.stdout


@contextmanager
def bare_debian() -> Iterator[BareDebian]:
    """A fresh one, which is gone afterwards."""
    tar = _cached()
    root = Path(tempfile.mkdtemp(prefix="agz-bare-debian-"))
    try:
        subprocess.run(["tar", "-C", root, "-xf", tar], check=True, timeout=MAKE_S)
        root.chmod(0o755)  # apt downloads as a user of its own
        yield BareDebian(root)
    finally:
        shutil.rmtree(root)


def _cached() -> Path:
    """The tar, made now if it is not there."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        unavailable("expected root and debootstrap; on Debian 12: apt-get install debootstrap")
    place = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(place) / "agzamov" / "bare-debian"
    folder.mkdir(parents=True, exist_ok=True)
    tar = folder / f"{SUITE}-{_point_release()}.tar"
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tar.exists():
            _make(tar)
    return tar


def _make(tar: Path) -> None:
    root = Path(tempfile.mkdtemp(prefix="agz-debootstrap-"))
    making = tar.with_suffix(".making")
    try:
        done = subprocess.run(
            ["debootstrap", "--variant=minbase", SUITE, root, _debian()[0].split()[0]],
            capture_output=True,
            text=True,
            timeout=MAKE_S,
            check=False,
        )
        if done.returncode:
            unavailable(f"debootstrap ended with {done.returncode}: {(done.stdout + done.stderr).splitlines()[-1]}")
        subprocess.run(["tar", "-C", root, "--exclude=./dev/*", "-cf", making, "."], check=True, timeout=MAKE_S)
        making.rename(tar)
    finally:
        shutil.rmtree(root)


def _point_release() -> str:
    """The version of base-files, which is Debian's point release."""
    found = re.search(r"Candidate: ([0-9][\w.+~]*)", _printed("apt-cache", "policy", "base-files"))
    return found[1] if found else unavailable("apt knows no base-files; run apt-get update")


def _debian() -> list[str]:
    """Debian's sources that apt is configured with, as "URI suite component", the suite's own first."""
    form = "$(ORIGIN)|$(CREATED_BY)|$(REPO_URI) $(RELEASE) $(COMPONENT)"
    rows = _printed("apt-get", "indextargets", "--format", form).splitlines()
    found = sorted({row.split("|")[2] for row in rows if row.startswith("Debian|Packages|")})
    ours = [row for row in found if row.split()[1].startswith(SUITE)]
    if not any(row.split()[1:] == [SUITE, "main"] for row in ours):
        unavailable(
            f"expected apt to be configured with Debian's {SUITE}; is this Debian 12, and was apt-get update run"
        )
    return sorted(ours, key=lambda row: row.split()[1:] != [SUITE, "main"])


def _configure_apt(root: Path) -> None:
    apt = root / "etc" / "apt"
    (apt / "sources.list").write_text("".join(f"deb {row}\n" for row in _debian()))
    options = _printed("apt-config", "dump").splitlines()
    acquire = [line for line in options if line.startswith("Acquire::") and "IndexTargets" not in line]
    acquire.append(f'Acquire::https::CaInfo "{OUTER_CERTIFICATES}";')
    (apt / "apt.conf.d" / "90outer").write_text("\n".join([*acquire, ""]))
    for name in ("/etc/apt/auth.conf", "/etc/resolv.conf", "/etc/hosts"):
        _copy(name, root / name[1:])
    _copy(CERTIFICATES, root / OUTER_CERTIFICATES[1:])
    if Path("/etc/apt/auth.conf.d").is_dir():
        shutil.copytree("/etc/apt/auth.conf.d", apt / "auth.conf.d", dirs_exist_ok=True)


def _copy(name: str, target: Path) -> None:
    if Path(name).is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(name, target)


def _pip_configuration() -> str:
    """Outer pip's settings from all its files, as one file."""
    lines = ["[global]"]
    for name, value in re.findall(r"^(?:global|install)\.([\w-]+)='(.*)'$", _printed_pip(), re.MULTILINE):
        lines.append(f"{name} = {value.replace(chr(92) + 'n', chr(10) + '    ')}")
    return "\n".join([*lines, ""]).replace(CERTIFICATES, OUTER_CERTIFICATES)


def _printed_pip() -> str:
    return _printed(sys.executable, "-m", "pip", "config", "list")


def _paths_in(text: str) -> Iterator[str]:
    """Files and folders of this machine that settings name, which must be there inside too."""
    for found in re.findall(r"(?:(?<=\s)|(?<=file://)|^)(/[^/\s]\S*)", text, re.MULTILINE):
        path = Path(found)
        if path.exists() and not path.is_relative_to("/etc"):  # which has its own of everything
            yield str(path.parent if path.name == "simple" else path)  # a local index has its files beside its pages


def _printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=COMMAND_S).stdout

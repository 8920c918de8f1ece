"""The README's two commands on a Debian that has nothing else, typed by root, from a clone in root's home folder."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from journeys.bare_debian import BareDebian, bare_debian, unavailable
from journeys.test_first_ten_minutes import smaller_quickstart

ROOT = Path(__file__).parents[2]
CLONE, PLAN = "~/agzamov", "smaller.yaml"
GIVEN = "apt-get install git make python3"
README = (ROOT / "README.md").read_text()
# What broke on a bare machine: a clone under /root and another user, a llama.cpp server, engines that cannot be had.
SOME_TESTS = (
    "tests/test_tidy.py tests/harness/test_keys.py tests/harness/test_llama_server.py tests/harness/test_tinymodel.py"
    " tests/containers/test_engine_script.py tests/containers/test_topology.py tests/containers/test_run.py"
)


@pytest.mark.parametrize(
    "commands",
    [
        pytest.param(("make demo",), marks=pytest.mark.slow),
        pytest.param(("make demo", "make test"), marks=pytest.mark.exhaustive),
    ],
    ids="-".join,
)
def test_the_commands_of_the_readme_on_a_bare_debian(commands: tuple[str, ...]) -> None:
    """CI types `make test` on a machine that is nearly as bare, so here it is typed at full size alone."""
    with bare_debian() as machine:
        clones(machine)
        assert f"`{GIVEN}`" in README
        machine(f"apt-get update --quiet=2 && {GIVEN.replace('install', 'install --yes --quiet=2')}")
        given = installed(machine)
        shown = plays_the_demo(machine)
        assert installed(machine) - given <= announced("make demo")
        types_what_it_advises(machine, shown)
        if "make test" in commands:
            runs_some_tests(machine)
        assert installed(machine) - given <= set().union(*map(announced, commands))


def clones(machine: BareDebian) -> None:
    """This checkout with what is not committed yet, as a clone."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        unavailable("expected git and a clone")
    clone = machine.home / "agzamov"
    git("clone", "--quiet", "--no-hardlinks", ROOT, clone)
    for name in git("ls-files", "-z", "--modified", "--others", "--exclude-standard").split("\0")[:-1]:
        (clone / name).unlink(missing_ok=True)
        if (ROOT / name).exists():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    (clone / PLAN).write_text(smaller_quickstart())


def git(*arguments: str | Path) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", ROOT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def installed(machine: BareDebian) -> set[str]:
    return set(machine("apt-mark showmanual").split())


def announced(command: str) -> set[str]:
    """The packages that the README says a command installs."""
    found = re.search(rf"`{command}` installs ((?:`[a-z0-9-]+`(?:, | and )?)+)\s+from\s+Debian", README)
    assert found, f"README.md: say what `{command}` installs from Debian"
    return set(re.findall("`(.*?)`", found[1]))


def plays_the_demo(machine: BareDebian) -> str:
    shown = machine(f"make demo PLAN={PLAN}", CLONE)
    assert "The record is consistent: level V1" in shown
    assert f"$ .venv/bin/agzamov run {PLAN} --key keys/demo.pem" in shown
    assert machine("du --summarize --block-size=1M .venv", CLONE).split()[0] < "300", "MiB"
    return shown


def types_what_it_advises(machine: BareDebian, shown: str) -> None:
    by_verify = re.search(r"^Next +(.*?)\n\n", shown, re.MULTILINE | re.DOTALL)
    assert by_verify
    lines = (" ".join(line.partition("# ")[0].split()) for line in by_verify[1].replace("\\\n", " ").splitlines())
    commands = list(filter(None, lines))
    commands += re.findall(r"^  (sh docs/check-by-hand\.sh .*)$", shown, re.MULTILINE)
    assert [command.split()[0] for command in commands] == [*[".venv/bin/agzamov"] * 3, "sh"]
    assert re.search(r"^Next +open in a browser: file:///.*/index\.html$", shown, re.MULTILINE)
    report, *others = commands
    assert report.split()[1] == "report", "the demo has written it"
    game, details, by_hand = (machine(command, CLONE) for command in others)
    assert "Result: " in game
    assert len(details) > len(shown) / 2
    assert "ok    signature" in by_hand


def runs_some_tests(machine: BareDebian) -> None:
    """All that `make test` does, with some of the tests."""
    shown = machine(f"make test TESTS='{SOME_TESTS}'", CLONE)
    assert re.search(r"\d+ passed", shown)
    assert " failed" not in shown
    assert " error" not in shown.splitlines()[-1]
    reasons = [line for line in shown.splitlines() if line.startswith("SKIPPED")]
    assert any("AGZ_REQUIRE_ENGINE=1 make test" in line for line in reasons), "say how to have these tests too"
    machine("! command -v dockerd && ! command -v iptables")

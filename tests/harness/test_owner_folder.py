"""The owner's folder is never below the present one, which may be a stranger's."""

from pathlib import Path

import pytest

from agzamov_harness.foundation.owner_folder import NOWHERE, owner_folder


def test_the_folder_is_that_of_the_environment_or_below_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert owner_folder() == tmp_path / ".config" / "agzamov"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    assert owner_folder() == tmp_path / "own" / "agzamov"


@pytest.mark.parametrize("value", ["", "relative"])
def test_an_empty_or_relative_folder_counts_as_unset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """A plan folder with an agzamov/started-programs.json consented for itself."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", value)
    assert owner_folder() == tmp_path / ".config" / "agzamov"


def test_an_account_without_a_home_has_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("click.get_app_dir", lambda _: "~/.config/agzamov")

    def unknown(_: object = None) -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", unknown)
    assert owner_folder() == NOWHERE

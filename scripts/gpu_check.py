"""What only a GPU can show: `make gpu-check` runs it wherever there is one, with weights at hand.

    python scripts/gpu_check.py [CONFIG ...] [--minutes 30] [--out gpu-check] [--json]

Each CONFIG is a configuration of a model, by name or path; without any, those of the organisers'
baselines are taken. The checks, of which each has one line (ok, failed, or could not run and why):

gpu       there is one; without it nothing else is tried, unless ``--on-cpu`` says so
load      the model is loaded and answers; seconds, memory and the settings in effect are noted
argmax    greedy decoding equals an argmax loop written by hand, where the backend allows it
recipe    the built-in problems are solved by the whole recipe within the time limit, and scored

What libraries print, and how a check failed in full, is in ``OUT/CONFIG.log``; beside it are
``CONFIG.csv``, ``CONFIG.json`` (the run's record) and ``summary.json``, which ``--json`` prints.

The exit code is 0 where everything held that could be tried, 1 where something did not, 2 where
nothing could be tried.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from iolai.errors import IolaiError
from iolai.evaluation import read_builtin, solve
from iolai.formats import write_submission_csv
from iolai.metrics import score_predictions
from iolai.solvers.llm.backends.registry import open_backend
from iolai.solvers.llm.config_file import load_config
from iolai.solvers.llm.request import Message, Request

BASELINES = ("qwen2.5-14b-awq", "qwen2.5-7b", "qwen2.5-1.5b", "tiny-aya")
OK, FAILED, COULD_NOT = "ok", "failed", "could not run"
N_TOKENS = 64
#: A run may end a little after its limit: the last step, the last file.
GRACE_S = 15.0
_MAX_WHY = 200


class CouldNotError(Exception):
    """Why a check could not be tried here."""


@dataclass
class Check:
    """One check of one configuration: ok, failed or could not run, with what was seen."""

    name: str
    config: str = ""
    state: str = OK
    why: str = ""
    seen: dict[str, Any] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """One line for people."""
        named = f"{self.config} {self.name}".strip()
        seen = ", ".join(f"{k} {v}" for k, v in self.seen.items() if not isinstance(v, dict | list))
        return f"{named}: {self.state}" + "".join(f": {part}" for part in (self.why, seen) if part)


def main() -> int:
    """Make every check; return the exit code."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    checks: list[Check] = []
    for check in _all_checks(options):
        checks.append(check)
        if not options.json:
            print(check.line, flush=True)
    code = 1 if any(c.state == FAILED for c in checks) else 0
    if not any(check.state == OK for check in checks if check.name != "gpu"):
        code = code or 2
    summary = json.dumps({"exit_code": code, "checks": [asdict(c) for c in checks]}, indent=2)
    (options.out / "summary.json").write_text(summary + "\n", encoding="utf-8")
    print(summary if options.json else f"exit code {code}; more in {options.out}/")
    return code


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("configs", nargs="*", help="configurations, by name or path")
    parser.add_argument("--minutes", type=float, default=30.0, help="time limit of each run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("gpu-check"))
    parser.add_argument("--on-cpu", action="store_true", help="go on where there is no GPU")
    parser.add_argument("--json", action="store_true", help="print summary.json, nothing else")
    return parser.parse_args()


def _all_checks(options: argparse.Namespace) -> Iterator[Check]:
    gpu = _tried(Check("gpu"), _check_gpu)
    yield gpu
    is_tried = gpu.state == OK or options.on_cpu
    for name in options.configs or BASELINES:
        yield from _checks_of(name, options, "" if is_tried else "no GPU")


def _checks_of(name: str, options: argparse.Namespace, why: str) -> Iterator[Check]:
    """Make the checks of one configuration; ``why`` says why none of them could run."""
    short = Path(name).name.removesuffix(".toml").removesuffix(".json")
    for check_name, run in _RUNS.items():
        check = Check(check_name, short, COULD_NOT, why)
        if not why:
            check.state = OK
            with _quiet(options.out / f"{short}.log"):
                _tried(check, partial(run, name=name, options=options))
        if check_name == "load" and check.state != OK:
            why = why or "the model was not loaded"
        yield check


@contextlib.contextmanager
def _quiet(log: Path) -> Iterator[None]:
    """Send what is printed, by libraries in other languages too, to a file."""
    sys.stdout.flush()
    kept = [os.dup(1), os.dup(2)]
    try:
        with log.open("ab") as stream:
            os.dup2(stream.fileno(), 1)
            os.dup2(stream.fileno(), 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for place, number in enumerate(kept, 1):
            os.dup2(number, place)
            os.close(number)


def _tried(check: Check, run: Callable[[Check], None]) -> Check:
    """Run a check; whatever goes wrong on an unknown machine, the rest goes on."""
    try:
        run(check)
    except CouldNotError as error:
        check.state, check.why = COULD_NOT, _short(str(error))
    except IolaiError as error:
        # What cannot be loaded is not there; what was loaded and then fails is a fault.
        check.state = COULD_NOT if check.name == "load" else FAILED
        check.why = _short(error.message)
        print(f"{error.message}\n{error.hint}")
    except Exception as error:
        check.state, check.why = FAILED, _short(f"{type(error).__name__}: {error}")
        traceback.print_exc()
    return check


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_WHY else f"{text[:_MAX_WHY]}…"


def _check_gpu(check: Check) -> None:
    """See a GPU, through torch or the driver's own command."""
    try:
        import torch
    except ImportError:
        check.seen["torch"] = "not installed"
        check.seen["gpu"] = _named_by_driver()
        return
    check.seen["torch"] = torch.__version__
    if not torch.cuda.is_available():
        raise CouldNotError("torch sees no GPU")
    properties = torch.cuda.get_device_properties(0)
    check.seen["gpu"] = properties.name
    check.seen["memory_gib"] = round(properties.total_memory / 2**30, 1)


def _named_by_driver() -> str:
    try:
        found = subprocess.run(
            ["nvidia-smi", "-L"],  # noqa: S607 - it stands where the driver puts it
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CouldNotError("there is no torch and no nvidia-smi that sees a GPU") from error
    return found.stdout.partition(" (UUID")[0]


def _check_load(check: Check, name: str, options: argparse.Namespace) -> None:
    """Load the model and ask it once."""
    del options  # of the recipe alone
    start = time.monotonic()
    backend: Any = open_backend(load_config(name))
    check.seen["seconds"] = round(time.monotonic() - start, 1)
    completion = backend.generate(_request())
    check.seen["tokens_per_second"] = round(completion.tokens_per_second, 1)
    check.seen["settings"] = dict(completion.settings)
    _note_memory(check)
    backend.close()
    _free()


def _check_argmax(check: Check, name: str, options: argparse.Namespace) -> None:
    """Compare greedy decoding with the argmax loop."""
    del options
    backend: Any = open_backend(load_config(name))
    try:
        if not hasattr(backend, "argmax_text"):
            raise CouldNotError("this backend shows no logits; its tests compare on a CPU")
        greedy, by_hand = backend.generate(_request()).text, backend.argmax_text(_request())
        if by_hand != greedy:
            check.state, check.why = FAILED, "greedy decoding is not the argmax loop's"
            check.seen["texts"] = [greedy, by_hand]
    finally:
        backend.close()
        _free()


def _request() -> Request:
    return Request((Message("user", "Count from one to twenty in words."),), max_tokens=N_TOKENS)


def _check_recipe(check: Check, name: str, options: argparse.Namespace) -> None:
    """Solve the built-in problems within the limit; score what came out."""
    from iolai.cli.solving_record import RunRecord

    problems, key = read_builtin()
    limit = 60 * options.minutes
    run = RunRecord(f"llm:{name}", options.seed, limit)
    n_written = 0
    for state in solve(problems, f"llm:{name}", seed=options.seed, time_limit=limit):
        write_submission_csv(options.out / f"{check.config}.csv", state.predictions)
        n_written += 1
    run.write(options.out / f"{check.config}.json", state)
    check.seen["seconds"] = round(run.seconds, 1)
    check.seen["score"] = round(score_predictions(state.predictions, key).overall.score, 4)
    check.seen["run"] = [run.summary(state)]
    _note_memory(check)
    faults = []
    if run.seconds > limit + GRACE_S:
        faults.append(f"the run took {run.seconds:.0f} s of {limit:.0f} s")
    if state.failed:
        faults.append(f"failed: {state.failed}")
    if n_written < 2:
        faults.append("nothing but placeholders was written")
    if faults:
        check.state, check.why = FAILED, _short("; ".join(faults))


_RUNS = {"load": _check_load, "argmax": _check_argmax, "recipe": _check_recipe}


def _note_memory(check: Check) -> None:
    try:
        import torch
    except ImportError:
        return
    if torch.cuda.is_available():
        peak = torch.cuda.max_memory_reserved() / 2**30
        check.seen["peak_memory_gib"] = round(peak, 2)


def _free() -> None:
    import gc

    gc.collect()
    try:
        import torch
    except ImportError:
        return
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())

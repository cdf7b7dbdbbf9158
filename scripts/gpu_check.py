"""What only a GPU can show: `make gpu-check` runs it wherever there is one, with weights at hand.

    python scripts/gpu_check.py [CONFIG ...] [--minutes 30] [--out gpu-check]

Each CONFIG is a configuration of a model, by name or path; without any, those of the organisers'
baselines that can be loaded here are taken. For each of them it

1. loads the model and notes the seconds, the memory that it takes and the settings in effect;
2. compares greedy decoding with an argmax loop written by hand, where the backend allows it;
3. solves the built-in problems with the whole recipe within the time limit, and scores them;
4. writes ``CONFIG.csv`` and ``CONFIG.json`` (the run's record) and a line to ``summary.json``.

The exit code is 0 where everything held that could be tried, 1 where something did not, 2 where
there was nothing to try. What could not be loaded is named with the reason, and is no failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from dataclasses import dataclass, field
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
N_TOKENS = 64
#: A run may end a little after its limit: the last step, the last file.
GRACE_S = 15.0


@dataclass
class Finding:
    """What was seen of one configuration; ``faults`` are what did not hold."""

    config: str
    state: str = "not loaded"
    seen: dict[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def main() -> int:
    """Check every configuration; return the exit code."""
    options = _options()
    print(json.dumps(_machine()))
    findings = [_checked(name, options) for name in options.configs or BASELINES]
    for finding in findings:
        print(f"{finding.config}: {finding.state} {json.dumps(finding.seen)}")
        for fault in finding.faults:
            print(f"    FAULT {fault}")
    options.out.mkdir(parents=True, exist_ok=True)
    summary = {"machine": _machine(), "findings": [vars(finding) for finding in findings]}
    (options.out / "summary.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")
    if all(finding.state == "not loaded" for finding in findings):
        print("nothing could be loaded, so nothing was checked")
        return 2
    return 1 if any(finding.faults for finding in findings) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("configs", nargs="*", help="configurations, by name or path")
    parser.add_argument("--minutes", type=float, default=30.0, help="time limit of each run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("gpu-check"))
    return parser.parse_args()


def _machine() -> dict[str, Any]:
    """Return the GPU's name and memory in GiB, as torch sees them; empty without torch."""
    try:
        import torch
    except ImportError:
        return {"torch": None}
    if not torch.cuda.is_available():
        return {"torch": torch.__version__, "gpu": None}
    properties = torch.cuda.get_device_properties(0)
    memory = round(properties.total_memory / 2**30, 1)
    return {"torch": torch.__version__, "gpu": properties.name, "memory_gib": memory}


def _checked(name: str, options: argparse.Namespace) -> Finding:
    finding = Finding(Path(name).name.removesuffix(".toml").removesuffix(".json"))
    try:
        _check_decoding(name, finding)
        _check_recipe(name, finding, options)
        finding.state = "faulty" if finding.faults else "sound"
    except IolaiError as error:
        reason = f"{error.message} ({error.hint})"
        if finding.state == "not loaded":
            finding.seen["reason"] = reason
        else:
            finding.faults.append(reason)
    except Exception:  # whatever goes wrong on an unknown machine, the rest goes on
        finding.faults.append(traceback.format_exc())
        finding.state = "faulty"
    return finding


def _check_decoding(name: str, finding: Finding) -> None:
    """Load the model, ask it once, and compare with the argmax loop."""
    start = time.monotonic()
    backend: Any = open_backend(load_config(name))
    finding.state = "loaded"
    finding.seen["seconds_to_load"] = round(time.monotonic() - start, 1)
    request = Request((Message("user", "Count from one to twenty in words."),), max_tokens=N_TOKENS)
    completion = backend.generate(request)
    finding.seen["settings"] = dict(completion.settings)
    finding.seen["tokens_per_second"] = round(completion.tokens_per_second, 1)
    if hasattr(backend, "argmax_text"):
        by_hand = backend.argmax_text(request)
        finding.seen["greedy_is_argmax"] = by_hand == completion.text
        if by_hand != completion.text:
            finding.faults.append(
                f"greedy {completion.text!r} is not the argmax loop's {by_hand!r}"
            )
    _note_memory(finding)
    backend.close()
    del backend
    _free()


def _check_recipe(name: str, finding: Finding, options: argparse.Namespace) -> None:
    """Solve the built-in problems within the limit; score what came out."""
    from iolai.cli.solving_record import RunRecord

    problems, key = read_builtin()
    limit = 60 * options.minutes
    run = RunRecord(f"llm:{name}", options.seed, limit)
    out = options.out / f"{finding.config}.csv"
    n_written = 0
    for state in solve(problems, f"llm:{name}", seed=options.seed, time_limit=limit):
        write_submission_csv(out, state.predictions)
        n_written += 1
        print(run.line(state), end="\r", flush=True)
    run.write(options.out / f"{finding.config}.json", state)
    finding.seen["run"] = run.summary(state)
    finding.seen["score"] = score_predictions(state.predictions, key).overall.score
    _note_memory(finding)
    if run.seconds > limit + GRACE_S:
        finding.faults.append(f"the run took {run.seconds:.0f} s of {limit:.0f} s")
    if state.failed:
        finding.faults.append(f"failed: {state.failed}")
    if n_written < 2:
        finding.faults.append("nothing but placeholders was written")


def _note_memory(finding: Finding) -> None:
    try:
        import torch
    except ImportError:
        return
    if torch.cuda.is_available():
        peak = torch.cuda.max_memory_reserved() / 2**30
        finding.seen["peak_memory_gib"] = round(peak, 2)


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

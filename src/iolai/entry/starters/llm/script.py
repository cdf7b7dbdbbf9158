"""An entry around a language model: the recipe is in vendor/, as source, and set in model.json.

The weights that model.json names are in weights/, libraries that the sandbox lacks in wheels/:
README.md says what to put there. Without them nothing but placeholders is written.

Placeholders are written before the model is loaded. Then all problems are worked on side by side:
each has its first answers before any is sampled, and submission.csv is replaced whole after each
step. What a problem leaves of its share of the time goes to the others.

It needs Python 3.10. To try it by hand: python script.py some-test.csv
"""

import csv
import json
import os
import re
import signal
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TEST_CSV = sys.argv[1] if len(sys.argv) > 1 else "/tmp/data/test.csv"
OUTPUT = "submission.csv"

# The limit of the challenge in seconds, or of a rehearsal. The clock starts before this file does,
# so keep a reserve. Solvers stop by themselves at the DEADLINE; whatever does not is interrupted
# at the ALARM, within the reserve.
TIME_LIMIT_S = float(os.environ.get("IOLAI_WALL_S", "1800"))
RESERVE_S = min(60, max(TIME_LIMIT_S / 10, 4), TIME_LIMIT_S / 4)
DEADLINE = time.monotonic() + TIME_LIMIT_S - RESERVE_S
ALARM = DEADLINE + min(10, RESERVE_S / 2)

# Libraries that the sandbox lacks travel as wheels; they are unpacked where there is room.
WHEELS = os.path.join(HERE, "wheels")
UNPACKED = "/tmp/wheels"
sys.path[:0] = [os.path.join(HERE, "vendor"), UNPACKED]


def read_rows(path):
    """Return the rows of the test set: id, context, query, work_lang, task_lang, ..."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write(rows):
    """Replace submission.csv in one step, so that it is complete at every moment."""
    part = OUTPUT + ".part"
    with open(part, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "pred", "explanation"), *rows])
    os.replace(part, OUTPUT)


def unpack_wheels():
    """Make the libraries that came along importable."""
    for name in sorted(os.listdir(WHEELS)) if os.path.isdir(WHEELS) else []:
        if name.endswith(".whl"):
            zipfile.ZipFile(os.path.join(WHEELS, name)).extractall(UNPACKED)


def as_task(row):
    """Return a row of the test set as the solvers take it."""
    from iolai.records import Task

    names = ("id", "context", "query", "task_type", "eval_type", "work_lang")
    languages = tuple(re.findall(r"\w+", row["task_lang"]))
    return Task(task_lang=languages, **{name: row[name] for name in names})


def as_rows(answers):
    """Return the rows of submission.csv for the answers to all problems."""
    return [(t.id, t.prediction.text, t.explanation) for tasks in answers for t in tasks]


def is_done(turn, stages):
    """Say whether a problem came to its end; an explanation that the clock cut is one, too."""
    is_explained = turn.stage == len(stages) - 1 and any(task.explanation for task in turn.answer)
    return turn.state == "solved" or (turn.state == "out of time" and is_explained)


def solve(problems, answers, progress):
    """Put better answers into ``answers`` and write them, all problems side by side.

    ``progress`` becomes, for each problem, the stage it is in, or "done".
    """
    from iolai.solvers import get_solver, interleave

    solver = get_solver("llm:" + os.path.join(HERE, "model.json"))
    solver.open(DEADLINE)
    print(json.dumps(solver.describe()["settings"]), flush=True)
    stages = ("placeholders", *solver.config.stages)
    furthest = 0
    for turn in interleave(solver, problems, range(len(problems)), end=DEADLINE, hand_on=True):
        progress[turn.index] = "done" if is_done(turn, stages) else stages[turn.stage]
        if turn.stage > furthest:
            furthest = turn.stage
            print(f"stage {stages[furthest]} begins", flush=True)
        if turn.error:  # one hard problem must not cost the others
            print(f"problem {turn.index + 1}: {turn.error!r}", flush=True)
        if turn.answer and turn.answer != answers[turn.index]:
            answers[turn.index] = turn.answer
            write(as_rows(answers))
        if turn.state != "going on":
            cost = solver.records.get(problems[turn.index].id, {})
            spent = f"{cost.get('n_tokens', 0)} tokens in {cost.get('seconds', 0)} s"
            print(f"problem {turn.index + 1} {turn.state}: {spent}", flush=True)
            for why, n_calls in cost.get("failures", {}).items():
                print(f"problem {turn.index + 1}, {n_calls} calls failed: {why}", flush=True)


def stopped(why, progress):
    """Say in one line that the file is a partial one; iolai entry run looks for its first word."""
    counts = {stage: progress.count(stage) for stage in progress}
    reached = ", ".join(f"{n} {stage}" for stage, n in counts.items()) or "none begun"
    why = " ".join(str(why).split())[:300]
    print(f"STOPPED, only the answers so far stand: {why}; problems: {reached}", flush=True)


def main():
    rows = read_rows(TEST_CSV)
    write((row["id"], json.dumps([row["query"]]), "") for row in rows)
    print(f"{len(rows)} tasks, placeholders written", flush=True)
    # What fails or takes long from here on leaves the file above. At the alarm the clock
    # interrupts whatever runs, again and again: other languages' code may lose an interrupt.
    answers, progress = [], []
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, max(0.001, ALARM - time.monotonic()), 3)
    try:
        unpack_wheels()
        from iolai.records import group_tasks
        from iolai.solvers import Budget, get_solver

        problems = group_tasks(as_task(row) for row in rows)
        answers += [list(get_solver("identity").solve(p, Budget()))[-1] for p in problems]
        write(as_rows(answers))
        progress += ["placeholders"] * len(problems)
        solve(problems, answers, progress)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if any(stage != "done" for stage in progress):
            stopped("the time is up, or a problem failed", progress)
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if answers:
            write(as_rows(answers))
        stopped("the time is up", progress)
    except Exception as error:  # no weights, no library: the answers so far stand
        if not answers:
            raise
        stopped(repr(error), progress)


if __name__ == "__main__":
    main()

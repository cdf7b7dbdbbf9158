"""A whole small study, run once a session: a baseline, two simulated models, entries, a jury."""

from __future__ import annotations

from pathlib import Path

STUDY = """
title = "A small study <of> two"
[problems]
only = ["1000104", "1000109", "1000112"]
LICENCE
[ask]
conditions = ["best", "best+explanation", "best+ablated"]
seeds = [0, 1]
word_probes = 1
[format]
among = ["lines", "json"]
problems = 1
[statistics]
resamples = 300
[beside]
entries = "entries.csv"
jury = "jury.csv"
[[models]]
name = "nearest"
model = "iolai/nearest"
tier = "baseline"
seeds = [0]
[[models]]
name = "able"
simulated = { ability = 2.0, knows = 1.0, effects = { json = -4.0, ablated = -3.0 } }
[[models]]
name = "poor"
simulated = { ability = -2.0, effects = { lines = -4.0 } }
"""
ENTRIES = "name,team,public,private\nfirst run,Team Okapi,20,21\n"
JURY = (
    "contestant,problem,jury,automatic,kind\n"
    "Team Okapi,1000104,50,40,system\nQuagga,1000104,70,,people\n"
)


def write_study(folder: Path, licence: str = 'licence = "Apache-2.0"') -> Path:
    (folder / "study.toml").write_text(STUDY.replace("LICENCE", licence), encoding="utf-8")
    (folder / "entries.csv").write_text(ENTRIES, encoding="utf-8")
    (folder / "jury.csv").write_text(JURY, encoding="utf-8")
    return folder

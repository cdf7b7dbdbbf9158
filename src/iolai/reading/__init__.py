"""How a prediction's text becomes items: the official reading, and the lenient one beside it."""

from iolai.reading.case import ScoreItem
from iolai.reading.diagnostics import Slot, TaskCheck, diagnose
from iolai.reading.endings import ends_unfinished
from iolai.reading.findings import KINDS, WRITING, Cost, Finding, Kind
from iolai.reading.items import Option, as_read, read_items, read_options, read_options_text
from iolai.reading.lenient import LenientReading, Step, read_lenient
from iolai.reading.official import OfficialReading, read_official

__all__ = [
    "KINDS",
    "WRITING",
    "Cost",
    "Finding",
    "Kind",
    "LenientReading",
    "OfficialReading",
    "Option",
    "ScoreItem",
    "Slot",
    "Step",
    "TaskCheck",
    "as_read",
    "diagnose",
    "ends_unfinished",
    "read_items",
    "read_lenient",
    "read_official",
    "read_options",
    "read_options_text",
]

"""How a prediction's text becomes items: the official reading, and the lenient one beside it."""

from iolai.reading.items import Option, read_items, read_options, read_options_text
from iolai.reading.official import OfficialReading, read_official

__all__ = [
    "OfficialReading",
    "Option",
    "read_items",
    "read_official",
    "read_options",
    "read_options_text",
]

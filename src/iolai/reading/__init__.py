"""How a prediction's text becomes items: the official reading, and the lenient one beside it."""

from iolai.reading.official import OfficialReading, read_official

__all__ = ["OfficialReading", "read_official"]

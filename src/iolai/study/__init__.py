"""Studies: many calls to models in one long table, and what is worked out from it."""

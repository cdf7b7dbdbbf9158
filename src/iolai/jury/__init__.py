"""The jury: who marks what, which marks count, and what is found out from them. Pure rules.

No clock, no store: everything is computed from the records handed in. Each module is imported
by its own name (``iolai.jury.assigning``), so that one does not load what another needs.
"""

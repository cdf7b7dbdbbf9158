"""The challenge service: submit, run, score, rank, as rules and durable work over the store."""

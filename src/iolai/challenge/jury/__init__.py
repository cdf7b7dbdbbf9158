"""The jury's work on a challenge: rubrics, papers, jurors, marks, talk, results.

Each module is one thing people do, and each of its functions asks ``permissions.require`` first.
Only ``sealing`` opens the list that says whose paper is whose.
"""

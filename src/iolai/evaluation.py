"""Joins the rooms: solve, read and score."""

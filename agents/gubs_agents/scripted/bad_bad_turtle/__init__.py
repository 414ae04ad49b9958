"""Scripted agents for Bad, Bad, Turtle."""

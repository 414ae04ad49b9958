"""Scripted agents for Gubs."""

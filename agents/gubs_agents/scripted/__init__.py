"""Agents written by hand."""

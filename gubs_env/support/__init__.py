"""Checks of arguments, files, errors, locks, time limits and processes, for all packages."""

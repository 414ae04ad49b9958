"""Numba, and all that leans on it: machine code for functions of the rules; private."""

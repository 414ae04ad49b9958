"""Search: Monte Carlo search and ISMCTS, with their playouts and beliefs."""

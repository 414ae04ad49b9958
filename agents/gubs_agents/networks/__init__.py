"""Networks: their files, architectures, and compiled forward pass."""

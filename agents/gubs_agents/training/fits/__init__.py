"""Networks fitted to targets: imitation, compared actions, beliefs."""

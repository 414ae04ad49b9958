"""Players of FUBNUB by rule."""

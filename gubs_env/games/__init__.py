"""The rules of each game, compiled. Nothing here knows PettingZoo, agents or a screen."""

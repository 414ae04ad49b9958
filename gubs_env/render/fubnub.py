"""FUBNUB in words."""
def describe(view, colour=False): return ""
def narrate(before, action, after, viewer): return []

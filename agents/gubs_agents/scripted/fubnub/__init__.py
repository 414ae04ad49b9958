"""Scripted agents for FUBNUB."""

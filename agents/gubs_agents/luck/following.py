"""The compiled loops over many games, written once for all games."""

from __future__ import annotations

from gubs_env._compiler.templates import Placeholder, Templates

templates = Templates()
deal = Placeholder("deal")
follow = Placeholder("follow")


@templates.entry_template
def follow_deals(states, after, tracks, starting_players, events, most, first):
    """Deal games from their RNGs and write the events of the deals.

    Args:
        states: STATE[count], before the deal, overwritten.
        after: STATE[count], after it.
        tracks: int8[count, …]: what is remembered between decisions, written.
        starting_players: int64[count], each a seat or ANY_PLAYER.
        events: `Events`, written from 0 on.
        most: the most events of a deal.
        first: the first game.

    Returns:
        The number of events, and the game at which there was no more room.
    """
    at = 0
    for index in range(first, len(states)):
        if at + most > len(events.games):
            return at, index
        before = at
        at = deal(states[index], after[index], tracks[index], starting_players[index], events, at)
        events.games[before:at] = index
    return at, len(states)


@templates.entry_template
def follow_steps(states, after, tracks, rows, actions, events, most, first):
    """Write the events of one decision in each of some games.

    Args:
        states: STATE[count], copies of the states before the decisions, overwritten.
        after: STATE[count], the states after them.
        tracks: int8[count, …], brought up to date.
        rows: int64[…], the games in which a decision was made.
        actions: int64[…], the actions in these.
        events, most: as for `follow_deals`.
        first: the first row.

    Returns:
        The number of events, and the row at which there was no more room.
    """
    at = 0
    for number in range(first, len(rows)):
        if at + most > len(events.games):
            return at, number
        index, before = rows[number], at
        at = follow(states[index], after[index], tracks[index], actions[number], events, at)
        events.games[before:at] = index
    return at, len(rows)

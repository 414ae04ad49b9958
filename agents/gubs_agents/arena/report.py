"""The report of a tournament in Markdown: report.md, times.md and the leaderboards of the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gubs_agents.arena.field import description
from gubs_agents.arena.held_out import HeldOut
from gubs_agents.arena.measures import WinRate, fair_share
from gubs_agents.arena.ratings import Interval
from gubs_agents.arena.seatings import MOST_PLAYERS_PERMUTED, duels, mixed_tables
from gubs_agents.arena.tournaments import Result
from gubs_agents.arena.turn_order import SeatShares
from gubs_env.engine.table import Table
from gubs_env.support import markdown as md


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign, the minus as "−", and zero without a sign."""
    text = f"{value:+.{digits}f}"
    return (text if float(text) else f"{0:.{digits}f}").replace("-", "−")


def whole(value: float) -> str:
    return signed(value, 0)


def cell(numbers: Interval, *index: int, write: Callable[[float], str] = signed) -> str:
    """Return one estimate with its interval in words, or a dash if there is none."""
    value, low, high = (part[index] for part in numbers)
    return "–" if np.isnan(value) else f"{write(value)} ({write(low)} … {write(high)})"


def ranking(result: Result) -> list[int]:
    """Return the indices of the agents, best first."""
    return np.argsort(-result.numbers.rating.value, kind="stable").tolist()


def ranked_table(result: Result, columns: Mapping[str, Sequence[str]]) -> str:
    """Return a table of the agents, best first; a column holds the cells in this order."""
    order = ranking(result)
    places = [str(place) for place in range(1, len(order) + 1)]
    rows = zip(places, [result.labels[k] for k in order], *columns.values(), strict=True)
    return md.table(["", "agent", *columns], rows)


def column(result: Result, numbers: Interval, write: Callable[[float], str] = signed) -> list[str]:
    """Return the estimates of all agents with their intervals, best first."""
    return [cell(numbers, k, write=write) for k in ranking(result)]


def results_column(result: Result, shares: Interval, payoffs: Interval) -> list[str]:
    """Return the column of the win rates, or of the payoffs where these count."""
    wins = result.plan.measure.counts_wins
    return column(result, shares, WinRate.write) if wins else column(result, payoffs)


def ratings_table(result: Result) -> str:
    numbers, measure, order = result.numbers, result.plan.measure, ranking(result)
    fair = measure.fair(result.table.num_sides)
    columns = {"rating": column(result, numbers.rating, whole)}
    if measure.counts_wins:
        columns[f"win rate ({fair})"] = column(result, numbers.share, WinRate.write)
        columns["wins"] = [WinRate.write(numbers.win.value[k]) for k in order]
    columns["payoff"] = column(result, numbers.payoff)
    columns["margin"] = column(result, numbers.margin)
    columns["decisions a game"] = [f"{numbers.decisions.value[k]:.1f}" for k in order]
    if result.has_mixed:
        mixed = results_column(result, numbers.mixed_share, numbers.mixed)
        columns[f"{measure.name} at mixed tables ({fair})"] = mixed
    return ranked_table(result, columns)


def square_table(result: Result, numbers: Interval, corner: str) -> str:
    order = ranking(result)
    rows = [[result.labels[k], *(cell(numbers, k, other) for other in order)] for k in order]
    return md.table([corner, *(result.labels[k] for k in order)], rows)


def duel_words(num_sides: int) -> str:
    """Return what a cell of the payoff matrix is, in a sentence."""
    if num_sides == 2:
        return "Mean payoff of the row's agent against the column's agent."
    return (
        f"Mean payoff of one copy of the row's agent at a table with {num_sides - 1} copies of the "
        "column's agent."
    )


def seat_shares_table(shares: Mapping[str, SeatShares]) -> str:
    """Return the results in turn order, for agents that each play against themselves."""
    first = next(iter(shares.values()))
    num_sides, measure = len(first.share.value), first.measure
    head = [f"{measure.name} of ({measure.fair(num_sides)})", "first to decide"]
    head += [f"place {place} in turn order" for place in range(2, num_sides + 1)]
    rows = [
        [
            label,
            *(cell(each.share, side, write=measure.write) for side in range(num_sides)),
            f"{each.nobody:.1%}",
        ]
        for label, each in shares.items()
    ]
    if not any(each.nobody > 0.0005 for each in shares.values()):
        return md.table(head, [row[:-1] for row in rows])
    return md.table([*head, "nobody"], rows)


def held_out_table(found: Mapping[str, HeldOut], fair: str) -> str:
    """Return the results of agents against the same held-out opponents, and against the anchors.

    Args:
        found: the results by agent.
        fair: what equally strong agents get, in words.
    """
    name = next(iter(found.values())).measure.name
    head = [f"{name} of ({fair})", "held-out, over opponents and deals", "anchors, over deals only"]
    rows = ([label, str(each.result), str(each.anchors)] for label, each in found.items())
    return md.table(head, rows)


def seat_table(result: Result) -> str:
    """Return the payoffs by seat; with partners by team, as "seat 0 + 2"."""
    sides, numbers, seats = result.table.sides, result.numbers, range(result.table.num_sides)
    rows = [["all", *(cell(numbers.seat, seat) for seat in seats)]]
    for k in ranking(result):
        rows.append([result.labels[k], *(cell(numbers.agent_seat, k, seat) for seat in seats)])
    names = [" + ".join(map(str, np.flatnonzero(sides == seat))) for seat in seats]
    return md.table(["payoff of", *(f"seat {name}" for name in names)], rows)


def protocol(result: Result) -> str:
    """Return a paragraph that says which deals and matches were played."""
    plan, n, m = result.plan, result.table.num_sides, len(result.labels)
    last = plan.seed + plan.deals - 1
    pairs, mixed = duels(m, n), mixed_tables(m, n, plan.seed)
    text = f"{plan.table.game.name}, {plan.table.num_players} players"
    text += f" in {n} teams" * (n < plan.table.num_players)
    text += f", deals {plan.seed:,} to {last:,}, each played in "
    if plan.matches is not None and plan.matches < len(pairs + mixed):
        text += f"{plan.matches} of these matches, dealt out in turn: "
    if n == 2:
        text += f"{len(pairs)} match{'es' * (len(pairs) > 1)}, every two agents in both seatings"
    else:
        text += f"{len(pairs)} matches with one agent alone in each seat against "
        text += f"{n - 1} copies of another"
        if mixed:
            orders = "all orders" if n <= MOST_PLAYERS_PERMUTED else (
                f"a balanced sample of the orders: {n} rotations, each agent once in each seat"
            )  # fmt: skip
            text += f", and {len(mixed)} mixed ones of {n} different agents in {orders}"
        else:
            text += f"; no mixed tables, which take {n} agents"
    text += f". {plan.num_games:,} games in all."
    if options := plan.table.changed_options():
        text += f" Rule options: {', '.join(options)}."
    return text


def repeatability(result: Result) -> str:
    if result.plan.repeatable:
        return "The same command gives the same games, byte for byte."
    return (
        "**Not repeatable:** an agent has a budget in milliseconds, so its moves depend on the "
        "machine and its load."
    )


def markdown(result: Result) -> str:
    """Return the whole report in Markdown, without times, so that another run can repeat it."""
    field = [
        f"- `{label}`: {description(factory)}"
        for label, factory in result.plan.field.items()
        if description(factory) != label
    ]
    fair = " The fair payoff is 0." if result.plan.measure.has_fair_payoff else ""
    parts = [
        f"# Arena: {', '.join(result.labels[k] for k in ranking(result))}",
        protocol(result) + " " + repeatability(result),
        *(["\n".join(field)] if field else []),
        "Brackets hold 95 % intervals, by bootstrap over deals. Payoffs are the game's"
        + (", zero-sum." if result.plan.measure.counts_wins else "."),
        "## Ratings",
        ratings_table(result),
        rating_note(result),
        "## Payoffs",
        duel_words(result.table.num_sides) + fair,
        square_table(result, result.numbers.matrix, "payoff of"),
        "## Seats",
        "All agents play all deals from all seats, so a seat's mean payoff is an effect of the "
        f"seat.{fair}",
        seat_table(result),
        *presence_section(result),
    ]
    return "\n\n".join(parts) + "\n"


def rating_note(result: Result) -> str:
    model = "Bradley–Terry" if result.table.num_sides == 2 else "Plackett–Luce"
    source = " from the mixed tables" if result.has_mixed else ""
    measure, most = result.plan.measure, result.table.max_payoff
    counted = (
        "A shared win counts by its share in *win rate* and not at all in *wins*. "
        if measure.counts_wins
        else f"A game counts as a part of a win that grows with its payoff, from −{most:g} "
        f"to {most:g}. "
    )
    fair = f"the {fair_share(measure.table.num_sides)}, " if measure.counts_wins else ""
    payoff = "a payoff of 0 and " if measure.has_fair_payoff else ""
    return (
        f"Ratings: {model}{source}, maximum likelihood over all games at once, in Elo points, with "
        "mean 0 over all agents. The other columns count the games in which the agent sits alone "
        f"against another. {counted}*Margin* is the score less the score of the best opponent. "
        "*Decisions* are those with more than one legal action. Equally strong agents have "
        f"{fair}{payoff}a rating of 0."
    )


def presence_section(result: Result) -> list[str]:
    if result.table.num_sides == 2:
        return []
    head = "## Who benefits from whom"
    if np.isnan(result.numbers.presence.value).all():
        return [head, "Not measured: this takes more agents than seats."]
    return [
        head,
        "Mean payoff of the row's agent at mixed tables with the column's agent, less its mean "
        "payoff at mixed tables without it.",
        square_table(result, result.numbers.presence, "payoff of"),
    ]


def times_markdown(result: Result) -> str:
    """Return the table of decisions and times in Markdown."""
    rows = [
        [label, f"{time.decisions:,}", f"{time.seconds:,.1f}", f"{time.milliseconds:.4f}"]
        for label, time in result.times.items()
    ]
    head = ["agent", "decisions", "seconds", "milliseconds a decision"]
    note = (
        "Times of this machine, with the compiling of a first run. Agents with `act` answer the "
        "decisions of many games together."
    )
    return "\n\n".join([md.table(head, rows), note, *usage_section(result)]) + "\n"


def usage_section(result: Result) -> list[str]:
    """Return the table of what agents that answer in text used; nothing without such agents."""
    used = {label: time.usage for label, time in result.times.items() if time.usage}
    if not used:
        return []
    names = list(dict.fromkeys(name for usage in used.values() for name in usage))
    rows = [
        [label, *(amount(usage[name]) if name in usage else "–" for name in names)]
        for label, usage in used.items()
    ]
    note = (
        "Agents that answer in text: *asked* counts whole moves, *illegal* and *unparsable* "
        "answers, *failed* decisions without a legal answer, *forfeited* games."
    )
    return [md.table(["agent", *(name.replace("_", " ") for name in names)], rows), note]


def amount(value: float) -> str:
    """Return a whole number with separators, or an amount of money with four digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"


def leaderboard_markdown(result: Result, command: str) -> str:
    """Return the section of docs/leaderboards.md between the marks of a leaderboard.

    The numbers are those at mixed tables, if there are any: they need fewer games than duels for
    intervals of the same width, and the ratings are from them too.
    """
    numbers, measure = result.numbers, result.plan.measure
    share, payoff, margin, where = numbers.share, numbers.payoff, numbers.margin, ""
    if result.has_mixed:
        share, payoff, margin = numbers.mixed_share, numbers.mixed, numbers.mixed_margin
        where = " All columns are from the mixed tables."
    fair = measure.fair(result.table.num_sides)
    columns = {
        "rating, Elo points": column(result, numbers.rating, whole),
        f"{measure.name} ({fair})": results_column(result, share, payoff),
        "margin of points": column(result, margin),
    }
    note = f"{protocol(result)}{where} In brackets 95 % intervals. {repeatability(result)}"
    return f"{ranked_table(result, columns)}\n\n{note}\n\n```bash\n{command}\n```"


def board_of(table: Table) -> str:
    """Return the mark of the leaderboard in docs/leaderboards.md that a table belongs to."""
    return f"leaderboard: {table.game.name}, {table.num_players} players"

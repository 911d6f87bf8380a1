"""``equipoise play``: one episode on the screen, live, interactive or from a transcript."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import endpoint_options as e
from equipoise.cli import options as o
from equipoise.cli.screen import Output
from equipoise.cli.values import options
from equipoise.errors import RequestError, nearest

if TYPE_CHECKING:
    from equipoise.types import Episode

__all__ = ["register"]

HUMAN = "human"
SLIPS = 1_000_000
"""A person is asked again for as long as it takes."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Judge")(play)


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="A game (see `equipoise games`), openspiel:NAME or python:FILE.py:NAME."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option("--policy", "-p", metavar="POLICY", help="The policy; human to play yourself."),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option("--opponent", metavar="NAME", help="The opponent (see `equipoise opponents GAME`)."),
    ] = None,
    seat: Annotated[int, typer.Option("--seat", help="Seat of the policy.")] = 0,
    deal: Annotated[int, typer.Option("--deal", min=0, help="Number of the deal.")] = 0,
    seed: o.SeedOption = 0,
    option: o.OptionOption = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="FILE", help="Show an episode of this transcript instead."),
    ] = None,
    episode: Annotated[
        str | None, typer.Option("--episode", metavar="ID", help="Which one; the first by default.")
    ] = None,
    wording: o.WordingOption = None,
    mode: o.ModeOption = None,
    temperature: o.TemperatureOption = None,
    max_new_tokens: o.TokensOption = None,
    thought_tokens: o.ThoughtOption = None,
    history: o.HistoryOption = None,
    dtype: o.DtypeOption = None,
    device: o.DeviceOption = None,
    threads: o.ThreadsOption = None,
    api_key_env: e.KeyOption = None,
    timeout: e.TimeoutOption = None,
    tries: e.TriesOption = None,
    retries: o.RetriesOption = None,
    on_invalid: o.OnInvalidOption = None,
    json: o.JsonOption = None,
) -> None:
    """Show one episode round by round, or play it yourself.

    For example: equipoise play kuhn --policy human --opponent nash
    """
    output = Output(json)
    if replay is not None:
        _only_replay(policy, opponent)
        _show(output, _from_transcript(replay, episode, game))
        return
    if episode is not None:
        raise RequestError(f"--episode {episode!r} needs --replay FILE")
    wanted = {"GAME": game, "--policy": policy, "--opponent": opponent}
    if game is None or policy is None or opponent is None:
        missing = next(name for name, given in wanted.items() if given is None)
        raise RequestError(f"{missing} is missing: name GAME, --policy and --opponent, or --replay FILE")
    changes = options(option)
    patient = policy == HUMAN and on_invalid is None
    rule = o.invalid_rule(retries, on_invalid, default=SLIPS if patient else None)
    settings = o.model_settings(
        mode, temperature, max_new_tokens, dtype, device, threads, wording, thought_tokens, history
    )
    settings["endpoint"] = e.endpoint_settings(api_key_env, timeout=timeout, tries=tries)
    if policy == HUMAN:
        where: dict[str, Any] = {"seat": seat, "deal": deal, "seed": seed, "rule": rule}
        _play_yourself(output, game, opponent, changes, **where, settings=settings)
        return
    with output.work():
        from equipoise import api

        played = api.play(
            game, policy, opponent, seat=seat, deal=deal, seed=seed, options=changes, rule=rule, **settings
        )
    _show(output, played)


def _only_replay(policy: str | None, opponent: str | None) -> None:
    for flag, given in (("--policy", policy), ("--opponent", opponent)):
        if given is not None:
            raise RequestError(f"{flag} {given!r}: --replay shows what was played, it plays nothing")


def _play_yourself(
    output: Output, game: str, opponent: str, changes: dict[str, object] | None, **where: Any
) -> None:
    from equipoise.cli.episode import summary
    from equipoise.cli.live import LeftError, play_live
    from equipoise.policies.registry import load_game

    try:
        with output.work():
            played = play_live(load_game(game, changes), opponent, **where)
    except LeftError as left:
        if output.where is not None:
            raise
        # Ending the input is how one leaves; only JSON that was asked for is then missing.
        print(f"\n{left}", file=sys.stderr)  # noqa: T201
        return
    output.write(_json(played))
    output.show(*summary(played))


def _show(output: Output, played: Episode) -> None:
    from equipoise.cli.episode import lines

    output.write(_json(played))
    output.show(*lines(played))


def _json(played: Episode) -> dict[str, Any]:
    from equipoise.rollout.transcript import episode_to_json

    return {"schema": 1, "episode": episode_to_json(played)}


def _from_transcript(path: Path, wanted: str | None, game: str | None) -> Episode:
    """Return an episode of a transcript.

    Raises:
        RequestError: The file is no transcript, or has no such episode.
    """
    from equipoise.rollout.transcript import read_episodes

    seen: list[str] = []
    for found in read_episodes(path):
        if game is not None and found.game.partition("@")[0] != game:
            raise RequestError(f"{str(path)!r} is a transcript of {found.game}, not of {game!r}")
        if wanted is None or found.id == wanted:
            return found
        seen.append(found.id)
    if not seen:
        raise RequestError(f"{str(path)!r} holds no episode")
    guess = nearest(str(wanted), seen) or seen[0]
    raise RequestError(f"{str(path)!r} has no episode {wanted!r} among its {len(seen)}: try {guess!r}")

"""What ``import equipoise`` gives a notebook; the command line calls the same functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.auditing.certify import Budget
from equipoise.auditing.compare import Comparison, compare_results
from equipoise.auditing.cross.play import cross_game, name_policies
from equipoise.auditing.cross.result import CrossResult
from equipoise.auditing.loading import Kept, load_kept, save_measures
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.auditing.run import AuditConfig
from equipoise.auditing.session import Loader, Session
from equipoise.errors import RequestError
from equipoise.files import claim, folder_name
from equipoise.games.base import Game, finite_game
from equipoise.games.registry import game_names
from equipoise.games.rules import Rules
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.base import AnyPolicy
from equipoise.policies.endpoint.desk import share_desk
from equipoise.policies.registry import load_game, load_opponents, load_players
from equipoise.policies.registry import load_policy as _load_policy
from equipoise.policies.writers import load_evaluator
from equipoise.progress import Reporter
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play as play_episodes
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Episode

if TYPE_CHECKING:
    from equipoise.training.study_result import CreditStudy
    from equipoise.training.summary import Run

__all__ = ["audit", "compare", "cross", "load_policy", "play", "solve", "study_credit", "train"]


def audit(
    game: str | Game | Sequence[str | Game],
    policy: Any,
    *,
    baseline: Any = None,
    episodes: int | None = None,
    seed: int = 0,
    exact: bool | None = None,
    level: float = 0.95,
    interval: str = "t",
    control_variates: bool = False,
    pools: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    budget: str | int | None = None,
    evaluator: str | None = None,
    rule: InvalidRule | None = None,
    out: str | Path | None = None,
    panel: bool = False,
    quiet: bool = True,
    reporter: Reporter | None = None,
    **settings: Any,
) -> AuditResult:
    """Judge a policy: what it earns, and what it does to others, with intervals.

    Args:
        game: A game, several, or ``"all"``: every game, for a scripted policy every game that has it.
        policy: A policy name (``scripted:tit_for_tat``, ``smollm2`` …), a policy or a function from a
            decision to an action or to a mapping from actions to probabilities.
        baseline: Another policy, played on the same deals; paired differences are reported, with Holm's
            correction over the games.
        episodes: Deals per opponent, each played from both seats; None plays 100, or 40 where a language
            model must be asked.
        seed: Seed of deals and draws.
        exact: True computes exactly, False samples, None computes what is cheap.
        level: Confidence level.
        interval: ``t`` (Student's) or ``bootstrap`` (bootstrap-t), both clustered by deal.
        control_variates: Take the luck of known draws out of samples (see ``docs/statistics.md``).
        pools: Opponents by pool, replacing the game's own.
        weights: Penalty weights ``e``, ``c``, ``x``, replacing the game's own.
        options: Options of the game.
        budget: How much to ask a policy that is sampled for a certified interval of best_response and
            security: a number of queries (``5000``) or a time (``"10m"``). None is content with the
            strongest opponent met.
        evaluator: The language model that rates the seven dimensions of dialogues (task ``social``); None
            leaves it to the rules (docs/social.md).
        rule: What happens to invalid answers.
        out: Folder for transcripts and ``audit.json``; the same call goes on where it was interrupted.
        panel: Whether to audit a language model in every wording of each game, and report the spread.
        quiet: Whether to show no progress.
        reporter: Shows progress instead.
        settings: Settings of language models (mode, temperature, wording, dtype, device, threads …), and
            ``endpoint``, a mapping of those of endpoints (docs/endpoints.md).

    Returns:
        The results; print them, or use ``to_json``, ``to_dataframe``, ``save``.

    Raises:
        RequestError: Something asked for does not exist or is out of range.
    """
    reporter = reporter or Reporter(quiet)
    if exact and (budget is not None or control_variates):
        flag = "--budget" if budget is not None else "--control-variates"
        raise RequestError(f"exact values need no sample: leave out --exact or {flag}")
    config = AuditConfig(
        AuditConfig.episodes if episodes is None else episodes,
        seed,
        exact,
        level,
        rule=rule or InvalidRule(),
        out=None if out is None else Path(out),
        interval=interval,
        control_variates=control_variates,
        budget=None if budget is None else Budget.parse(budget),
    )
    shared = {**share_desk(settings, out), "quiet": reporter.quiet}
    if evaluator is not None:
        place = None if out is None else Path(out) / "ratings"
        config = replace(config, evaluator=load_evaluator(evaluator, shared, seed, place))
    players = {"policy": policy} if baseline is None else {"policy": policy, "baseline": baseline}
    if game == "all":
        game = _all_games(players.values(), reporter)
    session = Session(
        [(one, _configure(config, one, pools, weights)) for one in _games(game, options)],
        Loader(shared),
        reporter,
        own_deals=episodes is None,
    )
    if panel:
        session.check_panel(players)
    if out is not None:
        _claim(Path(out), session, players, panel)
    result = session.audit_panel(policy) if panel else session.audit(players)
    if out is not None:
        result.save(Path(out) / "audit.json")
        save_measures(result, Path(out) / "measures.json")
    return result


def compare(
    a: str | Path | AuditResult | GameResult,
    b: str | Path | AuditResult | GameResult,
    *,
    metrics: Sequence[str] | None = None,
    level: float = 0.95,
    paired: bool | None = None,
    policy_a: str | None = None,
    policy_b: str | None = None,
) -> Comparison:
    """Compare two policies, a minus b, in every game that both were audited in.

    Args:
        a: A folder of ``audit(..., out=)`` or of a run, its JSON, or a result.
        b: The other.
        metrics: Metrics to compare (default: all that both have).
        level: Confidence level.
        paired: True pairs by deal and refuses other deals, False never pairs; None pairs where the deals
            are the same and takes Welch's interval elsewhere.
        policy_a: Which policy of ``a``, where it holds several (default: the first of an audit).
        policy_b: Which policy of ``b``.

    Returns:
        The differences, with p-values by Holm over the games of each metric.

    Raises:
        RequestError: There is nothing to compare, or it was audited under other rules or opponents.
    """
    if not 0.0 < level < 1.0:
        raise RequestError(f"level = {level}: choose a confidence level between 0 and 1")
    first = _kept(a).select(policy_a, "--a")
    return compare_results(first, _kept(b).select(policy_b, "--b"), level, metrics, paired)


def cross(
    game: str | Rules,
    policies: Sequence[Any] | Mapping[str, Any],
    *,
    episodes: int | None = None,
    seed: int = 0,
    exact: bool | None = None,
    level: float = 0.95,
    options: Mapping[str, Any] | None = None,
    rule: InvalidRule | None = None,
    out: str | Path | None = None,
    quiet: bool = True,
    reporter: Reporter | None = None,
    **settings: Any,
) -> CrossResult:
    """Let policies play each other, everyone against everyone and against itself.

    Args:
        game: The game, or a task of two seats.
        policies: Two or more: strategies of the game by their bare name, policy names, ``NAME=POLICY`` to
            call one NAME, policies or functions; or a mapping from names to them.
        episodes: Deals per ordered pair, each played from both seats; None plays 100, or 40 where a
            language model must be asked.
        seed: Seed of deals and draws.
        exact: True computes exactly, False samples, None computes what is cheap.
        level: Confidence level.
        options: Options of the game.
        rule: What happens to invalid answers.
        out: Folder for transcripts and ``cross.json``; the same call goes on where it was interrupted.
        quiet: Whether to show no progress.
        reporter: Shows progress instead.
        settings: Settings of language models (mode, temperature, dtype, device, threads …).

    Returns:
        Matrices of payoff, welfare and exploitability, and the equilibrium of the game between the
        policies; print it, or use ``to_json``, ``save``.

    Raises:
        RequestError: Something asked for does not exist or is out of range.
    """
    reporter = reporter or Reporter(quiet)
    rules = load_game(game, options) if isinstance(game, str) else game
    given = name_policies(policies)
    if out is not None:
        request = {"game": rules.info_record.key, "policies": _spelled(given)}
        claim(Path(out), "cross.request.json", request, "choose another out folder")
    players = load_players(given, rules, models={}, quiet=reporter.quiet, **share_desk(settings, out))
    deals = min(player.deals for player in players.values()) if episodes is None else episodes
    place = None if out is None else Path(out) / folder_name(rules.info_record.id) / "cross"
    config = AuditConfig(deals, seed, exact, level, rule=rule or InvalidRule(), out=place)
    result = cross_game(rules, players, config, reporter)
    if out is not None:
        result.save(Path(out) / "cross.json")
    return result


def play(
    game: str | Rules,
    policy: Any,
    opponent: str,
    *,
    seat: int = 0,
    deal: int = 0,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    rule: InvalidRule | None = None,
    **settings: Any,
) -> Episode:
    """Play one episode and return it.

    Args:
        game: The game or task.
        policy: The policy under study (see :func:`audit`).
        opponent: A strategy of the game by its bare name, or any policy name.
        seat: Seat of the policy.
        deal: Index of the deal.
        seed: Seed of the deal and of the policy's draws.
        options: Options of the game.
        rule: What happens to invalid answers.
        settings: Settings of language models.
    """
    rules = load_game(game, options) if isinstance(game, str) else game
    if not 0 <= seat < rules.info_record.seats:
        raise RequestError(f"seat = {seat}: {rules.name} has seats 0 to {rules.info_record.seats - 1}")
    models: dict[str, AnyPolicy] = {}
    settings = share_desk(settings)
    own = _load_policy(policy, rules, models=models, **settings)
    other = load_opponents([opponent], rules, models=models, **settings)[opponent]
    request = EpisodeRequest(
        game=rules,
        deal=Deal(seed, Split.REPORT, rules.info_record.key, deal),
        pool="play",
        opponent=opponent,
        seat=seat,
        players=(own, other) if seat == 0 else (other, own),
    )
    return play_episodes([request], rule)[0].episode


def solve(
    game: str | Game,
    exploiters: str | Sequence[str] = "pool",
    *,
    seeds: int = 1,
    steps: int | None = None,
    abstraction: str | None = None,
    options: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    quiet: bool = True,
) -> AuditResult:
    """Solve a small game: its best policy under the objective, and tables trained by the exact gradient.

    Args:
        game: The game.
        exploiters: What the exploiter pool holds in training, one or several: ``none``, ``pool``,
            ``pool+best_response``, or names of opponents separated by commas.
        seeds: Tables of each kind, from different random starts.
        steps: Steps of gradient ascent (default: by size of the game).
        abstraction: Name of the state abstraction whose keys are the rows of the tables, for games that are
            large (docs/tables.md); those too large to solve train by sampled gradient.
        options: Options of the game.
        out: Folder for the policies, to be used as ``tabular:FILE``.
        quiet: Whether to show no progress.

    Raises:
        RequestError: The game is too large to solve, or an opponent does not exist.
    """
    from equipoise.training.solve import solve as solve_game

    rules = finite_game(load_game(game, options) if isinstance(game, str) else game)
    kinds = (exploiters,) if isinstance(exploiters, str) else tuple(exploiters)
    folder = None if out is None else Path(out)
    return solve_game(rules, kinds, seeds, steps, folder, Reporter(quiet), abstraction=abstraction)


def study_credit(
    games: str | Sequence[str] = ("kuhn", "ipd"),
    *,
    samples: int | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    quiet: bool = True,
) -> CreditStudy:
    """Measure the credit estimators against the exact gradient of J, on tables with random logits.

    Args:
        games: One or more games; kuhn has one hand, ipd three rounds, split and commons two, unless
            ``options`` says otherwise.
        samples: Independent batches (default: by game).
        seed: Seed of tables, deals and draws.
        options: Options of the game.
        out: Folder for ``credit.json`` and, where matplotlib is installed, ``credit.svg`` and ``credit.png``.
        quiet: Whether to show no progress.

    Returns:
        The study; print it, or use ``to_json``, ``save``.

    Raises:
        RequestError: A game has no exact gradient, or there are too few batches.
    """
    from equipoise.training.study import SMALL
    from equipoise.training.study import study_credit as study_game

    names = (games,) if isinstance(games, str) else tuple(dict.fromkeys(games))
    if options and len(names) > 1:
        raise RequestError("options belong to one game: study one game at a time")
    rules = [finite_game(load_game(name, {**SMALL.get(name, {}), **(options or {})})) for name in names]
    if out is not None:
        request = {
            "games": {one.name: one.options.changed() for one in rules},
            "samples": samples,
            "seed": seed,
        }
        claim(Path(out), "credit.request.json", request, "choose another out folder")
    found = [study_game(one, samples, seed, reporter=Reporter(quiet)) for one in rules]
    result = sum(found[1:], found[0])
    if out is not None:
        from equipoise.report.credit import draw_credit

        result.save(Path(out) / "credit.json")
        draw_credit(result, Path(out))
    return result


def train(recipe: str, *overrides: str, games: Sequence[str] | None = None, quiet: bool = True) -> Run:
    """Run a recipe: audit, warm start, audit, SEPO, audit.

    Args:
        recipe: Name of a recipe that ships with the package, or a path to a TOML file.
        overrides: ``"key=value"`` with dotted keys, e.g. ``"seed=1"``, ``"out=runs/mine"``.
        games: Which of the recipe's games to do; None does all.
        quiet: Whether to show no progress.

    Returns:
        The run; ``run.result`` holds the audits and paired differences, ``run.folder`` all files.

    Raises:
        RequestError: The recipe or a key is wrong, or the folder holds another run.
    """
    from equipoise.training.pipeline import run_recipe

    return run_recipe(recipe, overrides, reporter=Reporter(quiet), games=games)


def load_policy(spec: Any, game: str | Rules, **settings: Any) -> AnyPolicy:
    """Return the policy a name stands for (see ``equipoise.policies.registry.KINDS``).

    Args:
        spec: A name, a policy, a strategy or a function.
        game: The game it shall play.
        settings: Settings of language models: mode, temperature, dtype, device, threads …
    """
    return _load_policy(spec, load_game(game) if isinstance(game, str) else game, **settings)


def _kept(source: str | Path | AuditResult | GameResult) -> Kept:
    if isinstance(source, AuditResult):
        return Kept("the audit", source.results)
    return Kept("the result", [source]) if isinstance(source, GameResult) else load_kept(Path(source))


def _all_games(players: Iterable[Any], reporter: Reporter) -> list[str]:
    """Return every game, without those in which a scripted strategy that was asked for does not exist.

    Raises:
        RequestError: No game has them all.
    """
    scripted = [
        spec.removeprefix("scripted:")
        for spec in players
        if isinstance(spec, str) and spec.startswith("scripted:")
    ]
    found = [name for name in game_names() if all(one in strategies(name) for one in scripted)]
    if not found:
        raise RequestError(
            f"no game has the strategy {' and '.join(scripted)!r}: see `equipoise opponents GAME`"
        )
    if left := [name for name in game_names() if name not in found]:
        reporter.note(f"left out, without that strategy: {', '.join(left)}")
    return found


def _games(games: str | Rules | Sequence[str | Rules], options: Mapping[str, Any] | None) -> list[Rules]:
    chosen = [games] if isinstance(games, str | Rules) else list(games)
    if options and len(chosen) > 1:
        raise RequestError("options belong to one game: audit one game at a time")
    return [load_game(game, options) if isinstance(game, str) else game for game in chosen]


def _configure(
    config: AuditConfig,
    game: Rules,
    pools: Mapping[str, Sequence[str]] | None,
    weights: Mapping[str, float] | None,
) -> AuditConfig:
    chosen = default_pools(game.name).replace(pools or {})
    penalties = game.info_record.weights.replace(weights or {})
    return replace(config, pools=chosen, weights=penalties)


def _spelled(players: Mapping[str, Any]) -> dict[str, str]:
    """Return policies as a request on disk names them."""
    return {name: spec if isinstance(spec, str) else "from Python" for name, spec in players.items()}


def _claim(out: Path, session: Session, players: Mapping[str, Any], panel: bool) -> None:
    """Make a folder that of this request, and of no other."""
    request = {
        "games": [game.info_record.key for game, _ in session.games],
        "players": _spelled(players),
        **({"panel": True} if panel else {}),
    }
    claim(out, "audit.request.json", request, "choose another out folder")

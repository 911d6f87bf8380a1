"""Policies, opponents and games by name, as the command line and recipes write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError, nearest
from equipoise.games.base import Game, finite_game
from equipoise.games.families import family_of
from equipoise.games.registry import make_game
from equipoise.games.rules import Rules
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import get_strategy, strategies
from equipoise.policies.abstract import load_table
from equipoise.policies.advisers import load_advised
from equipoise.policies.base import AnyPolicy, AsyncPolicy, Policy
from equipoise.policies.coached import CoachedPolicy
from equipoise.policies.frozen import Frozen, frozen_run
from equipoise.policies.human import HumanPolicy
from equipoise.policies.python import load_object, policy_from_object
from equipoise.policies.scripted import StrategyPolicy
from equipoise.policies.specs import COMBINED, LOCAL, Leaf, fold, is_combined, parse
from equipoise.policies.texts import ActorPolicy
from equipoise.policies.wrappers import mixed_policy, noisy_policy
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.tasks.registry import get_actor, make_task, task_actors, task_names

__all__ = [
    "KINDS",
    "Models",
    "is_local",
    "load_game",
    "load_opponents",
    "load_players",
    "load_policy",
    "strategies_of",
]

KINDS = {
    "scripted:NAME": "a strategy of the game (`equipoise opponents GAME`)",
    "tabular:FILE": "a table written by `equipoise solve` or by tabular training",
    "python:FILE.py:NAME": "a function, Policy or Strategy of your own",
    "smollm2[+ADAPTER]": "the embedded language model",
    "hf:PATH_OR_ID[+ADAPTER]": "any causal language model, through transformers",
    "tiny-random[+ADAPTER]": "a tiny random language model, for trying things out",
    "openai:MODEL[@BASE_URL]": "a model behind an endpoint that speaks OpenAI's protocol (docs/endpoints.md)",
    "http:URL": "an agent of your own behind a URL, one POST a decision",
    "command:PROGRAM": "a program of your own, one line of JSON a decision",
    "human": "you, at the terminal",
    "coached:POLICY": "follows advice it understands (docs/strategist.md), else plays as POLICY does",
    "strategist:ADVISER>ACTOR": "an actor, any policy, advised by a language model, by its own thoughts "
    "(think:MODEL), phrases, frozen:RUN of EPO or python:FILE.py:NAME",
    **COMBINED,
}
"""Every kind of policy name with what it stands for."""

GROUP = "equipoise.policies"
"""Entry-point group: the object an entry names is called with (rest of the name, game)."""

ENDPOINTS = ("openai", "http", "https", "command")
"""Kinds of policies that answer from elsewhere."""

Models = MutableMapping[str, AnyPolicy]
"""Language models by name: looked up before one is loaded, and added to."""


def load_policy(spec: Any, game: Rules, *, models: Models | None = None, **settings: Any) -> AnyPolicy:
    """Return the policy a name stands for.

    Args:
        spec: A name (see ``KINDS``), a policy, a strategy or a function.
        game: The game or task it shall play.
        models: Language models loaded before with the same settings; a new one is added.
        settings: Settings of language models: mode, temperature, wording, dtype, device, threads …; those of
            endpoints as one, ``endpoint`` (see ``endpoint.settings``).

    Raises:
        RequestError: There is no such policy or wording; the message names the way out.
    """
    if not isinstance(spec, str):
        if callable(spec) and not isinstance(spec, type):
            return policy_from_object(spec, getattr(spec, "__name__", "function"), "")
        return policy_from_object(spec, getattr(spec, "name", type(spec).__name__), "")
    kind, _, rest = spec.partition(":")
    if kind == "scripted":
        if game.name in task_names():
            return ActorPolicy(get_actor(game.name, rest), spec)
        return StrategyPolicy(get_strategy(game.name, rest))
    if kind == "tabular":
        rules = finite_game(game)
        table = load_table(Path(rest), rules)
        table.strategy(rules.stage())
        return table
    if kind == "python":
        found, fingerprint = load_object(rest)
        return policy_from_object(found, spec, fingerprint)
    if spec == "human":
        return HumanPolicy()
    if kind == "coached":
        return _coached(rest, game, models, settings)
    if kind == "strategist":
        return load_advised(
            rest, game, lambda actor: load_policy(actor, game, models=models, **settings), **settings
        )
    if is_combined(spec):
        return _combined(spec, game, models, settings)
    if kind in ENDPOINTS:
        return _endpoint(spec, game, models, settings)
    if is_local(spec):
        # Better said before a model is loaded than after.
        get_renderer(game.name, settings.get("wording", PLAIN))
        return _local(spec, models, settings)
    for point in entry_points(group=GROUP, name=kind):
        plugin: AnyPolicy = point.load()(rest, game)
        return plugin
    raise _unknown_kind(spec, kind, game)


def _local(
    spec: str, models: Models | None, settings: Mapping[str, Any], key: str | None = None
) -> AnyPolicy:
    key = key or spec
    if models is not None and key in models:
        return models[key]
    from equipoise.policies.local.policy import LocalPolicy

    found = LocalPolicy.from_spec(spec, **{name: one for name, one in settings.items() if name != "endpoint"})
    if models is not None:
        models[key] = found
    return found


def _trained(
    run: Frozen, text: str, game: Rules, models: Models | None, settings: dict[str, Any]
) -> AnyPolicy:
    """Return the policy of a run; a language model answers as it was trained to, not as others shall."""
    if run.strategist:
        raise RequestError(
            f"it is a strategist, which plays at an actor's side: 'strategist:frozen:{text}>ACTOR'"
        )
    if not is_local(run.spec):
        return load_policy(run.spec, game, models=models, **settings)
    get_renderer(game.name, settings.get("wording", PLAIN))
    # The same weights by their own name answer with the settings of the request.
    return _local(run.spec, models, {**settings, **run.settings}, f"frozen:{run.spec}")


def _endpoint(spec: str, game: Rules, models: Models | None, settings: Mapping[str, Any]) -> AnyPolicy:
    if models is not None and spec in models:
        return models[spec]
    from equipoise.policies.endpoint.loading import load_endpoint

    found = load_endpoint(spec, game, **settings)
    if models is not None:
        models[spec] = found
    return found


def _coached(rest: str, game: Rules, models: Models | None, settings: Mapping[str, Any]) -> AnyPolicy:
    own = load_policy(_opponent_spec(rest, game), game, models=models, **settings)
    if not isinstance(own, Policy):
        raise RequestError(
            f"'coached:{rest}' needs a policy that answers at once: name a strategy of the game"
        )
    return CoachedPolicy(own)


def _combined(spec: str, game: Rules, models: Models | None, settings: Mapping[str, Any]) -> AnyPolicy:
    """Return a policy made of others; what goes wrong with a part names the part and the whole."""

    def leaf(node: Leaf) -> AnyPolicy:
        text = node.text
        try:
            run = frozen_run(text, game) if node.run else None
            if run is not None:
                return _trained(run, text, game, models, dict(settings))
            return load_policy(_opponent_spec(text, game), game, models=models, **settings)
        except RequestError as error:
            raise type(error)(f"{text!r} in {spec!r}: {error}") from error

    return fold(
        parse(spec),
        leaf,
        lambda node, inner: noisy_policy(inner, node.rate, node.text),
        lambda node, parts: mixed_policy(parts, node.weights, node.text),
    )


def is_local(spec: Any) -> bool:
    """Tell whether a policy name stands for a local language model, to which model settings apply."""
    return isinstance(spec, str) and spec.startswith(LOCAL)


def load_opponents(
    names: Iterable[str], game: Rules, *, models: Models | None = None, **settings: Any
) -> dict[str, Policy | AsyncPolicy]:
    """Return opponents by name: strategies of the game by their bare name, anything else by its spec.

    Args:
        names: Their names, possibly repeated.
        game: The game they play.
        models: Language models loaded before with the same settings; new ones are added.
        settings: Settings of language models.

    Raises:
        RequestError: One of them does not exist.
    """
    return load_players({name: name for name in names}, game, models=models, **settings)


def load_players(
    specs: Mapping[str, Any], game: Rules, *, models: Models | None = None, **settings: Any
) -> dict[str, AnyPolicy]:
    """Return policies by a name of one's own; their specs are those of :func:`load_opponents`, or objects."""
    return {
        name: load_policy(
            _opponent_spec(spec, game) if isinstance(spec, str) else spec, game, models=models, **settings
        )
        for name, spec in specs.items()
    }


def _opponent_spec(name: str, game: Rules) -> str:
    """Return the policy name of an opponent; a bare name that is no policy is a strategy of the game."""
    is_policy = ":" in name or name == "human" or name.partition("+")[0] in LOCAL
    known = {**strategies(game.name), **task_actors(game.name)}
    return name if is_policy and name not in known else f"scripted:{name}"


def strategies_of(opponents: Mapping[str, AnyPolicy], game: Game) -> dict[str, Strategy] | None:
    """Return the finite-memory forms of all opponents, or None if one of them has none."""
    found = {}
    for name, opponent in opponents.items():
        strategy = opponent.strategy(game) if isinstance(opponent, Policy) else None
        if strategy is None:
            return None
        found[name] = strategy
    return found


def load_game(name: str, options: Mapping[str, Any] | None = None) -> Rules:
    """Return a game or a task by name, or one of the user's own as ``python:FILE.py:NAME``.

    Raises:
        RequestError: There is no such game or option, or an option is out of range.
    """
    if not name.startswith("python:"):
        # A family may have tasks among its members, which are known by name once one was made.
        make = make_task if name in task_names() and family_of(name) is None else make_game
        return make(name, **(options or {}))
    found, _ = load_object(name.removeprefix("python:"))
    if not (isinstance(found, type) and issubclass(found, Rules)) or found.__abstractmethods__:
        raise RequestError(
            f"{name!r} is no game: name a subclass of equipoise.games.base.Game or "
            "equipoise.tasks.base.Task, all of it written"
        )
    return found.create(**(options or {}))


def _unknown_kind(spec: str, kind: str, game: Rules) -> RequestError:
    names = [form.partition(":")[0].partition("[")[0] for form in KINDS]
    guess = nearest(kind, names)
    forms = ", ".join(KINDS)
    if guess:
        return RequestError(f"unknown policy {spec!r}: did you mean {guess!r}? Forms: {forms}")
    return RequestError(f"unknown policy {spec!r}: choose one of {forms}")

"""Strategists by name: the part of ``strategist:ADVISER>ACTOR`` before the sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.frozen import frozen_run
from equipoise.policies.phrases.adviser import PhraseAdviser, load_phrases
from equipoise.policies.phrases.policy import PhraseStrategist
from equipoise.policies.python import load_object
from equipoise.policies.specs import LOCAL
from equipoise.policies.strategist import Adviser, FunctionAdviser, advised
from equipoise.prompts.registry import get_renderer

__all__ = ["beside", "load_advised", "load_adviser"]

SHARED = ("dtype", "device", "threads", "quiet", "temperature", "max_new_tokens")
"""Settings of language models that a strategist shares with its actor; the others are the actor's alone."""

RUN, THINK = "frozen:", "think:"


def load_advised(
    rest: str, rules: Rules, load_actor: Callable[[str], AnyPolicy], **settings: Any
) -> AnyPolicy:
    """Return the policy that ``strategist:REST`` stands for.

    Args:
        rest: ``ADVISER>ACTOR``.
        rules: What is played.
        load_actor: Loads the actor by its spec.
        settings: Settings of language models.

    Raises:
        RequestError: A part is missing, or there is no such adviser or actor.
    """
    name, sign, actor = rest.partition(">")
    if not sign or not name or not actor:
        raise RequestError(
            f"{'strategist:' + rest!r} needs an adviser and an actor, in quotes: "
            "'strategist:smollm2>scripted:NAME'"
        )
    return beside(load_adviser(name, rules, **settings), load_actor(actor))


def beside(adviser: Adviser, actor: AnyPolicy, name: str | None = None) -> AnyPolicy:
    """Return an actor with a strategist at its side, as the kind of policy that the two are.

    Args:
        adviser: The strategist.
        actor: The actor.
        name: How reports name both; ``strategist:ADVISER>ACTOR`` if None.
    """
    if isinstance(adviser, PhraseAdviser) and isinstance(actor, Policy):
        return PhraseStrategist(adviser, actor, name or f"strategist:{adviser.name}>{actor.name}")
    return advised(adviser, actor, name)


def load_adviser(spec: str, rules: Rules, **settings: Any) -> Adviser:
    """Return a strategist: a local language model, that of a run, a list of advice, or a function.

    Args:
        spec: A local model, ``think:MODEL`` (that model's own thoughts before it acts),
            ``frozen:RUN[@ROUND]``, ``phrases`` (uniformly from a list), ``phrases:FILE`` (as trained), or
            ``python:FILE.py:NAME``.
        rules: What is played.
        settings: Settings of language models. A model is given those that it shares with its actor; one that
            a run trained keeps its own temperature and budget.

    Raises:
        RequestError: There is no such strategist.
    """
    shared = {name: one for name, one in settings.items() if name in SHARED}
    if spec.startswith(LOCAL):
        return _local(spec, rules, shared)
    if spec.startswith(THINK):
        model = spec.removeprefix(THINK)
        if not model.startswith(LOCAL):
            raise RequestError(f"strategist {spec!r}: {model!r} is no local model, name smollm2 or hf:…")
        return _local(model, rules, {**shared, "prompt": "think", "name": spec})
    if spec == "phrases" or spec.startswith("phrases:"):
        return load_phrases(Path(spec.removeprefix("phrases:")) if ":" in spec else None, rules)
    if spec.startswith(RUN):
        text = spec.removeprefix(RUN)
        run = frozen_run(text, rules)
        if run is None or not run.strategist:
            what = "names no folder" if run is None else "holds a policy that plays"
            raise RequestError(
                f"strategist {spec!r}: {text!r} {what}, name a run of EPO (docs/strategist.md)"
            )
        if not run.spec.startswith(LOCAL):
            return load_phrases(Path(run.spec.removeprefix("phrases:")), rules, spec)
        return _local(run.spec, rules, {**shared, **run.settings})
    if spec.startswith("python:"):
        found, fingerprint = load_object(spec.removeprefix("python:"))
        if not callable(found) or isinstance(found, type):
            raise RequestError(f"strategist {spec!r} is no function: name one from a decision to a text")
        return FunctionAdviser(found, spec, fingerprint)
    raise RequestError(
        f"unknown strategist {spec!r}: name a local model (smollm2, hf:…), think:MODEL, frozen:RUN, "
        "phrases[:FILE] or python:FILE.py:NAME"
    )


def _local(spec: str, rules: Rules, settings: Mapping[str, Any]) -> Adviser:
    # Better said before a model is loaded than after.
    get_renderer(rules.name)
    from equipoise.policies.local.adviser import LocalAdviser

    return LocalAdviser.from_spec(spec, **settings)

"""A user's own parts: ``python:FILE.py:NAME`` for policies, opponents and games."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from equipoise.errors import PolicyError, RequestError, unknown
from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.policies.base import AsyncPolicy, Policy, check_distribution, draw
from equipoise.policies.checked import CheckedStrategy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["FunctionPolicy", "code_hash", "load_object", "policy_from_object"]


class FunctionPolicy(Policy):
    """Wraps a function from a decision to an action, or to a mapping from actions to probabilities."""

    exact_states = 100_000
    always_legal = True

    def __init__(self, function: Callable[[Decision], Any], name: str, fingerprint: str = "") -> None:
        """Take the function and the name reports use."""
        self.name = name
        self.fingerprint = fingerprint or name
        self.function = function

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Ask the function for every decision and draw where it mixes."""
        return [self._choose(decision) for decision in decisions]

    def _choose(self, decision: Decision) -> Choice:
        if decision.legal is not None:
            row = self._ask(decision)
            return Choice(draw(row, decision), probabilities=row)
        answer = self._call(decision)
        if not isinstance(answer, str):
            raise PolicyError(
                f"policy {self.name!r} returned {answer!r}: in a free-text task it returns text"
            )
        return Choice(answer)

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the function's answers as distributions.

        Raises:
            PolicyError: The function raised, or its answer is not legal or no distribution.
        """
        return [self._ask(decision) for decision in decisions]

    def _ask(self, decision: Decision) -> Probabilities:
        return check_distribution(self._call(decision), decision.legal or (), f"policy {self.name!r}")

    def _call(self, decision: Decision) -> Any:
        try:
            return self.function(decision)
        except (Exception, SystemExit) as error:
            where = decision.rules.label(decision.observation, decision.history)
            message = " ".join(str(error).split())
            raise PolicyError(
                f"policy {self.name!r} raised {type(error).__name__}: {message} (at {where!r})"
            ) from error


def code_hash(function: Callable[..., Any]) -> str:
    """Return a hash that changes when a function's code, constants or defaults do."""
    digest = hashlib.sha256()

    def add(code: CodeType) -> None:
        digest.update(code.co_code + repr(code.co_names).encode())
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                add(constant)
            else:
                digest.update(repr(constant).encode())

    inner = getattr(function, "__func__", function)
    if isinstance(code := getattr(inner, "__code__", None), CodeType):
        add(code)
        digest.update(repr(getattr(inner, "__defaults__", None)).encode())
    return digest.hexdigest()[:16]


def load_object(spec: str) -> tuple[Any, str]:
    """Load ``FILE.py:NAME`` and return the object and a hash of the file.

    Raises:
        RequestError: The file is missing or does not run, or has no such name.
    """
    file, _, name = spec.rpartition(":")
    if not file or not name:
        raise RequestError(f"'python:{spec}' needs a file and a name: python:FILE.py:NAME")
    path = Path(file)
    if not path.is_file():
        raise RequestError(f"'python:{spec}': there is no file {file!r}")
    module = _load_module(path)
    if not hasattr(module, name):
        public = [key for key in vars(module) if not key.startswith("_")]
        raise unknown(f"name in {file}", name, public)
    return getattr(module, name), hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def policy_from_object(found: Any, name: str, fingerprint: str) -> Policy | AsyncPolicy:
    """Turn what a user's file offers, a policy, a strategy, a class of either or a function, into a policy.

    Raises:
        RequestError: It is none of these.
    """
    if isinstance(found, type) and issubclass(found, Policy | AsyncPolicy | Strategy):
        try:
            found = found()
        except Exception as error:
            raise RequestError(f"{name!r} cannot be made without arguments: {error}") from error
    if isinstance(found, Policy | AsyncPolicy):
        # A file's hash tells versions of it apart, where the object does not do so itself.
        found.fingerprint = found.fingerprint or fingerprint
        return found
    if isinstance(found, Strategy):
        return StrategyPolicy(CheckedStrategy(found, name), name, fingerprint)
    if callable(found) and not isinstance(found, type | Game):
        return FunctionPolicy(found, name, fingerprint or code_hash(found))
    raise RequestError(f"{name!r} is a {type(found).__name__}: a policy is a function, Policy or Strategy")


def _load_module(path: Path) -> ModuleType:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    key = f"_equipoise_user_{path.stem}_{digest}"
    if key in sys.modules:
        return sys.modules[key]
    loader = importlib.util.spec_from_file_location(key, path)
    assert loader is not None
    assert loader.loader is not None
    module = importlib.util.module_from_spec(loader)
    sys.modules[key] = module
    # As for a script: what lies beside the file can be imported by it.
    beside = str(path.resolve().parent)
    sys.path.insert(0, beside)
    try:
        loader.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[key]
        message = " ".join(str(error).split())
        raise RequestError(f"{str(path)!r} does not run: {type(error).__name__}: {message}") from error
    finally:
        sys.path.remove(beside)
    return module

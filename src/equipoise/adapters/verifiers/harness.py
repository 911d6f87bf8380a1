"""A seat's program: one call to the model a decision, in this process, without tools or a sandbox."""

from __future__ import annotations

from typing import Any

import httpx
import verifiers.v1 as vf
from verifiers.v1.runtimes import ProgramResult

__all__ = ["GameHarness", "GameHarnessConfig"]

TIMEOUT = 600.0
"""Seconds a model may take."""


class GameHarnessConfig(vf.HarnessConfig):
    """A seat has no settings of its own."""

    id: str = "equipoise-verifiers"


class GameHarness(vf.Harness[GameHarnessConfig]):
    """Asks every decision by itself, so that the policy is a function of what the seat knows.

    Every decision is a branch of the trace: a prompt and what was sampled after it.
    """

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> ProgramResult:
        """Ask the model once, through the server that keeps the trace."""
        system, prompt = self.resolve_prompt(data)
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        given = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else _wire(prompt or [])
        body = {"model": ctx.model, "messages": messages + given}
        async with httpx.AsyncClient(timeout=TIMEOUT) as client:
            reply = await client.post(
                f"{endpoint.rstrip('/')}/chat/completions",
                json=body,
                headers={"Authorization": f"Bearer {secret}"},
            )
        if reply.is_error:
            return ProgramResult(exit_code=1, stdout="", stderr=f"{reply.status_code}: {reply.text[:500]}")
        return ProgramResult(exit_code=0, stdout="", stderr="")

    async def resume(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        messages: Any,
        tool_interception_url: str | None = None,
    ) -> ProgramResult:
        """Ask the next decision: what was said before is not repeated."""
        fresh = data.model_copy(update={"prompt": list(messages)})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, fresh)


def _wire(messages: Any) -> list[dict[str, Any]]:
    return [{"role": message.role, "content": message.content} for message in messages]

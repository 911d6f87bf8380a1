"""Small scenarios for the tests of the dialogue task, and a way to play fixed lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equipoise.tasks.social.episode import SocialEpisode
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.task import Social


def person(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "role": "a neighbour", "goal": "Do well.", **more}


def scenario(family: str, one: dict[str, Any], two: dict[str, Any], **more: Any) -> Scenario:
    people = [person("Ada", **one), person("Ben", **two)]
    data = {"id": f"a-{family}", "family": family, "setting": "They meet.", "people": people, **more}
    return Scenario.model_validate(data)


PRICE = scenario("price", {"target": 90, "limit": 50}, {"target": 40, "limit": 80})
"""Ada sells: she hopes for 90 and needs 50; Ben hopes for 40 and pays up to 80."""

ITEMS = scenario(
    "items",
    {"values": [5, 3, 2], "limit": 1},
    {"values": [1, 3, 6], "limit": 1},
    things=["tent", "gas stove|stove", "canoe|boat"],
)
TIMES = scenario(
    "times",
    {"values": [9, 4, 0, 2]},
    {"values": [0, 5, 10, 3]},
    things=["Mon 09:00", "Tue 10:00", "Tue 14:00", "Wed 15:30"],
)


def fact(name: str, **more: Any) -> dict[str, Any]:
    text = f"The {name} is broken."
    return {
        "text": text,
        "say": text,
        "topic": f"the state of the {name}s",
        "keys": [[name, "broken"]],
        **more,
    }


SECRETS = scenario(
    "secrets",
    {
        "facts": [
            fact("boiler", cost=1, worth=4),
            fact("lift", cost=1, worth=2),
            fact("safe", secret=True, cost=5, worth=3),
        ]
    },
    {"facts": [fact("clock", cost=1, worth=6), fact("piano", secret=True, cost=4)]},
)


def played(one: Scenario, lines: Sequence[str], **options: Any) -> SocialEpisode:
    """Return an episode after lines, said in turn."""
    task = Social(Social.Options(**options), source=[one])
    episode = SocialEpisode(task, one)
    for text in lines:
        episode.apply(dict.fromkeys(episode.players_to_move, text))
    return episode

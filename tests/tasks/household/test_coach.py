"""The coach that knows where everything is."""

from __future__ import annotations

from equipoise.tasks.household.advice import Intent, intents
from equipoise.tasks.household.coach import informed
from tests.tasks.household.build import EXAMINE, HEAT, PLACE, asked

MUG = ["go to counter 1", "take mug 1 from counter 1"]


def test_it_says_where_to_look_what_to_take_and_where_it_goes() -> None:
    assert informed(asked(HEAT)) == "Look inside the counter 1 in the kitchen."
    assert informed(asked(HEAT, MUG[:1])) == "Pick up the mug 1."
    assert informed(asked(HEAT, MUG)) == "Heat it with the stove 1 in the kitchen."
    hot = [*MUG, "go to stove 1", "heat mug 1 with stove 1"]
    assert informed(asked(HEAT, hot)) == "Go to the study."
    assert informed(asked(HEAT, [*hot, "go to study"])) == "Put it on the desk 1 in the study."


def test_it_leads_room_by_room_and_to_the_light() -> None:
    chain = PLACE.model_copy(update={"doors": (("kitchen", "hall"), ("hall", "study"))})
    assert informed(asked(chain)) == "Go to the hall."
    assert informed(asked(chain, ["go to hall"])) == "Go to the study."
    key = ["go to hall", "go to box 1", "open box 1", "take key 1 from box 1", "go to kitchen", "go to study"]
    assert informed(asked(EXAMINE, key)) == "Look inside the desk 1 in the study."
    assert informed(asked(EXAMINE, [*key, "go to desk 1"])) == "Turn on the desk lamp 1."


def test_its_words_are_understood() -> None:
    assert intents(informed(asked(HEAT))) >= {Intent.SEARCH}
    assert intents(informed(asked(HEAT, MUG[:1]))) == {Intent.TAKE}
    assert Intent.HEAT in intents(informed(asked(HEAT, MUG)))

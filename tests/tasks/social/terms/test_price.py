"""Prices in what people say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.social.acts import read
from equipoise.tasks.social.terms import terms_of
from tests.tasks.social.build import PRICE, scenario

EURO = scenario("price", {"target": 2000, "limit": 900}, {"target": 800, "limit": 1500}, currency="€")


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("How about $60?", 60.0),
        ("How does $65 sound?", 65.0),
        ("What if we said $65?", 65.0),
        ("$65 and we have a deal.", 65.0),
        ("I could come down to $75, but that's my limit.", 75.0),
        ("I'd be willing to pay $58.", 58.0),
        ("I can offer you $62 tops.", 62.0),
        ("I was hoping to get around $85 for it.", None),
        ("What if it costs 65?", None),
        ("How about 60?", 60.0),
        ("I'd sell it for $70.", 70.0),
        ("fifty?", 50.0),
        ("Would you take fifty dollars?", 50.0),
        ("$1,200 is my price.", 1200.0),
        ("1.200 $", 1200.0),
        ("I could go to 1.2k", 1200.0),
        ("My final offer: $64.50", 64.5),
        ("the best I can do is 61", 61.0),
        ("If that works for you, $66.", 66.0),
        ("I'll give you two hundred and fifty dollars", 250.0),
        ("I paid $80 for it, so 60 would be fair", 60.0),
        ("I can't do 60, but I could do 55", 55.0),
        ("Let's meet in the middle at 62", 62.0),
        ("I want 75 for it.", 75.0),
        ("60, cash, today.", 60.0),
        ("No, 60 is my price.", 60.0),
        ("I was thinking of 65.", 65.0),
        ("Why not 65?", 65.0),
        ("USD 65.", 65.0),
        ("I propose: $1 300.", 1300.0),
        ("How about 60 bucks?", 60.0),
        ("Make it 60.", 60.0),
        ("I wonder if you would take 60.", 60.0),
        ("It is 50 years old; I offer 60.", 60.0),
        ("60 and it's yours.", 60.0),
        ("I would never accept 50.", None),
        ("between 50 and 60", None),
        ("At most 60.", None),
        ("I want 50 or 60.", None),
        ("It is 50 years old.", None),
        ("I'd take 60 if you pick it up.", None),
        ("How about €50?", None),
        ("You said 50.", None),
        ("You offered 50, I think.", None),
        ("50% off?", None),
        ("It cost me $80.", None),
        ("Somebody else offered me $90.", None),
        ("They sell for $90 elsewhere.", None),
        ("My budget is 60.", None),
        ("About 60, perhaps.", None),
        ("No more than 60.", None),
        ("60 is too much.", None),
        ("I can't pay 60.", None),
        ("Ben: $50 is fine.", None),
        ('She said "how about 60?"', None),
        ("I have 2 dogs and 3 cats.", None),
        ("See you at 5 o'clock.", None),
        ("How about 60 euros?", None),
        ("$", None),
        ("How about -5?", None),
        ("How about $60.123.4?", None),
    ],
)
def test_a_price_is_offered_or_it_is_talk(text: str, price: float | None) -> None:
    assert read(PRICE, 0, text).offer == price


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("€1,250.50?", 1250.5),
        ("1.250,50 € and it's yours", 1250.5),
        ("1250 euros?", 1250.0),
        ("EUR 1250?", 1250.0),
        ("How about 1.250 €?", 1250.0),
        ("€1.2k?", 1200.0),
        ("$1250?", None),
        ("How about 1250 dollars?", None),
    ],
)
def test_a_price_has_the_currency_of_its_scenario(text: str, price: float | None) -> None:
    assert read(EURO, 0, text).offer == price


@given(st.integers(0, 10**7), st.booleans())
def test_what_is_said_is_read_back(cents: int, seat: bool) -> None:
    price = cents / 100
    assert read(PRICE, int(seat), f"I propose: {terms_of(PRICE).say(price, 0)}.").offer == price

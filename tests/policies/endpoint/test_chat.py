"""Models behind a chat endpoint: what is sent, what is read, and what happens when the server misbehaves."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.endpoint.partial import PARTIAL
from equipoise.types import Validity
from tests.policies.endpoint.asking import ask, decision, one, policy
from tests.policies.endpoint.server import Say, by_seed, chat, serve


def spec(url: str) -> str:
    return f"openai:m@{url}/v1"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


class TestQuestions:
    def test_the_prompt_is_that_of_the_renderer(self) -> None:
        with serve() as server:
            one(policy(spec(server.url), more={"temperature": 0.5, "max_new_tokens": 7}))
        sent = server.asked[0]
        assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("m", 0.5, 7)
        assert [message["role"] for message in sent["messages"]] == ["user"]
        text = sent["messages"][0]["content"]
        assert text.startswith("You play a repeated game")
        assert text.endswith("Round 1 of 3. Past: none")

    def test_seeds_belong_to_decisions(self) -> None:
        with serve() as server:
            for number in (0, 1, 0):
                one(policy(spec(server.url)), decision(number=number))
        first, second, again = [sent["seed"] for sent in server.asked]
        assert first == again != second

    def test_at_temperature_zero_equal_questions_are_asked_once(self) -> None:
        with serve(usual=lambda asked: chat("DEFECT")) as server:
            player = policy(spec(server.url), more={"temperature": 0.0})
            found = ask(player, [decision(number=n) for n in range(9)])
        assert len(server.asked) == 1
        assert "seed" not in server.asked[0]
        assert [choice.action for choice in found] == ["DEFECT"] * 9

    def test_another_wording_asks_in_other_words_and_is_another_policy(self) -> None:
        player = policy("openai:m@http://127.0.0.1:9/v1")
        other = player.in_wording("formal")  # type: ignore[attr-defined]
        assert other.name.endswith("[formal]")
        assert other.fingerprint != player.fingerprint

    def test_fields_that_a_server_does_not_know_are_left_out_from_then_on(self) -> None:
        unknown = Say({"error": {"message": "Unrecognized request argument supplied: seed"}}, 400)
        longer = Say(
            {"error": {"message": "'max_tokens' is not supported, use 'max_completion_tokens'"}}, 400
        )
        with serve([unknown, longer]) as server:
            player = policy(spec(server.url))
            assert one(player).action == "DEFECT"
            one(player, decision(number=1))
        assert [sorted({"seed", "max_tokens", "max_completion_tokens"} & set(a)) for a in server.asked] == [
            ["max_tokens", "seed"],
            ["max_tokens"],
            ["max_completion_tokens"],
            ["max_completion_tokens"],
        ]


class TestAnswers:
    @pytest.mark.parametrize(
        ("said", "validity"),
        [
            (chat("I think.\nAction: DEFECT"), Validity.VALID),
            (chat("COOPERATE or DEFECT"), Validity.INVALID),
            (chat("Let me think about", finish="length"), Validity.TRUNCATED),
            (chat("I'm sorry, but I can't help with that."), Validity.REFUSAL),
            (chat("I cannot answer that."), Validity.REFUSAL),
            (chat("I can’t do this."), Validity.REFUSAL),
            (chat(None, refusal="No."), Validity.REFUSAL),
            (chat("", finish="content_filter"), Validity.REFUSAL),
            (Say({"error": {"message": "filtered", "code": "content_filter"}}, 400), Validity.REFUSAL),
            (chat(None), Validity.INVALID),
            (Say({"choices": []}), Validity.INVALID),
            (Say({"choices": [{"index": 0}]}), Validity.INVALID),
            (Say({"choices": "no"}), Validity.INVALID),
            (Say([]), Validity.INVALID),
            (Say(b"{not json"), Validity.INVALID),
            (Say(b"[" * 100_000), Validity.INVALID),
            (Say(b"\xff\xfe"), Validity.INVALID),
        ],
        ids=range(17),
    )
    def test_failures_are_data(self, said: Say, validity: Validity) -> None:
        with serve(usual=lambda asked: said) as server:
            choice = one(policy(spec(server.url)))
        assert choice.validity is validity
        assert (choice.action is None) == (validity is not Validity.VALID)
        assert (choice.detail == "") == (validity is Validity.VALID)
        # None of these is mended by asking the same again.
        assert len(server.asked) == 1

    def test_an_apology_that_ends_in_an_action_is_an_action(self) -> None:
        with serve(usual=lambda asked: chat("I'm sorry to do this.\nDEFECT")) as server:
            assert one(policy(spec(server.url))).action == "DEFECT"

    def test_of_several_completions_the_first_counts(self) -> None:
        body = chat("DEFECT").body
        body["choices"] += chat("COOPERATE").body["choices"] * 2
        with serve(usual=lambda asked: Say(body)) as server:
            assert one(policy(spec(server.url))).action == "DEFECT"
        assert "n" not in server.asked[0]

    def test_the_text_is_kept_and_not_trained(self) -> None:
        with serve(usual=lambda asked: chat("Hm.\nDEFECT")) as server:
            (made,) = one(policy(spec(server.url))).generations
        assert (made.role, made.text, made.trainable) == ("action", "Hm.\nDEFECT", False)

    def test_partial_probabilities_stand_beside_the_answer_under_their_own_name(self) -> None:
        tops = [{"token": "CO", "logprob": -0.2231}, {"token": " DEF", "logprob": -2.3026}]
        body = chat("COOPERATE").body
        body["choices"][0]["logprobs"] = {
            "content": [
                {"token": "CO", "logprob": -0.2231, "top_logprobs": tops},
                {"token": "OPERATE", "logprob": 0.0, "top_logprobs": []},
            ]
        }
        with serve(usual=lambda asked: Say(body)) as server:
            choice = one(policy(spec(server.url), top_logprobs=5))
        assert (server.asked[0]["logprobs"], server.asked[0]["top_logprobs"]) == (True, 5)
        # Not the distribution that the action was drawn from: see ``partial``.
        assert choice.probabilities is None
        record = choice.generations[1]
        assert record.role == PARTIAL
        # 0.8 and 0.1 of the mass, over their sum.
        assert json.loads(record.text) == pytest.approx({"COOPERATE": 8 / 9, "DEFECT": 1 / 9}, abs=1e-4)


class TestTrouble:
    @pytest.mark.parametrize(
        "trouble",
        [
            Say({"error": {"message": "slow down"}}, 429),
            Say({"error": {"message": "overloaded"}}, 503),
            Say({"error": {"message": "oops"}}, 500),
            Say(b"<html>bad gateway</html>", 502),
            Say(chat("DEFECT").body, cut=True),
        ],
        ids=["429", "503", "500", "502", "cut"],
    )
    def test_what_passes_is_asked_again(self, trouble: Say) -> None:
        with serve([trouble, trouble]) as server:
            assert one(policy(spec(server.url))).validity is Validity.VALID
        assert len(server.asked) == 3
        # The same question: what is counted does not depend on luck with the server.
        assert server.asked[0] == server.asked[1] == server.asked[2]

    @pytest.mark.parametrize(
        "trouble", [Say({}, 429), Say({}, 500), Say(chat("DEFECT").body, cut=True)], ids=["429", "500", "cut"]
    )
    def test_what_does_not_pass_stops_the_work(self, trouble: Say) -> None:
        with (
            serve(usual=lambda asked: trouble) as server,
            pytest.raises(
                EquipoiseError, match=r"does not answer \(.*\), tried 3 times: see to it"
            ) as caught,
        ):
            one(policy(spec(server.url)))
        assert caught.value.exit_code == 1
        assert len(server.asked) == 3

    def test_no_server_stops_the_work(self) -> None:
        with serve() as server:
            url = server.url
        with pytest.raises(EquipoiseError, match="does not answer"):
            one(policy(spec(url)))

    def test_a_slow_server_is_a_timeout(self) -> None:
        with serve(usual=lambda asked: Say(chat("DEFECT").body, wait=3.0)) as server:
            choice = one(policy(spec(server.url), timeout=0.5, tries=2))
        assert choice.validity is Validity.TIMEOUT
        assert len(server.asked) == 2

    def test_retry_after_is_heeded_by_all(self) -> None:
        with serve([Say({}, 429, {"Retry-After": "0.3"})]) as server:
            ask(policy(spec(server.url), concurrency=1), [decision(number=n) for n in range(3)])
        assert min(server.times[1:]) - server.times[0] >= 0.3

    def test_a_wait_that_is_too_long_stops_the_work(self) -> None:
        with (
            serve([Say({}, 429, {"Retry-After": "3600"})]) as server,
            pytest.raises(EquipoiseError, match="asks to wait 3600 s"),
        ):
            one(policy(spec(server.url)))
        assert len(server.asked) == 1

    def test_a_storm_halves_what_is_open_and_loses_nothing(self) -> None:
        storm = [Say({}, 429)] * 12
        with serve(storm, usual=lambda asked: Say(by_seed(asked).body, wait=0.005)) as server:
            player = policy(spec(server.url), concurrency=8, tries=12)
            found = ask(player, [decision(number=n) for n in range(40)])
        assert all(choice.validity is Validity.VALID for choice in found)
        assert len(server.asked) == 40 + 12
        assert len({sent["seed"] for sent in server.asked}) == 40
        assert 1 < server.most_open <= 8

    @pytest.mark.parametrize(
        ("status", "hint"),
        [(401, "--api-key-env"), (403, "--api-key-env"), (404, "the URL"), (400, "nonsense")],
    )
    def test_a_refused_request_is_wrong(self, status: int, hint: str) -> None:
        with (
            serve(usual=lambda asked: Say({"error": {"message": "nonsense"}}, status)) as server,
            pytest.raises(RequestError, match=hint),
        ):
            one(policy(spec(server.url)))
        assert len(server.asked) == 1

    def test_an_empty_account_is_not_waited_for(self) -> None:
        empty = Say(
            {"error": {"message": "You exceeded insufficient_quota", "code": "insufficient_quota"}}, 429
        )
        with serve(usual=lambda asked: empty) as server, pytest.raises(EquipoiseError, match="quota"):
            one(policy(spec(server.url)))
        assert len(server.asked) == 1


class TestCaps:
    def test_tokens_stop_within_one_request_a_connection(self) -> None:
        stopped = r"took \d+ tokens, the cap is 1000: raise --max-tokens-total"
        with serve(usual=lambda asked: chat("DEFECT", usage=(90, 10))) as server:
            player = policy(spec(server.url), concurrency=4, max_tokens_total=1000)
            with pytest.raises(EquipoiseError, match=stopped):
                ask(player, [decision(number=n) for n in range(40)])
        assert 10 <= len(server.asked) <= 10 + 4

    def test_costs_stop_too(self, tmp_path: Path) -> None:
        # 90 tokens at 1 and 10 at 2 a million are 110 millionths an answer.
        prices = tmp_path / "prices.toml"
        prices.write_text("[m]\ninput = 1.0\noutput = 2.0\n")
        with serve(usual=lambda asked: chat("DEFECT", usage=(90, 10))) as server:
            player = policy(spec(server.url), concurrency=1, max_cost=0.0005, prices=prices)
            with pytest.raises(
                EquipoiseError, match=r"have cost 0.00055, the cap is 0.0005: raise --max-cost"
            ):
                ask(player, [decision(number=n) for n in range(9)])
        assert len(server.asked) == 5

    def test_what_was_spent_before_counts(self, tmp_path: Path) -> None:
        with serve() as server:
            ask(policy(spec(server.url), tmp_path), [decision(number=n) for n in range(5)])
            player = policy(spec(server.url), tmp_path, max_tokens_total=60)
            # What is known costs nothing; one answer more is 72 of 60 tokens.
            ask(player, [decision(number=n) for n in range(5)])
            with pytest.raises(EquipoiseError, match="took 60 tokens"):
                one(player, decision(number=5))
        assert len(server.asked) == 5

    def test_timeouts_are_counted_by_what_they_may_have_taken(self) -> None:
        with serve(usual=lambda asked: Say(chat("DEFECT").body, wait=3.0)) as server:
            player = policy(spec(server.url), timeout=0.5, tries=1, max_tokens_total=200)
            assert one(player).validity is Validity.TIMEOUT
            with pytest.raises(EquipoiseError, match="the cap is 200"):
                one(player, decision(number=1))

    def test_a_server_that_does_not_count_keeps_no_cap(self) -> None:
        with serve(usual=lambda asked: chat("DEFECT", usage=None)) as server:
            assert one(policy(spec(server.url))).action == "DEFECT"
            with pytest.raises(RequestError, match="does not say how many tokens"):
                one(policy(spec(server.url), max_tokens_total=1000))


class TestKeys:
    def test_the_key_comes_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MY_KEY", "sk-secret-0123456789")
        with serve() as server:
            one(policy(spec(server.url), api_key_env="MY_KEY"))
        assert server.headers[0]["authorization"] == "Bearer sk-secret-0123456789"

    def test_a_missing_key_is_named(self) -> None:
        with pytest.raises(RequestError, match="no OPENAI_API_KEY"):
            policy("openai:gpt@https://example.org/v1")
        with pytest.raises(RequestError, match="no NOT_THERE"):
            policy("openai:m@http://127.0.0.1:9/v1", api_key_env="NOT_THERE")
        assert "NOT_THERE" not in os.environ

    def test_an_error_that_repeats_the_key_does_not_show_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
        wrong = Say({"error": {"message": "Incorrect API key provided: sk-secret-0123456789"}}, 401)
        with serve(usual=lambda asked: wrong) as server, pytest.raises(RequestError) as caught:
            one(policy(spec(server.url)))
        assert "sk-secret" not in str(caught.value)
        assert "***" in str(caught.value)


def test_half_a_pair_of_surrogates_can_be_kept(tmp_path: Path) -> None:
    body = json.dumps(chat("\ud83d\nDEFECT").body).encode()
    with serve(usual=lambda asked: Say(body)) as server:
        choice = one(policy(spec(server.url), tmp_path))
    assert choice.generations[0].text == "?\nDEFECT"
    assert "?" in (tmp_path / "answers.jsonl").read_text()

"""Real coding agents, with the settings of docs/clients.md, on a task of two tools."""

from itertools import pairwise

REUSED = 0.9  # of a prompt; nothing is computed twice but what an agent rewrites


def test_every_task_is_done_and_said_to_be(trial):
    outcome = [(task["exit"], task["done"], task["said"]) for task in trial["tasks"]]

    assert outcome == [(0, True, True)] * 3


def test_a_task_takes_a_request_for_each_tool_and_one_for_the_answer(trial):
    assert [len(task["requests"]) for task in trial["tasks"]] == [3, 3, 3]


def test_the_second_turn_takes_the_first_ones_prompt_from_the_prefix_cache(trial):
    first, second, _ = (task["requests"][0] for task in trial["tasks"])

    assert second["cached"] >= REUSED * first["prompt"]


def test_a_new_session_takes_the_first_ones_prompt_from_the_prefix_cache(trial):
    first, _, anew = (task["requests"][0] for task in trial["tasks"])

    assert anew["cached"] >= REUSED * first["prompt"]


def test_within_a_turn_each_request_goes_on_from_the_one_before(trial):
    for task in trial["tasks"]:
        for before, after in pairwise(task["requests"]):
            assert after["cached"] >= REUSED * before["prompt"]

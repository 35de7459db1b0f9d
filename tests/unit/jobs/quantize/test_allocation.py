import random
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.quantize.allocation import Choices, allocate

harms = st.floats(0, 10, allow_nan=False)


def module(weights: int, harm: dict[int, float]) -> Choices:
    return {bits: (weights * bits // 8, value) for bits, value in harm.items()}


def cost(choices: dict[str, Choices], chosen: dict[str, int]) -> tuple[int, float]:
    picked = [choices[name][bits] for name, bits in chosen.items()]
    return sum(size for size, _ in picked), sum(harm for _, harm in picked)


def best_harm(choices: dict[str, Choices], budget: int) -> float:
    """The least harm within the budget, by trying everything."""
    names = list(choices)
    options = [dict(zip(names, bits, strict=True)) for bits in product(*choices.values())]
    return min(harm for size, harm in (cost(choices, o) for o in options) if size <= budget)


def test_bits_go_where_they_save_most() -> None:
    choices = {
        "calm": module(800, {4: 0.02, 8: 0.01}),
        "tender": module(800, {4: 0.5, 8: 0.1}),
    }

    assert allocate(choices, 1200) == {"calm": 4, "tender": 8}


def test_a_small_module_is_raised_before_a_large_one_of_equal_harm() -> None:
    choices = {
        "large": module(8000, {4: 0.5, 8: 0.1}),
        "small": module(800, {4: 0.5, 8: 0.1}),
    }

    assert allocate(choices, 4000 + 800) == {"large": 4, "small": 8}


def test_what_no_budget_allows_is_none() -> None:
    assert allocate({"a": module(800, {4: 0.5, 8: 0.1})}, 399) is None


def test_room_that_no_best_raise_fits_is_used_by_another() -> None:
    choices = {
        "large": module(8000, {4: 0.9, 8: 0.1}),
        "small": module(80, {4: 0.2, 8: 0.19}),
    }

    assert allocate(choices, 4000 + 80) == {"large": 4, "small": 8}


def test_a_wider_choice_that_harms_more_is_never_taken() -> None:
    assert allocate({"a": module(800, {4: 0.1, 6: 0.3, 8: 0.2})}, 10_000) == {"a": 4}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 20), st.lists(harms, min_size=3, max_size=3)), min_size=1,
             max_size=5),
    st.floats(0, 1),
)  # fmt: skip
def test_the_budget_holds_and_the_loss_against_the_optimum_is_one_raise_at_most(
    modules: list[tuple[int, list[float]]], share: float
) -> None:
    choices = {
        f"m{index}": module(weights * 8, dict(zip((3, 4, 8), sorted(harm)[::-1], strict=True)))
        for index, (weights, harm) in enumerate(modules)
    }
    least = sum(min(size for size, _ in c.values()) for c in choices.values())
    most = sum(max(size for size, _ in c.values()) for c in choices.values())
    budget = int(least + share * (most - least))

    chosen = allocate(choices, budget)

    assert chosen is not None
    size, harm = cost(choices, chosen)
    largest_raise = max(
        max(h for _, h in c.values()) - min(h for _, h in c.values()) for c in choices.values()
    )
    assert size <= budget
    assert harm <= best_harm(choices, budget) + largest_raise + 1e-9


def test_a_whole_model_is_allocated_in_a_moment_and_always_alike() -> None:
    numbers = random.Random(1)
    choices = {
        f"layer.{index}": module(
            numbers.randint(10**5, 10**7), {2: 3.0, 3: 1.0, 4: numbers.random(), 8: 0.0}
        )
        for index in range(500)
    }
    budget = sum(c[4][0] for c in choices.values())

    assert allocate(choices, budget) == allocate(choices, budget)

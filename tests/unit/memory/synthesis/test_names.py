"""Names of subjects."""

import pytest

from memory.synthesis.names import canonical, contains, free_title, similarity, title_of
from memory.writing import require_stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Atlas", "atlas"),
        ("Atlas's", "atlas"),
        ("weather_station", "Weather Station"),
        ("  A   map ", "map"),
        ("Caf\u00e9", "Cafe\u0301"),
    ],
)
def test_spellings_of_one_name_are_equal(one, other):
    assert canonical(one) == canonical(other)


def test_signs_that_tell_names_apart_are_kept():
    assert canonical("C++") != canonical("C")


def test_one_word_is_no_part_of_a_name_but_two_are():
    assert contains("weather station", "small weather station")
    assert not contains("station", "weather station")


def test_likeness_falls_from_one_to_none():
    assert similarity("postgres", "postgres") == 1
    assert similarity("postgres", "postgresql") > 0.35
    assert similarity("postgres", "hikers") < 0.1


def test_a_title_can_be_a_file_s_name():
    title = title_of("..weather/st*ation: [the] #1 <big>\u200b one.")

    require_stem(title.replace(" ", "_"))
    assert title[0].isupper()


def test_a_title_that_is_taken_in_any_letter_case_gets_a_number():
    assert free_title("Big map", ["big_Map", "Big_map_(2)"]) == "Big map (3)"

"""Keys, found by what covers them; against a plain dict, and by what that costs."""

from hypothesis import given
from hypothesis import strategies as st

from inference.engine.cache.ssd.key_tree import KeyTree


def make(*keys):
    tree = KeyTree()
    for number, key in enumerate(keys):
        tree.put(key, number)
    return tree


def test_keys_come_in_their_order_with_their_values():
    tree = make(("", (2, 1)), ("", (1,)), ("poet", (1,)))

    tree.put(("", (2, 1)), 7)

    assert list(tree.items()) == [(("", (2, 1)), 7), (("", (1,)), 1), (("poet", (1,)), 2)]
    tree.pop_oldest()
    assert list(tree) == [("", (1,)), ("poet", (1,))]


def test_an_entry_covers_its_own_key_and_those_that_can_be_cut_from_it():
    tree = make(("", (1,)), ("", (1, 2, 3)), ("", (1, 2, 3, 4)), ("", (1, 9)), ("poet", (1,)))

    assert tree.covered(("", (1, 2, 3)), can_trim=True) == [("", (1,)), ("", (1, 2, 3))]
    assert tree.covered(("", (1, 2, 3)), can_trim=False) == [("", (1, 2, 3))]
    assert tree.covered(("", (1, 2)), can_trim=False) == []
    assert tree.covered(("", (7,)), can_trim=True) == []


KEYS = st.tuples(
    st.sampled_from(["", "poet"]), st.lists(st.integers(0, 1), min_size=1, max_size=5).map(tuple)
)


@given(st.lists(st.tuples(st.booleans(), KEYS)), KEYS)
def test_it_behaves_like_a_dict(operations, asked):
    tree, plain = KeyTree(), {}

    for number, (comes, key) in enumerate(operations):
        if comes:
            tree.put(key, number)
            plain[key] = number
        else:
            assert tree.pop(key) == plain.pop(key, None)

    assert (list(tree.items()), len(tree)) == (list(plain.items()), len(plain))
    namespace, tokens = asked
    assert set(tree.covered(asked, can_trim=True)) == {
        key for key in plain if key[0] == namespace and key[1] == tokens[: len(key[1])]
    }


class Token(int):
    """Counts how often one is compared with another."""

    comparisons = 0
    __hash__ = int.__hash__

    def __eq__(self, other):
        Token.comparisons += 1
        return int(self) == int(other)


def test_one_of_many_with_a_common_beginning_costs_as_much_as_one_of_few():
    def key(number):
        return "", tuple(Token(token) for token in (*range(100), number, 1))

    tree = make(*(key(1000 + number) for number in range(200)))
    Token.comparisons = 0

    tree.put(key(5000), 0)
    assert len(tree.covered(key(5000), can_trim=True)) == 1
    tree.pop(key(5000))

    assert Token.comparisons < 10 * 100

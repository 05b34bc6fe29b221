from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from leeward.lab.pictures.layout import LINE, Label, dodged

ROOM = 400.0

labels = st.builds(
    Label,
    st.sampled_from(["one row", "two\nrows", "it\nhas\nthree"]),
    st.just("#000000"),
    st.floats(-50, 450),
)


@given(st.lists(labels, max_size=10))
def test_labels_never_cover_each_other_and_stay_inside(found: list[Label]) -> None:
    placed = sorted(zip(dodged(found, room=ROOM), found, strict=True), key=lambda one: one[0])
    for (upper, above), (lower, below) in pairwise(placed):
        assert lower - upper >= (above.height + below.height) / 2 - 1e-6
    for at, label in placed:
        assert label.height / 2 - 1e-6 <= at <= ROOM - label.height / 2 + 1e-6


@given(st.lists(labels, max_size=10))
def test_labels_keep_the_order_of_their_lines(found: list[Label]) -> None:
    placed = dodged(found, room=ROOM)
    order = sorted(range(len(found)), key=lambda one: found[one].wanted)
    assert order == sorted(range(len(found)), key=lambda one: placed[one])


def test_labels_with_room_stay_where_they_want_to_be() -> None:
    found = [Label("a", "", 100), Label("b", "", 20), Label("c", "", 300)]
    assert dodged(found, room=ROOM) == (100, 20, 300)


def test_labels_that_want_the_same_place_share_it_evenly() -> None:
    found = [Label("a", "", 200), Label("b", "", 200), Label("c", "", 200)]
    assert dodged(found, room=ROOM) == (200 - LINE, 200, 200 + LINE)

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from leeward.lab.evaluate.panel_sheet import LINE, EndLabel, dodged

ROOM = 400.0

labels = st.builds(
    EndLabel,
    st.sampled_from(["one row", "two\nrows", "it\nhas\nthree"]),
    st.just("#000000"),
    st.tuples(st.just(400.0), st.floats(-50, 450)),
)


@given(st.lists(labels, max_size=10))
def test_labels_never_cover_each_other_and_stay_inside(names: list[EndLabel]) -> None:
    placed = sorted(zip(dodged(names, room=ROOM), names, strict=True), key=lambda one: one[0])
    for (upper, above), (lower, below) in pairwise(placed):
        assert lower - upper >= (above.height + below.height) / 2 - 1e-6
    for at, label in placed:
        assert label.height / 2 - 1e-6 <= at <= ROOM - label.height / 2 + 1e-6


@given(st.lists(labels, max_size=10))
def test_labels_keep_the_order_of_their_lines(names: list[EndLabel]) -> None:
    placed = dodged(names, room=ROOM)
    order = sorted(range(len(names)), key=lambda at: names[at].end[1])
    assert order == sorted(range(len(names)), key=lambda one: placed[one])


def test_labels_with_room_stay_where_they_want_to_be() -> None:
    names = [EndLabel("a", "", (0, 100)), EndLabel("b", "", (0, 20)), EndLabel("c", "", (0, 300))]
    assert dodged(names, room=ROOM) == (100, 20, 300)


def test_labels_that_want_the_same_place_share_it_evenly() -> None:
    names = [EndLabel("a", "", (0, 200)), EndLabel("b", "", (0, 200)), EndLabel("c", "", (0, 200))]
    assert dodged(names, room=ROOM) == (200 - LINE, 200, 200 + LINE)

"""What can be wanted of a movie, and what cannot."""

from __future__ import annotations

import pytest

from zarrbrowser.export.movies.movie import MovieOptions


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"width": 10}, "sides of a movie"),
        ({"height": 10**6}, "sides of a movie"),
        ({"rate": 0}, "frame rate"),
        ({"last": 10**6}, "frames are too many"),
    ],
)
def test_a_movie_that_cannot_be_made_is_refused(changes: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MovieOptions(**{"kind": "gif", "axis": 0, "first": 0, "last": 3, **changes})


def test_a_frame_has_the_size_of_the_movie() -> None:
    options = MovieOptions("gif", 0, 0, 3, rate=2, width=501, height=333)
    assert options.frame_options("here").pixels == (501, 333)
    assert options.frame_options("here").title == "here"
    assert options.duration_s == 2

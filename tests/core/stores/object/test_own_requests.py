"""How a listing by our own requests goes on, and ends, whatever the service."""

import pytest

from zarrcore.errors import BrokenBodyError, StoreTimeoutError
from zarrcore.stores.object.own_requests import FailedListingError, Page, following, with_an_end

NAMES = {"": ("a", "1"), "1": ("b", "2"), "2": ("c", "")}


def page(place: str) -> Page:
    name, place = NAMES[place]
    return Page([{"path": name}], [], place, bool(place))


def test_pages_follow_each_other_to_the_last() -> None:
    assert [one["path"] for found in following(page) for one in found.objects] == ["a", "b", "c"]


def test_a_page_that_is_cut_and_names_no_place_is_not_the_last() -> None:
    with pytest.raises(FailedListingError, match="incomplete"):
        list(following(lambda _: Page([], [], "", is_cut=True)))


def test_a_page_that_leads_to_itself_is_an_error() -> None:
    with pytest.raises(BrokenBodyError, match=r"^az://c: the listing repeats itself"):
        list(with_an_end(following(lambda _: Page([], [], "here", is_cut=True)), "az://c", 9))


def test_a_listing_without_names_and_end_is_an_error() -> None:
    empty = (Page([], [], f"more than {count}", is_cut=True) for count in range(3))
    with pytest.raises(StoreTimeoutError, match="without naming a key"):
        list(with_an_end(empty, "s3://b", -1.0))

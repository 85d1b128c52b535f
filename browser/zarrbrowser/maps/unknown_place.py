"""The error of images without a map."""


class UnknownPlaceError(Exception):
    """Nothing says where the elements are; the message is a sentence for people, or empty if there is nothing to say."""

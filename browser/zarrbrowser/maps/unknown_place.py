"""The error of images without a map."""


class UnknownPlaceError(Exception):
    """Nothing tells where the elements are; the message is a sentence for people, or empty if there is nothing to say."""

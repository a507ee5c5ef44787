"""Splits: which groups of objects are for training and which are held out."""

import hashlib

DEV_SHARE = 0.1  # of the groups, where no index decides


def choose_split(group: str) -> str:
    """The split of a group by the hash of its name, so that it is the same in every build."""
    share = int.from_bytes(hashlib.sha256(group.encode()).digest()[:4], "big") / 2**32
    return "dev" if share < DEV_SHARE else "train"

"""Passages of the reranker: windows of a paper's sentences around a hit, shown so that no gap tells the answer."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

#: How far from the hit a sentence may be that is left out of another paper: a gap must be able to show.
REACH = 6
NEAR_COPY = 0.8
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Limits:
    """Tokens of a joint input and of its query, special ones included in the first; sentences at most."""

    tokens: int = 160
    query: int = 64
    sentences: int = 12

    def room(self, query_tokens: int) -> int:
        """Tokens left for sentences and their separators, beside [CLS] query [SEP]."""
        return self.tokens - min(query_tokens, self.query) - 2


def window_around(counts: Sequence[int], hit: int, query_tokens: int, limits: Limits) -> tuple[int, int]:
    """
    First and last sentence of the window around `hit`, both within. `counts`: tokens of each sentence
    without special ones. It grows by two sentences after for every one before; a side that is exhausted
    or would not fit is closed. The hit itself is in it whatever its length (it is cut).
    """
    room = limits.room(query_tokens) - counts[hit] - 1
    first = last = hit
    open_sides = {1: True, -1: True}
    turn = 0
    while (open_sides[1] or open_sides[-1]) and last - first + 1 < limits.sentences:
        side = (1, 1, -1)[turn % 3]
        turn += 1
        if not open_sides[side]:
            continue
        place = last + 1 if side == 1 else first - 1
        if not 0 <= place < len(counts) or counts[place] + 1 > room:
            open_sides[side] = False
            continue
        room -= counts[place] + 1
        first, last = min(first, place), max(last, place)
    return first, last


def words(text: str) -> list[str]:
    """Words in lower case after Unicode normalisation (NFKC), in order."""
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


def is_near_copy(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two sentences, given as `words`, are the same or nearly (Jaccard of words > 0.8)."""
    if list(a) == list(b):
        return True
    one, other = set(a), set(b)
    shared = len(one & other)
    return bool(shared) and shared / (len(one) + len(other) - shared) > NEAR_COPY


def left_out(query: str, paper: str, shown: Sequence[int], hit: int) -> int | None:
    """
    The sentence of another paper that is not shown, chosen by a hash of the query's and the paper's ids:
    where every paper lacks one, the sentence that the gold's paper lacks says nothing.
    `shown`: places that could be; `hit`: the place that is kept in any case.
    """
    at = shown.index(hit)
    choices = [*shown[max(0, at - REACH) : at], *shown[at + 1 : at + 1 + REACH]]
    if not choices:
        return None
    return choices[zlib.crc32(f"{query}\0{paper}".encode()) % len(choices)]


def free_run(shown: Sequence[int], hit: int, taken: set[int]) -> list[int]:
    """The consecutive places of `shown` around `hit` that no earlier passage has taken."""
    at = shown.index(hit)
    first = last = at
    while first > 0 and shown[first - 1] not in taken:
        first -= 1
    while last + 1 < len(shown) and shown[last + 1] not in taken:
        last += 1
    return list(shown[first : last + 1])

"""Features of a passage's sentences besides the retriever's cosine: BM25 among a query's candidates, and context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

K1, B = 0.9, 0.4
BEFORE = 4
#: Same tokens, stop words and stems as server/evaluation/words.ts.
TOKEN = re.compile(r"\w{2,}")
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there "
    "these they this to was will with".split()
)


@lru_cache(maxsize=500_000)
def stem(word: str) -> str:
    """Porter's stem of a word. Exits where PyStemmer is not installed."""
    return _stemmer().stemWord(word)


@lru_cache(maxsize=1)
def _stemmer():
    try:
        import Stemmer
    except ImportError as error:
        raise SystemExit("Install the stemmer first: pip install PyStemmer") from error
    return Stemmer.Stemmer("porter")


def terms(text: str) -> list[str]:
    """Stems of a text's content words, in order, repeated as often as they stand there."""
    return [stem(t) for t in TOKEN.findall(text.lower()) if t not in STOP_WORDS]


def bm25(counts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """
    BM25 (Lucene's variant) of n documents. `counts` (terms of the query, repeats included, n): how often
    each stands in each document; `lengths` (n): terms of each.
    """
    n = len(lengths)
    if n == 0 or len(counts) == 0:
        return np.zeros(n, np.float32)
    held = (counts > 0).sum(axis=1, keepdims=True)
    idf = np.log(1 + (n - held + 0.5) / (held + 0.5))
    mean = lengths.mean() or 1.0
    norm = K1 * (1 - B + B * lengths / mean)
    return (idf * counts / (counts + norm)).sum(axis=0).astype(np.float32)


def over_best(scores: np.ndarray) -> np.ndarray:
    """Scores over the best of them; zeros where none is above 0."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else np.zeros_like(scores)


def lexical_features(query: Sequence[str], passages: Sequence[Sequence[Counter]]) -> tuple[np.ndarray, np.ndarray]:
    """
    BM25 of the query with every sentence (flat, in the passages' order) and with every passage, each over
    the best of its kind. The collection is the query's own candidates. `query`: terms; sentences: term counts.
    """
    sentences = [s for passage in passages for s in passage]
    if not sentences:
        return np.zeros(0, np.float32), np.zeros(len(passages), np.float32)
    counts = np.array([[s[t] for s in sentences] for t in query], np.float32).reshape(len(query), len(sentences))
    lengths = np.array([s.total() for s in sentences], np.float32)
    starts = np.cumsum([0] + [len(p) for p in passages])[:-1]
    whole = bm25(np.add.reduceat(counts, starts, axis=1), np.add.reduceat(lengths, starts))
    return over_best(bm25(counts, lengths)), over_best(whole)


def before(plain: np.ndarray) -> np.ndarray:
    """Best cosine of the plain query with the up to four sentences before each of one passage, at least 0."""
    made = np.zeros(len(plain), np.float32)
    for i in range(1, len(plain)):
        made[i] = max(0.0, float(plain[max(0, i - BEFORE) : i].max()))
    return made

"""Finds for each query the sentences of other papers that are worth a label."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np

from label_corpus import Query, Sentences
from label_encoder import Encoder

# How far down each list candidates are looked for.
DEPTH = 60
# Up to which rank a list counts as a candidate's source.
NEAR = 10
# Hits whose following sentences are offered.
HITS = 10
CONTEXT = 4
CONTEXT_WEIGHT = 0.7
COPY = 0.95
A_PAPER = 2
# Never of use, and easy to tell without labels.
BOILERPLATE = re.compile(
    r"https?:|www\.|github|\b(code|data|datasets?|models?|weights|demo|videos?|materials?)\b"
    r".{0,80}\b(available|released|found (at|here|on))\b",
    re.I,
)
MIN_WORDS = 5
BLOCK = 64


@dataclass
class Candidate:
    """A sentence to label, by its row in `Sentences`."""

    row: int
    # The list it was taken from and every list with it among the first NEAR: its rank there, from 1.
    sources: dict[str, int] = field(default_factory=dict)


class Bm25:
    """k1 0.9, b 0.4, English stop words, Porter stemming where PyStemmer is installed."""

    def __init__(self, texts: list[str]):
        try:
            import bm25s
        except ImportError as error:
            raise SystemExit("Install BM25 first: pip install bm25s PyStemmer") from error
        try:
            import Stemmer

            self._stemmer = Stemmer.Stemmer("porter")
        except ImportError:
            self._stemmer = None
            print("PyStemmer is not installed: BM25 runs without stemming.", file=sys.stderr)
        self._bm25s = bm25s
        self._index = bm25s.BM25(k1=0.9, b=0.4)
        self._index.index(self._tokens(texts), show_progress=False)

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        return self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False)

    def scores(self, text: str) -> np.ndarray:
        """A score for every sentence; all 0 where no word of `text` is in the corpus."""
        return self._index.get_scores(self._tokens([text])[0])


def before(sims: np.ndarray, place: np.ndarray) -> np.ndarray:
    """For each sentence (column) the best of the CONTEXT sentences before it in its paper, or 0."""
    best = np.full_like(sims, -np.inf)
    for back in range(1, CONTEXT + 1):
        inside = place[back:] >= back
        shifted = np.where(inside, sims[:, : sims.shape[1] - back], -np.inf)
        best[:, back:] = np.maximum(best[:, back:], shifted)
    best[:, place == 0] = 0
    return best


def top(scores: np.ndarray, allowed: np.ndarray, depth: int = DEPTH) -> list[int]:
    """Rows of the highest positive scores, best first."""
    masked = np.where(allowed, scores, -np.inf)
    depth = min(depth, len(masked))
    rows = np.argpartition(-masked, depth - 1)[:depth]
    rows = rows[np.lexsort((rows, -masked[rows]))]
    return [int(row) for row in rows if masked[row] > 0]


def after_hits(hits: list[int], sentences: Sentences, scores: np.ndarray, allowed: np.ndarray) -> list[int]:
    """The one to three sentences after each hit: first the best one of each, then the next."""
    each = []
    for hit in hits:
        left = sentences.size[hit] - 1 - sentences.place[hit]
        following = [row for row in range(hit + 1, hit + 1 + min(3, left)) if allowed[row]]
        each.append(sorted(following, key=lambda row: -scores[row]))
    found = [rows[turn] for turn in range(3) for rows in each if turn < len(rows)]
    return list(dict.fromkeys(found))


def normal(text: str) -> str:
    """The words of a text in lower case, without punctuation, to tell copies by."""
    return " ".join(re.findall(r"\w+", text.lower()))


class Finder:
    """Candidates from BM25, from each encoder alone and with context, and from after their hits."""

    def __init__(self, sentences: Sentences, encoders: list[Encoder], names: list[str], what: str):
        self._sentences = sentences
        self._encoders = encoders
        self._names = names
        self._bm25 = Bm25(sentences.text)
        self._vectors = [encoder.documents(sentences.text, what) for encoder in encoders]
        self._place = np.array(sentences.place)
        self._usable = np.array(
            [
                len(text.split()) >= MIN_WORDS and not BOILERPLATE.search(shown)
                for text, shown in zip(sentences.text, sentences.shown)
            ]
        )
        self._rows: dict[str, list[int]] = {}
        for row, paper in enumerate(sentences.paper):
            self._rows.setdefault(paper, []).append(row)
        self._titled: dict[str, list[str]] = {}
        for paper, title in sentences.titles.items():
            self._titled.setdefault(normal(title), []).append(paper)
        self._normal = [normal(text) for text in sentences.text]

    def find(self, queries: list[Query], count: int, random: Random) -> Iterator[tuple[Query, list[Candidate]]]:
        """At most `count` candidates a query, in random order."""
        queries = sorted(queries, key=lambda query: query.move)
        for move in sorted({query.move for query in queries}):
            same = [query for query in queries if query.move == move]
            for at in range(0, len(same), BLOCK):
                yield from self._block(move, same[at : at + BLOCK], count, random)

    def _block(self, move: str, queries: list[Query], count: int, random: Random) -> Iterator[tuple[Query, list[Candidate]]]:
        texts = [query.text for query in queries]
        # As a query of the move, and as a plain sentence: what restates or copies the query.
        asked = [encoder.queries(move, texts) @ vectors.T for encoder, vectors in zip(self._encoders, self._vectors)]
        plain = [encoder.sentences(texts) @ vectors.T for encoder, vectors in zip(self._encoders, self._vectors)]
        context = [before(sims, self._place) for sims in plain]
        for i, query in enumerate(queries):
            allowed = self._allowed(query, plain[0][i])
            lists: dict[str, list[int]] = {"bm25": top(self._bm25.scores(query.text), allowed)}
            hits = [lists["bm25"]]
            for name, score, sims, near in zip(self._names, asked, plain, context):
                lists[f"dense:{name}"] = top(score[i], allowed)
                lists[f"combine:{name}"] = top(score[i] + CONTEXT_WEIGHT * near[i], allowed)
                hits.append(top(sims[i], allowed))
            turns = [rows[turn] for turn in range(DEPTH) for rows in hits if turn < len(rows)]
            first = list(dict.fromkeys(turns))[:HITS]
            lists["after"] = after_hits(first, self._sentences, asked[-1][i], allowed)
            yield query, self._pick(query, lists, count, random)

    def _allowed(self, query: Query, plain: np.ndarray) -> np.ndarray:
        """Not the query's own paper, nor another version of it, nor near-copies of the query."""
        allowed = self._usable.copy()
        title = normal(self._sentences.titles[query.paper])
        papers = {query.paper, *(self._titled[title] if title else ())}
        papers |= {self._sentences.paper[row] for row in np.flatnonzero(plain > COPY)}
        for paper in papers:
            allowed[self._rows[paper]] = False
        return allowed

    def _pick(self, query: Query, lists: dict[str, list[int]], count: int, random: Random) -> list[Candidate]:
        """One of each list in turn, until there are `count`."""
        turns = list(lists)
        random.shuffle(turns)
        waiting = {name: list(rows) for name, rows in lists.items()}
        picked: list[Candidate] = []
        vectors = self._vectors[0]
        texts = {normal(query.text)}
        papers: dict[str, int] = {}
        while len(picked) < count and any(waiting.values()):
            for name in turns:
                while waiting[name]:
                    row = waiting[name].pop(0)
                    paper = self._sentences.paper[row]
                    if self._normal[row] in texts or papers.get(paper, 0) >= A_PAPER:
                        continue
                    others = [candidate.row for candidate in picked]
                    if others and (vectors[others] @ vectors[row]).max() > COPY:
                        continue
                    texts.add(self._normal[row])
                    papers[paper] = papers.get(paper, 0) + 1
                    picked.append(Candidate(row, {name: lists[name].index(row) + 1}))
                    break
                if len(picked) == count:
                    break
        for candidate in picked:
            for name, rows in lists.items():
                if candidate.row in rows[:NEAR]:
                    candidate.sources[name] = rows.index(candidate.row) + 1
        random.shuffle(picked)
        return picked

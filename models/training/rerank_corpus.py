"""Which queries the reranker learns from, and the sentences among which their passages are sought."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mined import MOVES, paper_of, place_of, read_labels, read_lines, read_pairs
from rerank_features import terms
from rerank_passages import words

#: Moves and their number in the data files; `none` is a plain question.
MOVE = {"address": 0, "broaden": 1, "specify": 2, "none": 3}
PROMPTS = {"address": "address: ", "broaden": "broaden: ", "specify": "specify: ", "none": ""}
OPPOSITE = {"broaden": "specify", "specify": "broaden"}
#: Of a full text, only what stands this near a query is searched.
AROUND = 12
LONG = 40


@dataclass
class Query:
    """
    `paper`: the query's own, empty for a question of nobody's paper. `sentence`: id of the query itself in it, None
    for a title or question. `labels`: sentence id to 0 or 1.
    """

    id: str
    move: str
    text: str
    paper: str
    sentence: str | None
    gold: str | None
    labels: dict[str, int] = field(default_factory=dict)


@dataclass
class Corpus:
    """Sentences in order. `block` numbers runs of one paper's sentences in one section; `place`: (index, count)."""

    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    papers: list[str] = field(default_factory=list)
    block: list[int] = field(default_factory=list)
    place: list[tuple[int, int]] = field(default_factory=list)
    of: dict[str, int] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._words: dict[int, list[str]] = {}
        self._terms: dict[int, Counter] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def words(self, i: int) -> list[str]:
        """Words of sentence `i` as near-copies are told by, kept."""
        if i not in self._words:
            self._words[i] = words(self.texts[i])
        return self._words[i]

    def terms(self, i: int) -> Counter:
        """How often each stem of a content word stands in sentence `i`, kept."""
        if i not in self._terms:
            self._terms[i] = Counter(terms(self.texts[i]))
        return self._terms[i]

    def blocks(self) -> list[list[int]]:
        """The sentences' places by block, in order."""
        out: list[list[int]] = []
        for i, number in enumerate(self.block):
            if number == len(out):
                out.append([])
            out[number].append(i)
        return out

    def role_known(self, i: int) -> bool:
        """Whether the role classifier, made for abstracts, may judge the sentence."""
        return self.place[i][1] > 0


def chosen_queries(
    folders: list[Path],
    counts: dict[str, int],
    labels: Path | None,
    seed: int,
    without: frozenset[str] = frozenset(),
    papers_without: frozenset[str] = frozenset(),
) -> list[Query]:
    """
    Labelled queries first, then pairs at random up to `counts` a move. `without`: queries whose labels are not used;
    `papers_without`: papers whose pairs are not.
    """
    known = read_labels(labels, without=without) if labels else {}
    rng = np.random.default_rng(seed)
    pairs = []
    for folder in folders:
        pairs += read_pairs(folder, papers_without)
    out = []
    for move in MOVES:
        mine = [p for p in pairs if p.move == move]
        mine = [mine[i] for i in rng.permutation(len(mine))]
        marked = [p for p in mine if (move, p.query_id) in known]
        free = [p for p in mine if (move, p.query_id) not in known]
        for p in [*marked, *free][: counts[move]]:
            held = known.get((move, p.query_id), {})
            out.append(Query(f"{move}:{p.gold_id}", move, p.query, p.paper, p.query_id, p.gold_id, held))
    return out


def read_questions(path: Path, split: str, papers: set[str]) -> list[Query]:
    """
    Plain questions and which papers bear on them (questions.jsonl: of each paper the sentence nearest to the
    question), those of `papers` alone. Of a paper that does not bear on it `expand` labels all sentences.
    """
    out = []
    for row in read_lines(path):
        if row["split"] == split:
            held = {name: label for name, label in row["labels"].items() if paper_of(name) in papers}
            if len(set(held.values())) == 2:
                out.append(Query(row["id"], "none", row["text"], "", None, None, held))
    return out


def expand(query: Query, corpus: Corpus) -> None:
    """Labels 0 on all sentences of papers that do not bear on a question, after those that were labelled."""
    bare = {paper_of(name) for name, label in query.labels.items() if label == 0}
    for name, paper in zip(corpus.ids, corpus.papers):
        if paper in bare:
            query.labels.setdefault(name, 0)


def lot(name: str) -> float:
    """A number in 0…1 that depends on the name alone."""
    return zlib.crc32(name.encode()) / 2**32


def read_corpus(
    folders: list[Path], queries: list[Query], titles: int, limit: int, seed: int, without: frozenset[str] = frozenset()
) -> tuple[Corpus, list[Query]]:
    """
    The queries' papers, those of labelled sentences, and others at random up to `limit` sentences; with
    `titles` of the papers as plain questions. None of the papers `without`. Exits where a folder lacks a query's paper.
    """
    wanted = {q.paper for q in queries if q.paper}
    for q in queries:
        wanted |= {paper_of(name) for name in q.labels}
    anchors: dict[str, list[int]] = {}
    for q in queries:
        for name in (q.sentence, q.gold):
            if name:
                anchors.setdefault(q.paper, []).append(place_of(name))
    papers: dict[str, list[dict]] = {}
    for folder in folders:
        for row in read_lines(folder / "pool.jsonl"):
            if row["paper"] not in without:
                papers.setdefault(row["paper"], []).append(row)
    if missing := [p for p in wanted if p not in papers]:
        raise SystemExit(f"pool.jsonl lacks {len(missing)} papers of the chosen queries, such as {missing[0]}")
    # Titles of several words whose abstract is long enough to hold an answer.
    able = [p for p, rows in papers.items() if 4 <= len(rows) <= LONG and 5 <= len(rows[0]["title"].split()) <= 24]
    able.sort(key=lambda p: lot(f"title {seed} {p}"))
    asked = able[:titles]
    others = sorted((p for p in papers if p not in wanted), key=lambda p: lot(f"other {seed} {p}"))
    corpus, size = Corpus(), 0
    keep: list[str] = []
    needed = wanted | set(asked)
    for paper in [*sorted(needed), *others]:
        if paper in needed or (size < limit and len(papers[paper]) <= LONG):
            keep.append(paper)
            size += min(len(papers[paper]), LONG)
    # A title's paper stands among the others too.
    for paper in dict.fromkeys(keep):
        add_paper(corpus, paper, papers[paper], anchors.get(paper, []))
    made = [Query(f"none:{p}", "none", papers[p][0]["title"], p, None, None) for p in asked]
    return corpus, made


def add_paper(corpus: Corpus, paper: str, rows: list[dict], anchors: list[int]) -> None:
    """Adds a paper's sentences in order; of a long one only those within AROUND of `anchors`, its indices."""
    rows = sorted(rows, key=lambda row: row["index"])
    long = len(rows) > LONG
    corpus.titles[paper] = rows[0]["title"]
    last: tuple[str | None, int] | None = None
    for row in rows:
        if long and not any(abs(row["index"] - a) <= AROUND for a in anchors):
            continue
        number = corpus.block[-1] if corpus.block else -1
        # A new paper, section, or stretch of a long paper begins a block.
        if last is None or last[0] != row["section"] or (long and row["index"] != last[1] + 1):
            number += 1
        last = (row["section"], row["index"])
        corpus.of[row["id"]] = len(corpus.ids)
        corpus.ids.append(row["id"])
        corpus.texts.append(row["text"])
        corpus.papers.append(paper)
        corpus.block.append(number)
        corpus.place.append((row["index"], 0 if long else len(rows)))

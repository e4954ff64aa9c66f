"""What a training step is made of: groups of near queries, positives across papers, negatives, contexts."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from hard_negatives import Hard
from mined import Pair, Paper, paper_of

NAME = re.compile(r"\b(?:[A-Z]{2,}[A-Za-z0-9-]*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]+-?\d\w*)\b")
CODE = re.compile(r"\b(?:code|dataset|data|models?) (?:is|are|will be) (?:publicly |made |freely )*available|https?:", re.I)
CONTEXT_TEMPLATE = "{text} [SEP] {title} {before}"


@dataclass(frozen=True)
class Settings:
    """How a batch is made; probabilities are per pair."""

    batch: int = 192
    group: int = 8
    cross: float = 0.06
    cross_cosine: float = 0.62
    negative: float = 0.4
    context: float = 0.1
    cross_context: float = 0.4
    mask_names: float = 0.0
    twin_cosine: float = 0.85
    before: int = 2
    #: Share of a batch that is drawn from the labelled queries, and labelled negatives of each.
    labelled: float = 0.125
    labelled_negatives: int = 2
    #: Probability of a mined negative, from the first `hard_depth` of them.
    hard: float = 0.0
    hard_depth: int = 12


@dataclass
class Document:
    """A text to embed, by the id of its sentence and its paper."""

    text: str
    id: str
    paper: str
    #: Place of the pair whose gold this is, or -1.
    pair: int = -1


@dataclass
class Batch:
    """A step of one move: n queries, m documents (m >= n), and which of these take no part for which query."""

    move: str
    #: Places of the pairs.
    pairs: np.ndarray
    queries: list[str]
    #: The first `len(queries)` documents are the positives.
    documents: list[Document]
    #: excluded[i, j]: document j is neither positive nor negative for query i.
    excluded: np.ndarray


def with_context(text: str, paper: Paper | None, sentence: str, hidden: set[str], before: int) -> str:
    """`text` with its title and the sentences before it; `hidden` ids never become part of it."""
    if paper is None:
        return text
    place = paper.place.get(sentence, 0)
    kept = [
        paper.texts[i]
        for i in range(max(0, place - before - 1), place)
        if paper.ids[i] not in hidden and paper.texts[i] not in hidden
    ][-before:]
    title = paper.title if paper.title.endswith((".", "!", "?")) else paper.title + "."
    return CONTEXT_TEMPLATE.format(text=text, title=title, before=" ".join(kept)).strip()


def hide_names(gold: str, query: str, title: str) -> str:
    """Takes out names that the gold shares with its query or title: they give its paper away."""
    shared = (query + " " + title).lower()
    return NAME.sub(lambda m: "[MASK]" if m.group(0).lower() in shared else m.group(0), gold)


class Sampler:
    """
    Batches of one move's pairs. `vectors` (n, d), unit length, are the untrained encoder's of the
    queries: they say which queries are near, once and for all.
    """

    def __init__(
        self,
        pairs: list[Pair],
        vectors: np.ndarray,
        papers: dict[str, Paper],
        settings: Settings,
        labels: dict[tuple[str, str], dict[str, int]] | None = None,
        hard: Hard | None = None,
        places: np.ndarray | None = None,
    ):
        """`places`: where `pairs` stand among those that `hard` was mined for."""
        self.hard = hard
        self.found = None if hard is None else hard.found if places is None else hard.found[places]
        # Golds that are near each other share a batch: their queries' closest rivals.
        self.grouping = vectors if hard is None else hard.golds if places is None else hard.golds[places]
        self.pairs, self.vectors, self.papers, self.settings = pairs, vectors, papers, settings
        self.paper_of = np.array([hash(p.paper) for p in pairs])
        self.move = pairs[0].move
        self.labels = {i: labels[p.move, p.query_id] for i, p in enumerate(pairs) if labels and (p.move, p.query_id) in labels}
        self.labelled = np.array(sorted(self.labels), dtype=int)
        self.pair_of_gold = {p.gold_id: i for i, p in enumerate(pairs)}

    def epoch(self, rng: np.random.Generator) -> list[np.ndarray]:
        """The pairs' places in batches: each of groups whose queries (golds, where negatives were mined) are near."""
        free = np.ones(len(self.pairs), bool)
        groups = []
        for seed in rng.permutation(len(self.pairs)):
            if not free[seed]:
                continue
            near = self.grouping @ self.grouping[seed]
            near[~free] = -2
            size = min(self.settings.group, int(free.sum()))
            members = np.argpartition(-near, size - 1)[:size]
            free[members] = False
            groups.append(members)
        rng.shuffle(groups)
        order = np.concatenate(groups)
        size = self.settings.batch
        return [order[i : i + size] for i in range(0, len(order) - size + 1, size)]

    def _negative(self, i: int, near: np.ndarray, rng: np.random.Generator) -> Document | None:
        pair = self.pairs[i]
        kind = rng.random()
        if kind < 0.4:
            paper = self.papers.get(pair.paper)
            if paper is None:
                return None
            # The gold's own neighbours stand above it most often; those after it twice as often as those before.
            place = paper.place.get(pair.gold_id, 0)
            choices = [
                k
                for k in range(len(paper.ids))
                if paper.ids[k] not in (pair.query_id, pair.gold_id) and paper.texts[k] != pair.query
            ]
            choices += [k for k in choices if place < k <= place + 3]
            if not choices:
                return None
            k = int(rng.choice(choices))
            document = Document(paper.texts[k], paper.ids[k], pair.paper)
            return self._in_context(document, pair, rng.random() < self.settings.context)
        other = self.pairs[int(rng.choice(near))]
        if kind < 0.85:
            return Document(other.query, other.query_id, other.paper)
        paper = self.papers.get(other.paper)
        if paper is None or not paper.texts:
            return None
        last = len(paper.texts) - 1
        k = last if CODE.search(paper.texts[last]) else 0
        return None if paper.ids[k] == other.gold_id else Document(paper.texts[k], paper.ids[k], other.paper)

    def _mined(self, i: int, rng: np.random.Generator) -> Document | None:
        if self.hard is None or self.found is None:
            return None
        able = self.found[i, : self.settings.hard_depth]
        able = able[able >= 0]
        if not len(able):
            return None
        k = int(rng.choice(able))
        # As the gold of an almost equal query it is none, which `excluded` tells by its pair.
        pair = self.pair_of_gold.get(self.hard.ids[k], -1)
        return Document(self.hard.texts[k], self.hard.ids[k], self.hard.papers[k], pair)

    def _sentence(self, name: str) -> Document | None:
        """A sentence by its id, or None where the papers do not hold it."""
        paper_name = paper_of(name)
        paper = self.papers.get(paper_name)
        place = None if paper is None else paper.place.get(name)
        return None if paper is None or place is None else Document(paper.texts[place], name, paper_name)

    def _in_context(self, document: Document, pair: Pair, wanted: bool) -> Document:
        if not wanted:
            return document
        paper = self.papers.get(document.paper)
        hidden = {pair.query_id, pair.query}
        text = with_context(document.text, paper, document.id, hidden, self.settings.before)
        return Document(text, document.id, document.paper, document.pair)

    def _labelled(self, i: int, rng: np.random.Generator) -> tuple[Document | None, list[Document]]:
        """For a labelled query: a sentence of another paper that makes the move (or None), and ones that do not."""
        by_label: dict[int, list[str]] = {0: [], 1: []}
        for name, label in self.labels[i].items():
            by_label[label].append(name)
        positive = None
        if by_label[1] and rng.random() < 0.75:
            positive = self._sentence(str(rng.choice(by_label[1])))
        count = min(self.settings.labelled_negatives, len(by_label[0]))
        names = rng.choice(by_label[0], count, replace=False) if count else []
        return positive, [d for d in (self._sentence(str(n)) for n in names) if d]

    def build(self, places: np.ndarray, rng: np.random.Generator) -> Batch:
        """The batch of the pairs at `places`, the first of which give way to labelled queries (a share `labelled`)."""
        s = self.settings
        count = min(int(s.labelled * len(places)), len(self.labelled))
        if count:
            places = np.concatenate([places[count:], rng.choice(self.labelled, count, replace=False)])
        similar = self.vectors[places] @ self.vectors.T
        similar[self.paper_of[places][:, None] == self.paper_of[None, :]] = -2
        near = np.argpartition(-similar, min(4, len(self.pairs) - 1), axis=1)[:, :4]
        queries, documents, negatives = [], [], []
        for row, i in enumerate(places):
            pair = self.pairs[i]
            queries.append(f"{pair.move}: {pair.query}")
            best = near[row][np.argmax(similar[row, near[row]])]
            marked, refused = self._labelled(int(i), rng) if i in self.labels else (None, [])
            negatives += [self._in_context(d, pair, rng.random() < s.cross_context) for d in refused]
            if marked:
                documents.append(self._in_context(marked, pair, rng.random() < s.cross_context))
                continue
            crossed = similar[row, best] >= s.cross_cosine and rng.random() < s.cross
            source = int(best) if crossed else int(i)
            chosen = self.pairs[source]
            paper = self.papers.get(chosen.paper)
            text = chosen.gold
            if rng.random() < s.mask_names:
                text = hide_names(text, pair.query, paper.title if paper else "")
            document = Document(text, chosen.gold_id, chosen.paper, source)
            wanted = rng.random() < (s.cross_context if crossed else s.context)
            documents.append(self._in_context(document, pair, wanted))
            if rng.random() < s.negative:
                negative = self._negative(int(i), near[row], rng)
                if negative:
                    negatives.append(negative)
            if s.hard > 0 and rng.random() < s.hard:
                negative = self._mined(int(i), rng)
                if negative and negative.id != document.id:
                    negatives.append(self._in_context(negative, pair, rng.random() < s.context))
        documents += negatives
        excluded = self.excluded(places, documents)
        excluded[np.arange(len(places)), np.arange(len(places))] = False
        return Batch(self.move, places, queries, documents, excluded)

    def own(self, places: np.ndarray, ids: np.ndarray) -> np.ndarray:
        """own[i, j]: the document hashed `ids[j]` is query i's own sentence, its gold or labelled as good for it."""
        pairs = [self.pairs[i] for i in places]
        names = np.array([[hash(p.query_id), hash(p.gold_id)] for p in pairs])
        out = (ids[None, :] == names[:, :1]) | (ids[None, :] == names[:, 1:])
        for row, i in enumerate(places):
            good = [hash(name) for name, label in self.labels.get(int(i), {}).items() if label == 1]
            if good:
                out[row] |= np.isin(ids, good)
        return out

    def excluded(self, places: np.ndarray, documents: list[Document]) -> np.ndarray:
        """Documents that are a query's own, or the gold of an almost equal query."""
        out = self.own(places, np.array([hash(d.id) for d in documents]))
        golds = [(j, d.pair) for j, d in enumerate(documents) if d.pair >= 0]
        if golds:
            columns = np.array([j for j, _ in golds])
            cosine = self.vectors[places] @ self.vectors[[p for _, p in golds]].T
            out[:, columns] |= cosine >= self.settings.twin_cosine
        return out

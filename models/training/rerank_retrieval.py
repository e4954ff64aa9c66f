"""Passages of a query: the retriever's nearest sentences in their windows, with features, as training sees them."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

from rerank_corpus import MOVE, PROMPTS, Corpus, Query
from rerank_features import K1, B, before, lexical_features, terms
from rerank_passages import Limits, free_run, is_near_copy, left_out, window_around, words
from rerank_store import GOLD, LABELLED, LEXICAL, MOVE_HIT, OPPOSITE_HIT, PLAIN, UNKNOWN, Writer

#: A sentence this like the gold one is as good as it: no negative. (Other papers' copies of an abstract, too.)
SAME_AS_GOLD = 0.92
#: Only sentences this near the query can be its near-copies; saves comparing words.
MAY_COPY = 0.8
#: Most passages of each of the hard kinds, of a training query.
HARD = 6


class Lexical:
    """BM25 of a query with every sentence of a corpus, as one sparse product."""

    def __init__(self, corpus: Corpus):
        self.vocabulary: dict[str, int] = {}
        data, columns, starts, lengths = [], [], [0], []
        for i in range(len(corpus)):
            for term, count in corpus.terms(i).items():
                columns.append(self.vocabulary.setdefault(term, len(self.vocabulary)))
                data.append(count)
            starts.append(len(columns))
            lengths.append(corpus.terms(i).total())
        n = len(lengths)
        tf, columns_ = np.array(data, np.float32), np.array(columns, np.int64)
        held = np.bincount(columns_, minlength=len(self.vocabulary))
        idf = np.log(1 + (n - held + 0.5) / (held + 0.5)).astype(np.float32)
        norm = K1 * (1 - B + B * np.array(lengths, np.float32) / max(1.0, float(np.mean(lengths))))
        rows = np.repeat(np.arange(n), np.diff(starts))
        impact = idf[columns_] * tf / (tf + norm[rows])
        self.matrix = csr_matrix((impact, columns_, starts), shape=(n, len(self.vocabulary)))

    def scores(self, query: str) -> np.ndarray:
        """BM25 of a query with every sentence (n); repeated words count as often."""
        asked = np.zeros(len(self.vocabulary), np.float32)
        for term in terms(query):
            if term in self.vocabulary:
                asked[self.vocabulary[term]] += 1
        return self.matrix @ asked


class Finder:
    """Makes passages in one corpus. `vectors` (n, d) are its sentences', unit length."""

    def __init__(self, corpus: Corpus, vectors: np.ndarray, tokenizer: Tokenizer, limits: Limits):
        self.corpus, self.vectors, self.limits = corpus, vectors, limits
        tokenizer.no_truncation()
        self.tokenizer = tokenizer
        self.tokens = [e.ids for e in tokenizer.encode_batch(corpus.texts, add_special_tokens=False)]
        self.counts = [len(t) for t in self.tokens]
        self.blocks = corpus.blocks()
        self.paper_of = np.unique(np.array(corpus.papers), return_inverse=True)[1]
        self.papers = {p: int(n) for p, n in zip(corpus.papers, self.paper_of)}
        self.lexical: Lexical | None = None

    def write(
        self,
        writer: Writer,
        query: Query,
        move: np.ndarray,
        plain: np.ndarray,
        opposite: np.ndarray,
        keep: int,
        mode: str,
    ) -> bool:
        """Adds the query and its passages, False where it has too few. `move` … are its scores of all sentences."""
        corpus = self.corpus
        own = self.paper_of == self.papers.get(query.paper, -1)
        copies = self._copies(query, plain, own)
        gold = None if query.gold is None else corpus.of[query.gold]
        if query.move == "none" and query.paper:
            # A title's answer is the sentence of its abstract that is nearest to it.
            gold = int(np.argmax(np.where(own, move, -2)))
        banned = set(copies)
        if query.sentence:
            banned.add(corpus.of[query.sentence])
        if gold in banned:
            return False
        rank = 0
        if mode == "dev" and gold is not None:
            better = np.flatnonzero(move > move[gold])
            rank = 1 + sum(int(b) not in banned for b in better)
        passages = self._passages(query, move, plain, opposite, own, banned, gold, keep, mode)
        if len(passages) < 2:
            return False
        self._emit(writer, query, gold, rank, passages, move, plain)
        return True

    def _copies(self, query: Query, plain: np.ndarray, own: np.ndarray) -> list[int]:
        if query.sentence is None:
            return []
        asked = words(query.text)
        near = np.flatnonzero((plain > MAY_COPY) | own)
        return [int(i) for i in near if is_near_copy(asked, self.corpus.words(int(i)))]

    def _order(self, row: np.ndarray, refused: np.ndarray, count: int) -> np.ndarray:
        row = np.where(refused, -2, row)
        count = min(count, len(row) - 1)
        best = np.argpartition(-row, count)[:count]
        best = best[np.argsort(-row[best], kind="stable")]
        return best[row[best] > -2]

    def _passages(
        self,
        query: Query,
        move: np.ndarray,
        plain: np.ndarray,
        opposite: np.ndarray,
        own: np.ndarray,
        banned: set[int],
        gold: int | None,
        keep: int,
        mode: str,
    ) -> list[tuple[int, int, list[int]]]:
        """(kind, hit, sentences) of each passage."""
        query_tokens = len(self.tokenizer.encode(PROMPTS[query.move] + query.text, add_special_tokens=False).ids)
        taken: set[int] = set()
        left: dict[int, int | None] = {}
        out: list[tuple[int, int, list[int]]] = []

        def add(hit: int, kind: int) -> bool:
            if hit in taken or hit in banned:
                return False
            number = self.corpus.block[hit]
            shown = [i for i in self.blocks[number] if i not in banned]
            # Every paper but the query's own lacks one sentence; plain questions leave nothing out.
            if query.sentence is not None and self.corpus.papers[hit] != query.paper:
                if number not in left:
                    left[number] = left_out(query.id, self.corpus.papers[hit], shown, hit)
                if left[number] == hit:
                    return False
                shown = [i for i in shown if i != left[number]]
            run = free_run(shown, hit, taken)
            first, last = window_around([self.counts[i] for i in run], run.index(hit), query_tokens, self.limits)
            taken.update(run[first : last + 1])
            out.append((kind, hit, run[first : last + 1]))
            return True

        def take(hits, kind: int, most: int) -> None:
            made = 0
            for hit in hits:
                if made >= most or len(out) >= keep:
                    return
                made += add(int(hit), kind)

        if mode == "judged":
            take((self.corpus.of[s] for s in query.labels if s in self.corpus.of), LABELLED, keep)
            return out
        if mode == "dev":
            refused = np.zeros(len(move), bool)
            refused[list(banned)] = True
            take(self._order(move, refused, 8 * keep), MOVE_HIT, keep)
            return out
        if gold is not None:
            # The gold's passage as retrieval would find it, where that window holds the gold.
            best = int(np.argmax(np.where(own & ~np.isin(np.arange(len(own)), list(banned)), move, -2)))
            add(best, GOLD)
            if not out or gold not in out[0][2]:
                out.clear(), taken.clear()
                add(gold, GOLD)
        like = self.vectors @ self.vectors[gold] if gold is not None else np.zeros(len(own))
        refused = own | (like > SAME_AS_GOLD)
        take((self.corpus.of[s] for s in query.labels if s in self.corpus.of), LABELLED, keep)
        if not query.paper:
            # What was not labelled for a question may well bear on it.
            return out
        # Papers that merely resemble the gold's are told apart least: they come first, and as many as remain, last.
        near = self._order(move, refused, 6 * keep)
        take(near, MOVE_HIT, max(2 * HARD, keep - len(out) - HARD))
        if query.move == "address":
            take(self._order(plain, refused, 4 * HARD), PLAIN, HARD)
        elif query.move == "none":
            self.lexical = self.lexical or Lexical(self.corpus)
            take(self._order(self.lexical.scores(query.text), refused, 4 * HARD), LEXICAL, HARD)
        else:
            take(self._order(opposite, refused, 4 * HARD), OPPOSITE_HIT, HARD)
        take(near, MOVE_HIT, keep)
        return out

    def _emit(
        self,
        writer: Writer,
        query: Query,
        gold: int | None,
        rank: int,
        passages: list[tuple[int, int, list[int]]],
        move: np.ndarray,
        plain: np.ndarray,
    ) -> None:
        counted = [[self.corpus.terms(i) for i in sentences] for _, _, sentences in passages]
        lexical, whole = lexical_features(terms(query.text), counted)
        at = 0
        for (kind, hit, sentences), passage in zip(passages, whole):
            close = [0.0] * len(sentences)
            if gold in sentences:
                close = (self.vectors[sentences] @ self.vectors[gold]).tolist()
            writer.passage(
                kind,
                sentences.index(hit),
                float(passage),
                sentences,
                cosine=move[sentences].tolist(),
                before=before(plain[sentences]).tolist(),
                bm25=lexical[at : at + len(sentences)].tolist(),
                near=close,
                label=[query.labels.get(self.corpus.ids[i], UNKNOWN) for i in sentences],
            )
            at += len(sentences)
        encoded = self.tokenizer.encode(PROMPTS[query.move] + query.text, add_special_tokens=False).ids
        writer.example(query.id, MOVE[query.move], encoded[: self.limits.query], gold, rank)

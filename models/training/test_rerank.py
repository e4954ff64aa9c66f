"""python -m unittest discover -s models/training -p 'test_rerank.py'

The reranker's parts by themselves, and the whole chain (examples, both stages, export) on made-up papers.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import json
import shutil
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

from rerank_features import before, lexical_features, terms
from rerank_graph import SIMILAR, GraphSettings, sentence_graph
from rerank_passages import Limits, free_run, is_near_copy, left_out, window_around, words

TORCH = all(importlib.util.find_spec(name) for name in ("torch", "transformers", "onnx", "onnxruntime", "sklearn", "Stemmer"))
THINGS = ("sundials", "kettles", "bridges", "orchards", "violins", "glaciers", "ferries", "kilns", "beehives", "canals")
FAULTS = (
    "crack in frost",
    "drift out of tune",
    "lose their glaze",
    "jam in summer",
    "leak at night",
    "rust by the sea",
)
CURES = ("a wooden frame", "slow drying", "two thin layers", "a copper lid", "weekly waxing", "a second spring")


class Windows(unittest.TestCase):
    def test_grows_two_after_for_one_before(self) -> None:
        # Ten tokens a sentence, eleven with the separator; [CLS] query [SEP] takes six.
        counts = [10] * 9
        for tokens, wanted in (
            (17, (4, 4)),
            (28, (4, 5)),
            (39, (4, 6)),
            (50, (3, 6)),
            (61, (3, 7)),
            (72, (3, 8)),
            (83, (2, 8)),
        ):
            self.assertEqual(window_around(counts, 4, 4, Limits(tokens, 64, 12)), wanted)

    def test_a_closed_side_leaves_room_to_the_other(self) -> None:
        counts = [5, 5, 5, 50, 5]
        # What follows does not fit, so the window grows before the hit alone; a side once closed stays closed.
        self.assertEqual(window_around(counts, 2, 4, Limits(30, 64, 12)), (0, 2))
        self.assertEqual(window_around(counts, 4, 4, Limits(30, 64, 12)), (4, 4))

    def test_limits_of_sentences_and_of_the_query(self) -> None:
        self.assertEqual(window_around([1] * 30, 10, 4, Limits(160, 64, 3)), (10, 12))
        # A query of 500 tokens counts as the 64 that are kept.
        self.assertEqual(window_around([40, 40, 40], 0, 500, Limits(160, 64, 12)), (0, 1))
        self.assertEqual(window_around([900], 0, 10, Limits()), (0, 0))

    def test_a_later_window_keeps_out_of_an_earlier_one(self) -> None:
        self.assertEqual(free_run([3, 4, 6, 7, 8], 7, {6}), [7, 8])
        self.assertEqual(free_run([3, 4, 6, 7, 8], 4, {7, 8}), [3, 4, 6])


class LeftOut(unittest.TestCase):
    def test_never_the_hit_always_the_same_and_evenly_spread(self) -> None:
        shown = list(range(20, 27))
        counts = Counter(left_out(f"q{i}", "p", shown, 23) for i in range(1200))
        self.assertEqual(set(counts), {20, 21, 22, 24, 25, 26})
        self.assertGreater(min(counts.values()), 140)
        self.assertEqual(left_out("q", "p", shown, 23), left_out("q", "p", shown, 23))
        self.assertIsNone(left_out("q", "p", [5], 5))

    def test_near_enough_to_show(self) -> None:
        gone = {left_out(f"q{i}", "p", range(100), 50) for i in range(300)}
        self.assertEqual(gone, {*range(44, 50), *range(51, 57)})

    def test_near_copies(self) -> None:
        one = words("The kettle, however, leaks at night in the cold.")
        self.assertTrue(is_near_copy(one, words("the kettle however leaks at night in the cold")))
        self.assertTrue(is_near_copy(one, words("The old kettle, however, leaks at night in the cold.")))
        self.assertFalse(is_near_copy(one, words("The kettle is made of copper and steel.")))


@unittest.skipUnless(importlib.util.find_spec("Stemmer"), "PyStemmer is not installed")
class Lexical(unittest.TestCase):
    def test_terms_are_stems_without_stop_words(self) -> None:
        self.assertEqual(
            terms("The kettles are leaking, and leaked at 9 in Ørsted's cellar"),
            ["kettl", "leak", "leak", "ørsted", "cellar"],
        )

    def test_scores_by_hand(self) -> None:
        passages = [["kettles leak", "violins drift"], ["bridges rust by rivers"]]
        counted = [[Counter(terms(t)) for t in p] for p in passages]
        sentences, whole = lexical_features(terms("leaking kettles drift"), counted)
        idf, mean = np.log(1 + 2.5 / 1.5), 7 / 3
        two = idf / (1 + 0.9 * (0.6 + 0.4 * 2 / mean))
        np.testing.assert_allclose(sentences, [1, two / (2 * two), 0], rtol=1e-6)
        np.testing.assert_allclose(whole, [1, 0])

    def test_nothing_in_common_is_zero(self) -> None:
        sentences, whole = lexical_features(terms("glaciers"), [[Counter(terms("kettles leak"))]])
        self.assertEqual((sentences.tolist(), whole.tolist()), ([0], [0]))
        sentences, _ = lexical_features([], [[Counter(terms("kettles leak"))]])
        self.assertEqual(sentences.tolist(), [0])

    def test_agrees_with_bm25s(self) -> None:
        if not importlib.util.find_spec("bm25s"):
            self.skipTest("bm25s is not installed")
        import bm25s

        random = Random(3)
        texts = [" ".join(random.choices([*THINGS, *" ".join(FAULTS).split()], k=random.randint(3, 9))) for _ in range(40)]
        query = "violins rust at sea in frost"
        index = bm25s.BM25(k1=0.9, b=0.4, method="lucene")
        index.index([terms(t) for t in texts], show_progress=False)
        known = [t for t in terms(query) if any(t in terms(text) for text in texts)]
        wanted = index.get_scores(known)
        got, _ = lexical_features(terms(query), [[Counter(terms(t))] for t in texts])
        np.testing.assert_allclose(got, wanted / wanted.max(), rtol=1e-4)

    def test_before(self) -> None:
        plain = np.array([-0.2, 0.5, 0.1, 0.2, 0.1, 0.3, 0.0], np.float32)
        np.testing.assert_allclose(before(plain), [0, 0, 0.5, 0.5, 0.5, 0.5, 0.3])


def unit(angle: float) -> list[float]:
    return [float(np.cos(angle)), float(np.sin(angle))]


class Graph(unittest.TestCase):
    def test_by_hand(self) -> None:
        # Passage 0: background, method, method; passage 1: method, result; passage 2: method.
        hidden = np.array([unit(a) for a in (0, 1.0, 2.0, 1.1, 2.0, 1.0)], np.float32)
        roles = np.eye(3, dtype=np.float32)[[0, 1, 1, 1, 2, 1]]
        local = np.array([0.1, 0.5, 0.5, 0.6, 0.5, 0.9], np.float32)
        passage = np.array([0, 0, 0, 1, 1, 2])
        graph = sentence_graph(hidden, roles, local, passage, GraphSettings(neighbours=4))
        edges = {
            (int(u), v, int(r))
            for v in range(6)
            for u, r, ok in zip(graph.neighbours[v], graph.relations[v], graph.valid[v])
            if ok
        }
        # 1 and 5 are alike but too far apart in local score; 3 and 5, too (0.3); 2 and 4 differ in role.
        self.assertEqual(edges, {(0, 1, 1), (1, 2, 0), (3, 4, 4), (1, 3, SIMILAR), (3, 1, SIMILAR)})
        self.assertEqual(graph.relations[1].tolist(), [1, SIMILAR, 0, 0])

    def test_every_type_of_adjacency(self) -> None:
        order = [0, 0, 1, 1, 0, 2, 2, 0, 1, 2, 1]
        roles = np.eye(3, dtype=np.float32)[order]
        graph = sentence_graph(np.eye(11, dtype=np.float32), roles, np.zeros(11, np.float32), np.zeros(11, int), GraphSettings())
        self.assertEqual(graph.relations[1:, 0].tolist(), [0, 1, 0, 3, 2, 0, 5, 1, 4, 6])
        self.assertEqual(graph.valid.sum(), 10)

    def test_top_is_one_sided_edges_are_not_and_neighbours_are_at_most_k(self) -> None:
        angles = [0.0, 0.01, 0.02, 0.03, 0.3]
        hidden = np.array([unit(a) for a in angles], np.float32)
        roles, local = np.tile([[1.0, 0, 0]], (5, 1)), np.full(5, 0.5, np.float32)
        graph = sentence_graph(hidden, roles, local, np.arange(5), GraphSettings(top=1, neighbours=2))
        into = [set(n[v > 0].tolist()) for n, v in zip(graph.neighbours, graph.valid)]
        # 4 chose 3, so 3 has it too.
        self.assertIn(3, into[4])
        self.assertIn(4, into[3])
        graph = sentence_graph(hidden, roles, local, np.arange(5), GraphSettings(top=4, neighbours=2))
        self.assertEqual(graph.valid.sum(1).tolist(), [2] * 5)
        self.assertEqual(graph.neighbours[4].tolist(), [3, 2])

    def test_ablations_and_no_nodes(self) -> None:
        hidden, roles = np.ones((4, 2), np.float32), np.tile([[1.0, 0, 0]], (4, 1))
        local, passage = np.full(4, 0.5, np.float32), np.array([0, 0, 1, 1])
        made = sentence_graph(hidden, roles, local, passage, GraphSettings(similarity=False))
        self.assertEqual(made.valid.sum(), 2)
        made = sentence_graph(hidden, roles, local, passage, GraphSettings(adjacency=False))
        self.assertTrue((made.relations[made.valid > 0] == SIMILAR).all())
        empty = sentence_graph(hidden[:0], roles[:0], local[:0], passage[:0], GraphSettings())
        self.assertEqual(empty.neighbours.shape, (0, 24))


class Card(unittest.TestCase):
    def test_the_card_that_ships_is_what_the_export_writes(self) -> None:
        from rerank_card import card

        folder = Path(__file__).resolve().parents[1] / "reranker"
        limits = json.loads((folder / "config.json").read_text())
        sizes = ((folder / name).stat().st_size for name in ("local.onnx", "global.onnx"))
        made = card(*sizes, limits["maxTokens"], limits["graph"]["neighbours"])
        self.assertEqual((folder / "README.md").read_text(encoding="utf-8"), made)


def write(file: Path, rows: list[dict]) -> None:
    with gzip.open(file, "wt", encoding="utf-8") if file.suffix == ".gz" else file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


def corpus(folder: Path, count: int, seed: int) -> list[dict]:
    """A folder as `ratio mine` writes it, of `count` made-up papers with a pair each; returns the pairs."""
    random = Random(seed)
    pairs, pool = [], []
    for n in range(count):
        name, move = f"made:{seed}-{n}", ("address", "specify", "broaden-reversed")[n % 3]
        thing, fault, cure = random.choice(THINGS), random.choice(FAULTS), random.choice(CURES)
        texts = [
            f"People of village {n} have built {thing} for ages.",
            f"Many of their {thing} {fault} after {2 + n % 7} years.",
            f"We propose to give the {thing} {cure}, which keeps them whole.",
            f"Of {20 + n} {thing} with {cure}, none failed.",
            f"So {cure} helps where {thing} {fault}.",
        ]
        ids = [f"{name}#{i}" for i in range(len(texts))]
        query, gold = {"address": (1, 2), "specify": (2, 3), "broaden-reversed": (3, 2)}[move]
        pairs.append(
            {
                "id": f"{move}:{ids[gold]}",
                "move": move,
                "query": texts[query],
                "gold": texts[gold],
                "goldId": ids[gold],
                "queryId": ids[query],
                "paper": name,
            }
        )
        title = f"On the care of old {thing} {n}"
        pool += [
            {"id": i, "text": t, "paper": name, "title": title, "section": None, "index": k}
            for k, (i, t) in enumerate(zip(ids, texts))
        ]
    folder.mkdir(parents=True)
    write(folder / "pairs.jsonl", pairs)
    write(folder / "pool.jsonl", pool)
    return pairs


def encoder(folder: Path, texts: list[str]) -> None:
    """A tiny random BERT with word pieces of the texts."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertModel

    torch.manual_seed(5)
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False))
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    folder.mkdir()
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text("{}")
    config = BertConfig(
        vocab_size=made.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=256,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)


@unittest.skipUnless(TORCH, "torch, transformers, onnx, onnxruntime, scikit-learn or PyStemmer is not installed")
class Model(unittest.TestCase):
    def test_span_means_and_absent_sentences(self) -> None:
        import torch

        from rerank_model import NOTHING, LocalHeads

        torch.manual_seed(0)
        heads = LocalHeads(8).eval()
        tokens, spans = torch.randn(1, 6, 8), torch.tensor([[-1, 0, -1, 1, 1, -1]])
        scored = heads(tokens, spans, torch.zeros(1, 2, 4))
        torch.testing.assert_close(scored.hidden[0, 0], tokens[0, 3:5].mean(0))
        self.assertEqual(scored.local[0, 1].item(), NOTHING)
        self.assertAlmostEqual(scored.roles[0, 0].sum().item(), 1, places=5)

    def test_starts_in_the_order_of_the_cosine(self) -> None:
        import torch

        from rerank_model import LocalHeads

        heads = LocalHeads(8).eval()
        features = torch.zeros(1, 3, 4)
        features[0, :, 0] = torch.tensor([0.2, 0.9, 0.5])
        spans = torch.tensor([[0, 1, 2, 3]])
        score = heads(torch.randn(1, 4, 8), spans, features).local[0]
        self.assertEqual(score.argsort(descending=True).tolist(), [1, 2, 0])

    def test_graph_attention_is_the_naive_loop(self) -> None:
        import torch
        from torch.nn import functional

        from rerank_model import GraphLayer

        torch.manual_seed(1)
        n, k, width, heads = 7, 5, 16, 4
        layer = GraphLayer(width, heads, 0.1).eval()
        x = torch.randn(n, width)
        neighbours, relations = torch.randint(0, n, (n, k)), torch.randint(0, 8, (n, k))
        valid = (torch.rand(n, k) > 0.4).float()
        valid[3] = 0
        size = width // heads
        message = torch.zeros(n, width)
        for v in range(n):
            sources = [j for j in range(k) if valid[v, j]]
            for h in range(heads):
                at = slice(h * size, (h + 1) * size)
                attend = torch.cat([layer.attend[0, h], layer.attend[1, h], layer.attend[2, h]])
                scores, values = [], []
                for j in sources:
                    t = relations[v, j]
                    moved = x[neighbours[v, j]] @ layer.source[t]
                    joined = torch.cat([(layer.target.weight @ x[v])[at], moved[at], layer.relation[t]])
                    scores.append(functional.leaky_relu(attend @ joined, 0.2))
                    values.append(moved[at])
                if sources:
                    weights = torch.stack(scores).softmax(0)
                    message[v, at] = (weights[:, None] * torch.stack(values)).sum(0)
        mid = layer.norm(x + layer.out(message))
        wanted = layer.norm2(mid + layer.back(functional.gelu(layer.forth(mid))))
        torch.testing.assert_close(layer(x, neighbours, relations, valid), wanted, rtol=1e-4, atol=1e-5)

    def test_ranks_targets_and_preferences(self) -> None:
        from rerank_batches import MASKED, target_of, within
        from rerank_nodes import Nodes, preferences

        self.assertEqual(within(np.array([0.3, 1.0, 0.8, 0.1]), 1).tolist(), [2, 0, 1, 3])
        target = target_of(np.array([0, 1, MASKED, 8], np.float32), 0.6)
        self.assertAlmostEqual(float(target.sum()), 1, places=6)
        self.assertEqual(target[2], 0)
        self.assertGreater(target[0], 4 * target[1])
        ranks = np.array([1, 0, 2, 8, 8, MASKED], np.float32)
        features = np.array([[0.1], [0.2], [0.3], [0.4], [0.9], [0.5]], np.float32)
        nodes = Nodes(*(np.zeros((6, 2)),) * 2, np.zeros(6), features, np.array([0, 0, 0, 1, 1, 2]), ranks, np.arange(6))
        u, v = preferences(nodes)
        # The gold (1) above both of passage 1, its neighbour (0) only above the second of that passage (3).
        self.assertEqual(sorted(zip(u.tolist(), v.tolist())), [(0, 3), (1, 3), (1, 4)])

    def test_a_sentence_alone_sees_no_other(self) -> None:
        import torch

        from rerank_model import own_span_mask

        mask = own_span_mask(torch.tensor([[-1, 0, 1, 1, -1]]), torch.tensor([[1, 1, 1, 1, 0]]), torch.float32)[0, 0]
        self.assertEqual((mask == 0).int().tolist()[2], [0, 0, 1, 1, 0])


@unittest.skipUnless(TORCH, "torch, transformers, onnx, onnxruntime, scikit-learn or PyStemmer is not installed")
class WholeChain(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        import rerank_data

        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        base = cls.base = Path(cls.temporary.name)
        pairs, val = corpus(base / "mined", 72, 1), corpus(base / "val", 24, 2)
        random = Random(4)
        labels = []
        for rows, split in ((pairs, "train"), (val, "val")):
            for n, pair in enumerate(rows[:12]):
                for k, other in enumerate(random.sample([p for p in rows if p["paper"] != pair["paper"]], 3)):
                    move = pair["move"].removesuffix("-reversed")
                    labels.append(
                        {
                            "move": move,
                            "query": pair["queryId"],
                            "sentence": other["goldId"],
                            "split": split,
                            "label": int(k == 0 and n % 2 == 0),
                        }
                    )
        write(base / "labels.jsonl", labels)
        asked = []
        for rows, split in ((pairs, "train"), (val, "val")):
            for n in range(4):
                held = {p["goldId"]: int(k == 0) for k, p in enumerate(rows[5 * n : 5 * n + 4])}
                asked.append({"id": f"question:{split}-{n}", "split": split, "text": "What keeps kilns whole?", "labels": held})
        write(base / "questions.jsonl", asked)
        for split, count in (("train", 12), ("dev", 4), ("test", 4)):
            rows = []
            for n in range(count):
                t, f, c = random.choice(THINGS), random.choice(FAULTS), random.choice(CURES)
                told = [f"Many {t} {f}.", f"We give {t} {c}.", f"With {c} none of {n} failed.", "Thanks to all."]
                roles = ["background", "objective", "result", "other"]
                rows.append({"sentences": told, "roles": roles, "confidence": [1] * 4})
            write(base / f"roles-{split}.jsonl.gz", rows)
        pool = (base / "mined" / "pool.jsonl").read_text().splitlines()
        texts = [json.loads(line)["text"] for line in pool]
        encoder(base / "encoder", [*texts, "address broaden specify :"])
        cls.data = base / "data"
        cls.given = [
            "--mined", str(base / "mined"), "--val", str(base / "val"), "--encoder", str(base / "encoder"),
            "--labels", str(base / "labels.jsonl"), "--questions", str(base / "questions.jsonl"),
            "--roles", str(base), "--out", str(cls.data), "--address", "24", "--specify", "24", "--broaden", "24",
            "--titles", "6", "--pool", "360", "--keep", "12", "--dev-queries", "8", "--dev-pool", "120",
            "--dev-passages", "12", "--threads", "1",
        ]  # fmt: skip
        # To an untrained encoder all sentences are alike, so none may be refused for it.
        with contextlib.redirect_stdout(io.StringIO()), mock.patch("rerank_retrieval.SAME_AS_GOLD", 2):
            rerank_data.main(cls.given)

    def test_1_examples_hold_the_contract(self) -> None:
        from rerank_store import GOLD, LABELLED, Examples
        from train_reranker import arguments, chosen_examples, example_paper

        made = Examples.load(self.data / "train.npz")
        self.assertGreater(len(made), 60)
        given = ["--data", ".", "--roles", ".", "--out", ".", "--held", "16"]
        places, held = (chosen_examples(made, arguments([*given, "--stage", s])) for s in ("local", "global"))
        self.assertEqual(sorted([*places, *held]), list(range(len(made))))
        some = arguments([*given, "--stage", "local", "--queries", "2:4", "--queries", "8:9"])
        order, papers = [*held, *places], [example_paper(name) for name in made.names]
        self.assertGreater(len(papers), len(set(papers)), "no paper has two examples")
        # Every paper goes where the first of its examples does.
        began = [e for n, e in enumerate(order) if n in (2, 3, 8) and papers[e] != papers[order[n - 1]]]
        self.assertEqual(chosen_examples(made, some), [e for e in order if papers[e] in {papers[b] for b in began}])
        for at in range(1, len(made)):
            parts = [chosen_examples(made, arguments([*given, "--stage", s, "--held", str(at)])) for s in ("local", "global")]
            self.assertFalse({papers[e] for e in parts[0]} & {papers[e] for e in parts[1]})
            self.assertEqual(sorted([*parts[0], *parts[1]]), list(range(len(made))))
        names = ("address:arxiv:1#2", "none:arxiv:1", "question:q-1")
        self.assertEqual([example_paper(name) for name in names], ["arxiv:1", "arxiv:1", "q-1"])
        self.assertLessEqual({0, 1, 2}, set(made.move[places[:24]].tolist()), "the first of them are of one move")
        self.assertEqual(set(made.move.tolist()), {0, 1, 2, 3})
        for e in range(len(made)):
            passages = list(made.passages(e))
            sentences = [made.sentence[made.entries(p)].tolist() for p in passages]
            if made.names[e].startswith("question:"):
                kinds = {int(made.kind[p]) for p in passages}
                self.assertEqual((kinds, made.gold[e], made.move[e]), ({LABELLED}, -1, 3))
                for p in passages:
                    told = made.label[made.entries(p)].tolist()
                    # Of a paper that does not bear on it every sentence is labelled, of one that does the nearest.
                    self.assertTrue(set(told) == {0} or told.count(1) == 1)
                continue
            self.assertEqual([made.kind[p] for p in passages].count(GOLD), 1)
            self.assertIn(made.gold[e], sentences[0])
            flat = [s for p in sentences for s in p]
            self.assertEqual(len(flat), len(set(flat)), "a sentence stands in two passages")
            query = made.query(e)
            for p, mine in zip(passages, sentences):
                length = len(query) + 2 + sum(len(made.sentence_tokens(s)) + 1 for s in mine)
                self.assertLessEqual(length, 160)
                self.assertTrue(0 <= made.hit[p] < len(mine))
                # Five sentences a paper, of which one is missing wherever the query is a sentence.
                self.assertLessEqual(len(mine), 5 if made.move[e] == 3 else 4)
        self.assertTrue((made.kind == LABELLED).any())
        self.assertTrue(any(name.startswith("question:") for name in made.names))
        self.assertEqual(len(Examples.load(self.data / "questions.npz")), 4)
        self.assertTrue((made.label == 1).any() and (made.label == 0).any())
        self.assertLessEqual(float(made.bm25.max()), 1)

    def test_2_the_query_is_in_no_passage(self) -> None:
        from rerank_store import Examples

        dev = Examples.load(self.data / "dev.npz")
        prompts = {tuple(dev.sentence_tokens(s).tolist()) for s in range(len(dev.token_starts) - 1)}
        self.assertTrue(prompts)
        for e in range(len(dev)):
            if dev.move[e] == 3:
                continue
            bare = tuple(dev.query(e).tolist()[2:])  # without the prompt's word and colon
            for p in dev.passages(e):
                for s in dev.sentence[dev.entries(p)]:
                    self.assertNotEqual(tuple(dev.sentence_tokens(s).tolist()), bare)

    def test_3_goes_on_and_refuses_other_settings(self) -> None:
        import rerank_data

        with contextlib.redirect_stdout(io.StringIO()) as said:
            rerank_data.main(self.given)
        self.assertIn("is there already", said.getvalue())
        with self.assertRaisesRegex(SystemExit, "other settings .*keep was 12, is 5. Choose another --out"):
            rerank_data.main([*self.given, "--keep", "5"])
        for name in ("labels.jsonl", "questions.jsonl", "mined/pairs.jsonl", "val/pairs.jsonl"):
            file = self.base / name
            kept = file.read_text()
            file.write_text("".join(kept.splitlines(keepends=True)[1:]))
            with self.subTest(name), self.assertRaisesRegex(SystemExit, rf" was \S*{file.name} \w+, is \S*{file.name} \w+\."):
                rerank_data.main(self.given)
            file.write_text(kept)
        # What the files hold counts, not where they lie.
        shutil.copytree(self.base / "val", self.base / "moved" / "val")
        shutil.copy(self.base / "labels.jsonl", self.base / "moved")
        moved = self.base / "moved"
        for split in ("train", "dev"):
            shutil.copy(self.base / f"roles-{split}.jsonl.gz", moved)
        elsewhere = [*self.given, "--labels", str(moved / "labels.jsonl"), "--val", str(moved / "val"), "--roles", str(moved)]
        with contextlib.redirect_stdout(io.StringIO()):
            rerank_data.main(elsewhere)
        shutil.copytree(self.base / "mined", moved / "mined")
        held = self.base / "with-held-out"
        held.mkdir()
        for folder in (self.base, moved):
            rerank_data.hold(held, rerank_data.arguments([*elsewhere, "--held-out", str(folder / "mined")]))
        write(moved / "roles-dev.jsonl.gz", [])
        with self.assertRaisesRegex(SystemExit, r"roles was roles-train.jsonl.gz \w+ roles-dev"):
            rerank_data.hold(held, rerank_data.arguments([*elsewhere, "--held-out", str(moved / "mined")]))

    def test_4_trains_goes_on_and_exports(self) -> None:
        import onnx
        import torch

        import average_rerankers
        import blend_reranker
        import export_reranker
        import train_reranker
        from rerank_local import LocalScorer
        from rerank_run import quality
        from rerank_store import Examples

        base, run = self.base, self.base / "run"
        common = [
            "--data", str(self.data), "--roles", str(base), "--out", str(run), "--threads", "1", "--dev-queries", "4",
            "--dev-passages", "6", "--held", "16", "--groups", "4", "--passages", "8",
        ]  # fmt: skip
        local = ["--stage", "local", "--source", str(base / "encoder"), "--epochs", "1", "--rate", "2e-3", *common]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            train_reranker.main(local)
        rows = [json.loads(line) for line in (run / "local" / "log.jsonl").read_text().splitlines()]
        self.assertIn("retriever", rows[1])
        self.assertIn("rolesTest", rows[-1])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            train_reranker.main(local)
        self.assertIn("going on from step", said.getvalue())
        changed = (
            (["--rate", "3e-3"], "rate was 0.002, is 0.003"),
            (["--epochs", "2"], "steps was"),
            (["--source", str(run / "local" / "best")], "source was model.safetensors .*--go-on-changed"),
        )
        for more, why in changed:
            with self.assertRaisesRegex(SystemExit, why), contextlib.redirect_stdout(io.StringIO()):
                train_reranker.main([*local, *more])
        with contextlib.redirect_stdout(io.StringIO()):
            train_reranker.main([*local, "--leave", "0.4", "--go-on-changed"])
        logged = [json.loads(line) for line in (run / "local" / "log.jsonl").read_text().splitlines()]
        self.assertEqual([row["changed"] for row in logged if "changed" in row], [{"leave": ["0.5", "0.4"]}])
        # Another run on other queries starts from what that one made: its first figures are that one's last.
        further = [*local, "--source", str(run / "local" / "best"), "--queries", "16:20", "--queries", "24:28"]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            train_reranker.main([*further, "--out", str(base / "further")])
        taken = train_reranker.chosen_examples(Examples.load(self.data / "train.npz"), train_reranker.arguments(further))
        self.assertTrue(6 <= len(taken) <= 10)
        self.assertIn(f"{len(taken)} queries", said.getvalue())
        began = [json.loads(line) for line in (base / "further" / "local" / "log.jsonl").read_text().splitlines()][2]
        best = max((row for row in rows if "minutes" in row), key=quality)
        self.assertLessEqual({"labelsAP", "questions"}, set(best))
        self.assertEqual([began[k] for k in ("step", "mean", "roles")], [0, best["mean"], best["roles"]])
        with contextlib.redirect_stdout(io.StringIO()):
            both = ["--local", str(run / "local" / "best"), "--local", str(base / "further" / "local" / "best")]
            rest = ["--data", str(self.data), "--roles", str(base), "--out", str(base / "mean"), "--threads", "1"]
            average_rerankers.main([*both, *rest, "--dev-queries", "4", "--dev-passages", "6"])
            one, other, mean = (LocalScorer.load(Path(f)) for f in (*both[1::2], base / "mean" / "local" / "best"))
            for a, b, m in zip(one.masters(), other.masters(), mean.masters()):
                torch.testing.assert_close((a + b) / 2, m, atol=1e-3, rtol=1e-3)
            train_reranker.main(["--stage", "global", "--epochs", "2", *common])
            train_reranker.main(["--stage", "global", "--epochs", "1", "--name", "no-graph", "--no-graph", *common])
            other = ["--stage", "global", "--name", "other", *common]
            shutil.copytree(run / "local" / "best", base / "turned")
            heads = torch.load(base / "turned" / "heads.pt")
            torch.save({name: -value for name, value in heads.items()}, base / "turned" / "heads.pt")
            with self.assertRaisesRegex(SystemExit, "train-000.pt is not of this local model. Choose another --out or remove"):
                train_reranker.main([*other, "--local", str(base / "turned")])
            shutil.copytree(self.data, base / "changed")
            Examples.load(self.data / "train.npz").save(base / "changed" / "train.npz")
            train_reranker.main([*other, "--epochs", "1", "--data", str(base / "changed")])
            changed_data = Examples.load(self.data / "train.npz")
            changed_data.cosine[0] += 0.5
            changed_data.save(base / "changed" / "train.npz")
            with self.assertRaisesRegex(SystemExit, "train-000.pt is not of this data"):
                train_reranker.main([*other, "--name", "another", "--data", str(base / "changed")])
            with contextlib.redirect_stdout(io.StringIO()) as blended:
                blend_reranker.main(["--run", str(run), "--data", str(self.data), "--dev-queries", "4", "--dev-passages", "6"])
            self.assertRegex(blended.getvalue(), r"factor 3: labels .*\n[\s\S]*labelled questions \d")
            out = base / "out"
            out.mkdir()
            (out / "order.json").write_text("{}")
            made = export_reranker.export(run, "global", out)
            # The engine draws all edges and reads cosines of the encoder that the config names.
            given = ["--run", str(run), "--out", str(base / "refused")]
            with self.assertRaisesRegex(SystemExit, "no-graph was trained without edges .*Export a run with both"):
                export_reranker.main([*given, "--name", "no-graph"])
            weights = json.loads((self.data / "settings.json").read_text())["encoder"]
            ids = ((f"made-up-{weights[:12]}-0123ab", True), ("made-up-0123456789ab-0123ab", False), (weights[:12], False))
            for id_, fits in ids:
                (base / "exported").mkdir(exist_ok=True)
                (base / "exported" / "config.json").write_text(json.dumps({"id": id_}))
                compared = ["--data", str(self.data), "--queries", "1", "--passages", "4"]
                named = [*given, "--encoder", str(base / "exported"), *compared]
                if fits:
                    export_reranker.main([*named, "--out", str(base / "named")])
                    self.assertEqual(json.loads((base / "named" / "config.json").read_text())["encoder"], id_)
                else:
                    with self.assertRaisesRegex(SystemExit, f"begins with {weights[:12]}, which is not {id_}"):
                        export_reranker.main(named)
            with self.assertRaisesRegex(SystemExit, "settings.json is missing"):
                export_reranker.main([*named, "--data", str(base)])
            # A local model of an ablation goes on as one, and is not what the engine runs.
            for flag, key in (("--no-joint", "joint"), ("--no-roles", "roles")):
                ablated = base / f"run{flag}"
                shutil.copytree(run / "global", ablated / "global")
                shutil.copytree(run / "local" / "best", ablated / "local" / "best")
                told = ablated / "local" / "best" / "local.json"
                told.write_text(json.dumps(json.loads(told.read_text()) | {key: False}))
                with self.assertRaisesRegex(SystemExit, "was trained with --no-joint or --no-roles"):
                    export_reranker.main(["--run", str(ablated), "--out", str(base / "refused")])
                begin = [*local, "--out", str(base / "again"), "--source"]
                with self.assertRaisesRegex(SystemExit, f"trained with {flag}, which stays so: give {flag}"):
                    train_reranker.main([*begin, str(told.parent)])
                with self.assertRaisesRegex(SystemExit, f"trained without {flag}, which stays so: leave out {flag}"):
                    train_reranker.main([*begin, str(run / "local" / "best"), flag])
                scorer = train_reranker.first_scorer(train_reranker.arguments([*begin, str(told.parent), flag]))
                self.assertEqual((scorer.joint, scorer.heads.with_roles), (key != "joint", key != "roles"))
            self.assertFalse((base / "again").exists())
        self.assertFalse((base / "refused").exists())
        # An order is of one model's scores.
        self.assertFalse((out / "order.json").exists())
        for name in ("local.onnx", "global.onnx"):
            onnx.checker.check_model(str(out / name))
        config = json.loads((out / "config.json").read_text())
        self.assertEqual(config["graph"], {"cosine": 0.75, "difference": 0.25, "top": 8, "neighbours": 24})
        self.assertEqual(config["files"]["local.onnx"]["bytes"], (out / "local.onnx").stat().st_size)
        scorer = LocalScorer.load(run / "local" / "best")
        model, settings = export_reranker.graph_of(run / "global")
        dev = Examples.load(self.data / "dev.npz")
        trained = export_reranker.Trained(scorer, model, settings)
        exact = export_reranker.Chain(made["fp32"], made["global.onnx"], scorer, settings)
        alike = export_reranker.agreement(trained, exact, dev, 2, 6)
        self.assertEqual((alike["sameTen"], alike["roles"]), (1, 1))
        self.assertGreater(alike["global"], 0.9999)
        small = export_reranker.Chain(made["local.onnx"], made["global.onnx"], scorer, settings)
        self.assertGreater(export_reranker.agreement(trained, small, dev, 2, 6)["local"], 0.98)
        # Without joint encoding a sentence's vector does not depend on the others of its passage.
        apart = LocalScorer.load(run / "local" / "best")
        apart.joint = False
        from rerank_batches import row_of

        row = row_of(dev, 0, dev.passages(0)[0])
        with torch.inference_mode():
            before = apart.run([row]).hidden[0], scorer.run([row]).hidden[0]
            row.sentences[1:] = [np.full_like(s, 9) for s in row.sentences[1:]]
            after = apart.run([row]).hidden[0], scorer.run([row]).hidden[0]
        torch.testing.assert_close(before[0], after[0])
        self.assertGreater((before[1] - after[1]).abs().max().item(), 1e-3)

    def test_labels_of_queries_kept_for_the_order_are_not_used(self) -> None:
        import rerank_data
        from rerank_store import Examples

        first = [json.loads((self.base / name / "pairs.jsonl").read_text().splitlines()[0]) for name in ("mined", "val")]
        write(self.base / "kept.jsonl", [{"id": p["id"], "text": p["query"], "query": p["queryId"]} for p in first])
        out = self.base / "without"
        with contextlib.redirect_stdout(io.StringIO()), mock.patch("rerank_retrieval.SAME_AS_GOLD", 2):
            rerank_data.main([*self.given, "--out", str(out), "--without", str(self.base / "kept.jsonl")])

        def labelled(file: Path) -> set[str]:
            made = Examples.load(file)
            of = [np.concatenate([made.label[made.entries(p)] for p in made.passages(e)]) for e in range(len(made))]
            return {name for name, labels in zip(made.names, of) if (labels >= 0).any()}

        for pair, name in zip(first, ("train.npz", "judged.npz")):
            before_, after = labelled(self.data / name), labelled(out / name)
            self.assertEqual(before_ - after, {f"{pair['move']}:{pair['goldId']}"})
            self.assertGreater(len(after), 4)
            self.assertEqual(after - before_, set())

    def test_groups_hold_labelled_passages_as_asked(self) -> None:
        from rerank_batches import choose
        from rerank_scores import passages_gain
        from rerank_store import GOLD, LABELLED, Examples

        made = Examples.load(self.data / "train.npz")

        def marked(e: int, label: int) -> list[int]:
            return [p for p in made.passages(e) if made.kind[p] == LABELLED and (made.label[made.entries(p)] == label).any()]

        e = next(e for e in range(len(made)) if made.gold[e] >= 0 and marked(e, 1) and len(marked(e, 0)) > 1)
        for leave, most, golds, labelled in ((0.0, 1, 1, 1), (1.0, 2, 0, 2), (0.0, 3, 1, 2), (0.0, 4, 1, 3)):
            group = choose(made, e, 4, np.random.default_rng(1), most, leave)
            kinds = [int(made.kind[p]) for p in group]
            self.assertEqual((kinds.count(GOLD), kinds.count(LABELLED)), (golds, labelled))
            self.assertEqual(len(group), len(set(group)))
        asked = next(e for e in range(len(made)) if made.names[e].startswith("question:"))
        group = choose(made, asked, 4, np.random.default_rng(1))
        self.assertEqual(len(group), min(5, len(made.passages(asked))))
        asked = Examples.load(self.data / "questions.npz")
        at = np.concatenate([asked.label[asked.entries(p)] for p in asked.passages(0)]).astype(np.float32)
        self.assertEqual(passages_gain(at, asked, 0), 1)
        self.assertLess(passages_gain((at == 0).astype(np.float32), asked, 0), 1)

    def test_the_role_bias_is_the_one_that_tells_most(self) -> None:
        from average_rerankers import best_bias

        logits = np.array([[1.0, 0.75, -9], [1, 0.45, -9], [-9, 0.1, 0.5], [5, 0, 0]])
        bias = best_bias(logits, np.array([1, 0, 2, -1]))
        np.testing.assert_allclose(bias, [0, 0.3, 0])

    def test_5_steps_lower_the_loss(self) -> None:
        import torch

        import train_reranker
        from rerank_local import LocalScorer
        from rerank_losses import LocalStep
        from rerank_roles import read_abstracts
        from rerank_store import Examples

        args = train_reranker.arguments(
            [
                "--stage",
                "local",
                "--data",
                str(self.data),
                "--roles",
                str(self.base),
                "--out",
                str(self.base),
                "--groups",
                "4",
            ]
        )
        torch.manual_seed(2)
        scorer = LocalScorer(self.base / "encoder")
        examples = Examples.load(self.data / "train.npz")
        step = LocalStep(examples, list(range(8)), read_abstracts(self.base, "train"), scorer, args)
        masters, heads = scorer.masters(), list(scorer.heads.parameters())
        optimizer = torch.optim.AdamW([{"params": masters, "lr": 1e-3}, {"params": heads, "lr": 1e-3}])
        scorer.heads.eval()
        losses = []
        for _ in range(12):
            loss = step.loss(0)
            loss.backward()
            losses.append(loss.item())
            for master, copy in zip(masters, scorer.working()):
                master.grad, copy.grad = copy.grad.float(), None
            optimizer.step()
            optimizer.zero_grad()
            scorer.show(masters)
        # What is left of it is mostly the targets' own entropy.
        self.assertLess(losses[-1], losses[0] - 0.3)
        with self.assertRaisesRegex(SystemExit, "--source"):
            train_reranker.main(["--stage", "local", "--data", str(self.data), "--roles", ".", "--out", "."])

    def test_6_missing_files_are_named(self) -> None:
        from rerank_local import LocalScorer
        from rerank_store import Examples

        with self.assertRaisesRegex(SystemExit, "rerank_data.py"):
            Examples.load(self.base / "nothing.npz")
        with self.assertRaisesRegex(SystemExit, "--stage local"):
            LocalScorer.load(self.base / "encoder")


if __name__ == "__main__":
    unittest.main()

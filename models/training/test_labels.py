"""python -m unittest discover -s models/training -p 'test_labels.py'"""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
import unittest
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

import fit_fusion
import labels
from fit_fusion import of_the_best
from label_candidates import Finder, after_hits, before, top
from label_corpus import Query, choose_queries, is_clear, read_sentences
from label_encoder import Encoder, prefix_of
from label_merge import kappa
from label_sheets import cut

SUBJECTS = tuple("sundials kettles bridges orchards violins glaciers ferries kilns beehives lanterns canals windmills".split())


class WordEncoder:
    """Stands in for an encoder: a direction a word, so that cosine is the overlap of words."""

    def __init__(self, folder: Path, cache: Path):
        self.id = f"{folder.name}-0123abcd4567"
        self.short = folder.name

    def sentences(self, texts: list[str]) -> np.ndarray:
        made = np.zeros((len(texts), 512), np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                made[row, sum(map(ord, word)) % 512] += 1
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)

    def documents(self, texts: list[str], what: str = "") -> np.ndarray:
        return self.sentences(texts)

    def queries(self, move: str, texts: list[str]) -> np.ndarray:
        return self.sentences(texts)


def mined(folder: Path, name: str) -> Path:
    """What `ratio mine` would write for papers about SUBJECTS, two each."""
    out = folder / name
    out.mkdir()
    papers, pairs, pool = [], [], []
    for number in range(len(SUBJECTS) * 2):
        subject = SUBJECTS[number % len(SUBJECTS)]
        paper = f"{name}:{number}"
        texts = [
            f"Many {subject} of size {number} break down when winters in valley {number} are harsh.",
            f"However, few workshops number {number} have kept records of when {subject} failed.",
            f"To solve this, wax coat {number} keeps the frost away from {subject} for a season.",
            f"Coated {subject} in trial {number} lasted twice as long as bare ones.",
        ]
        sentences = [{"id": f"{paper}#{i}", "text": text} for i, text in enumerate(texts)]
        date = "2015-01-01" if number % 3 == 0 else "2022-01-01"
        title = f"On {subject} {number}"
        papers.append({"id": paper, "title": title, "date": date, "sentences": sentences})
        for move, query in (("address", 0), ("broaden-reversed", 3), ("specify", 1)):
            text = texts[query].removeprefix("However, ")
            pairs.append(
                {
                    "id": f"{move}:{paper}#{query}",
                    "move": move,
                    "marker": "m",
                    "query": text[0].upper() + text[1:],
                    "gold": texts[2],
                    "goldId": f"{paper}#2",
                    "queryId": f"{paper}#{query}",
                    "paper": paper,
                    "date": date,
                }
            )
        pool.append({"id": f"{paper}#2", "text": texts[2].removeprefix("To solve this, ")})
    for file, rows in (("papers", papers), ("pairs", pairs), ("pool", pool)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (out / f"{file}.jsonl").write_text(text, encoding="utf-8")
    return out


def run(*args: str) -> tuple[int, str]:
    said = io.StringIO()
    encoder = mock.patch.object(labels, "Encoder", WordEncoder)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), encoder:
        code = labels.main(list(args))
    return code, said.getvalue()


class Case(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)


class Corpus(Case):
    def test_clear_queries_stand_alone(self):
        self.assertTrue(is_clear("Bare kettles rust within a year when left in the garden.", "address"))
        for text in (
            "They rust within a year when left in the garden.",
            "Bare kettles rust early, and these failures cost a lot of money.",
            "Bare kettles rust.",
            "bare kettles rust within a year when left in the garden.",
        ):
            self.assertFalse(is_clear(text, "specify"), text)
        proposal = "We propose a wax that keeps kettles from rusting in gardens."
        self.assertFalse(is_clear(proposal, "address"))
        self.assertTrue(is_clear(proposal, "specify"))

    def test_queries_have_their_shares_and_one_paper_each(self):
        chosen = choose_queries(mined(self.folder, "train"), "train", 16, 1, "2020")
        moves = [query.move for query in chosen]
        self.assertEqual([moves.count(m) for m in ("address", "broaden", "specify")], [8, 4, 4])
        self.assertEqual(len({query.paper for query in chosen}), 16)
        # All sixteen newer papers, none of the eight older ones.
        self.assertTrue(all(int(query.paper.split(":")[1]) % 3 for query in chosen))

    def test_pool_is_whole_papers_with_those_needed(self):
        made = read_sentences(mined(self.folder, "train"), {"train:7"}, 20, 1)
        self.assertIn("train:7", made.paper)
        self.assertIn(len(made.ids), (20, 24))
        self.assertEqual(set(map(made.paper.count, made.paper)), {4})
        row = made.ids.index("train:7#2")
        self.assertTrue(made.text[row].startswith("wax coat"))
        self.assertTrue(made.shown[row].startswith("To solve this, wax coat"))

    def test_a_broken_line_is_named(self):
        folder = mined(self.folder, "train")
        with (folder / "pairs.jsonl").open("a") as file:
            file.write("{oops\n")
        with self.assertRaisesRegex(SystemExit, r"pairs\.jsonl:73: not JSON"):
            choose_queries(folder, "train", 4, 1)


class Candidates(Case):
    def test_context_looks_back_within_the_paper_only(self):
        sims = np.array([[0.1, 0.9, 0.2, 0.3, 0.4, 0.5, 0.8, 0.7]])
        place = np.array([0, 1, 2, 3, 4, 5, 0, 1])
        found = before(sims, place)[0].tolist()
        self.assertEqual(found, [0, 0.1, 0.9, 0.9, 0.9, 0.9, 0, 0.8])

    def test_top_drops_what_is_not_allowed_or_not_positive(self):
        scores = np.array([0.5, 0.9, 0.0, 0.7])
        self.assertEqual(top(scores, np.array([True, False, True, True])), [3, 0])

    def test_after_hits_stay_in_the_paper(self):
        made = read_sentences(mined(self.folder, "train"), {"train:1"}, 8, 1)
        first = made.place.index(0)
        scores = np.zeros(len(made.ids))
        scores[first + 2] = 1
        allowed = np.ones(len(made.ids), bool)
        self.assertEqual(after_hits([first + 3], made, scores, allowed), [])
        self.assertEqual(after_hits([first], made, scores, allowed), [first + 2, first + 1, first + 3])

    def test_own_paper_its_other_version_and_copies_are_left_out(self):
        folder = mined(self.folder, "train")
        papers = [json.loads(line) for line in (folder / "papers.jsonl").read_text().splitlines()]
        query = Query("train:1#0", "address", papers[1]["sentences"][0]["text"], "train:1", "train")
        close = "Many kettles of size 1 break down in harsh winters."
        version = {"id": "v", "title": papers[1]["title"].upper(), "date": "2022"}
        version["sentences"] = [{"id": "v#0", "text": close}]
        copy = {"id": "c", "title": "Copied", "date": "2022"}
        copy["sentences"] = [{"id": "c#0", "text": query.text}, {"id": "c#1", "text": f"Yes, {close}"}]
        other = {"id": "o", "title": "Another", "date": "2022"}
        other["sentences"] = [{"id": "o#0", "text": f"So {close}"}]
        with (folder / "papers.jsonl").open("a") as file:
            file.write(json.dumps(version) + "\n" + json.dumps(copy) + "\n")
            file.write(json.dumps(other) + "\n")
        made = read_sentences(folder, {"train:1"}, 1000, 1)
        finder = Finder(made, [WordEncoder(Path("words"), folder)], ["words"], "")
        [(_, found)] = list(finder.find([query], 10, Random(1)))
        papers = [made.paper[candidate.row] for candidate in found]
        self.assertEqual(len(found), 10)
        self.assertFalse({"train:1", "v", "c"} & set(papers))
        # As close, but neither a copy nor of a paper that has one.
        self.assertIn("o", papers)
        self.assertLessEqual(max(map(papers.count, papers)), 2)
        self.assertTrue(all(candidate.sources for candidate in found))
        self.assertTrue(any("after" in candidate.sources for candidate in found))


class Sheets(Case):
    def build(self, *more: str) -> tuple[Path, list[dict]]:
        out = self.folder / "out"
        train, val = (str(mined(self.folder, name)) for name in ("train", "val"))
        code, said = run(
            "sheets", "--mined", train, "--mined-val", val, "--encoder", "words", "--out", str(out),
            "--queries", "20", "--per-sheet", "8", "--pool", "96", *more,
        )  # fmt: skip
        self.assertEqual(code, 0, said)
        key = [json.loads(line) for line in (out / "key.jsonl").read_text().splitlines()]
        self.assertEqual(key[0]["about"]["encoders"]["words"], "words-0123abcd4567")
        return out, key[1:]

    def answer(self, out: Path, key: list[dict], ones) -> None:
        """Fills every sheet in: 1 where `ones(entry, sentence id)` says so."""
        for sheet in {entry["sheet"] for entry in key}:
            lines = []
            for entry in (entry for entry in key if entry["sheet"] == sheet):
                letters = [a for a, c in entry["candidates"].items() if ones(entry, c["id"])]
                lines.append(f"{entry['number']}\t{''.join(letters) or '-'}")
            (out / f"sheet-{sheet:02}" / "answers.txt").write_text("\n".join(lines) + "\n")

    def test_sheets_show_what_the_key_says_and_no_more(self):
        out, key = self.build()
        self.assertEqual(len([entry for entry in key if not entry["second"]]), 20)
        self.assertEqual(len({e["query"] for e in key if e["split"] == "val"}), 4)
        self.assertEqual(len([entry for entry in key if entry["second"]]), 6)
        self.assertEqual(len(list(out.glob("sheet-*/sheet.md"))), 4)
        self.assertEqual([path.name for path in (out / "sheet-01").iterdir()], ["sheet.md"])
        sentences = {}
        for name in ("train", "val"):
            for line in (self.folder / name / "papers.jsonl").read_text().splitlines():
                sentences |= {s["id"]: s["text"] for s in json.loads(line)["sentences"]}
        for entry in key:
            sheet = (out / f"sheet-{entry['sheet']:02}" / "sheet.md").read_text(encoding="utf-8")
            for hidden in ("bm25", "dense", "train:", "val:"):
                self.assertNotIn(hidden, sheet)
            block = sheet.split(f"\n## {entry['number']} {entry['move']}\n")[1].split("\n## ")[0]
            for letter, candidate in entry["candidates"].items():
                text = sentences[candidate["id"]]
                self.assertRegex(block, rf"(?m)^{letter}\) \[On .*\*\*{re.escape(text)}\*\*")
                self.assertTrue(candidate["id"].startswith(entry["split"]))

    def test_the_same_seed_gives_the_same_key_and_a_full_folder_is_kept(self):
        out, _ = self.build()
        before_ = (out / "key.jsonl").read_bytes()
        with self.assertRaisesRegex(SystemExit, "already holds sheets"):
            run("sheets", "--mined", "x", "--mined-val", "x", "--encoder", "words", "--out", str(out))
        self.assertEqual((out / "key.jsonl").read_bytes(), before_)
        again = self.folder / "again"
        train, val = (str(self.folder / name) for name in ("train", "val"))
        run(
            "sheets", "--mined", train, "--mined-val", val, "--encoder", "words", "--out", str(again),
            "--queries", "20", "--per-sheet", "8", "--pool", "96",
        )  # fmt: skip
        self.assertEqual((again / "key.jsonl").read_bytes(), before_)

    def test_merge_keeps_both_labels_and_settles_for_0(self):
        out, key = self.build()
        # The second reader finds nothing; the first one takes every "#2".
        self.answer(out, key, lambda entry, i: i.endswith("#2") and not entry["second"])
        made = self.folder / "labels.jsonl"
        code, said = run("merge", "--sheets", str(out), "--out", str(made))
        self.assertEqual(code, 0, said)
        triples = [json.loads(line) for line in made.read_text().splitlines()]
        self.assertEqual(len(triples), sum(len(e["candidates"]) for e in key if not e["second"]))
        twice = {(e["move"], e["query"]) for e in key if e["second"]}
        for triple in triples:
            is_second = triple["sentence"].endswith("#2")
            if (triple["move"], triple["query"]) in twice:
                self.assertEqual((triple["first"], triple["second"]), (int(is_second), 0))
                self.assertEqual(triple["label"], 0)
                self.assertNotEqual(triple["reader"], triple["secondReader"])
            else:
                self.assertNotIn("second", triple)
                self.assertEqual(triple["label"], int(is_second))
            self.assertTrue(set(triple["sources"]) <= {"bm25", "dense1", "combine1", "after"})
        self.assertNotIn("winters", made.read_text())
        figures = json.loads((self.folder / "labels.report.json").read_text())
        self.assertEqual(figures["all"]["twice"], sum(len(e["candidates"]) for e in key if e["second"]))
        self.assertEqual(figures["all"]["kappa"], 0)
        self.assertEqual(figures["all"]["ones"], sum(t["label"] for t in triples))
        self.assertIn("kappa 0.000", said)

    def test_lists_of_several_encoders_are_told_apart(self):
        out, key = self.build("--encoder", "others")
        self.answer(out, key, lambda entry, i: i.endswith("#2"))
        made = self.folder / "labels.jsonl"
        code, _ = run("merge", "--sheets", str(out), "--out", str(made))
        self.assertEqual(code, 0)
        figures = json.loads((self.folder / "labels.report.json").read_text())
        numbered = {"1": "words-0123abcd4567", "2": "others-0123abcd4567"}
        self.assertEqual(figures["encoders"], numbered)
        self.assertTrue({"dense1", "combine1", "dense2", "combine2"} <= set(figures["sources"]["address"]))
        self.assertEqual(figures["all"]["kappa"], 1)

    def test_faulty_answers_are_named_and_nothing_is_written(self):
        out, key = self.build()
        self.answer(out, key, lambda entry, i: False)
        file = out / "sheet-01" / "answers.txt"
        lines = file.read_text().splitlines()
        lines[0] = "1\tz"
        lines[1] = "second: none"
        lines[3] = "3\t-"
        file.write_text("\n".join([*lines[:-1], "99\ta"]))
        (out / "sheet-02" / "answers.txt").unlink()
        made = self.folder / "labels.jsonl"
        code, said = run("merge", "--sheets", str(out), "--out", str(made))
        self.assertEqual(code, 1)
        self.assertFalse(made.exists())
        for fault in (
            r"answers\.txt:1: entry 1 has no candidate z",
            r"answers\.txt:2: not `number<TAB>letters`",
            r"answers\.txt:4: entry 3 is answered twice",
            r"answers\.txt:\d+: the sheet has no entry 99",
            r"answers\.txt: entry 2 has no answer",
            r"answers\.txt: entry 4 has no answer",
            r"sheet-02.answers\.txt: cannot be read",
        ):
            self.assertRegex(said, fault)
        self.assertNotIn("entry 1 has no answer", said)
        code, _ = run("merge", "--sheets", str(out), "--out", str(made), "--partial")
        self.assertEqual(code, 0)
        queries = {(t["move"], t["query"]) for t in map(json.loads, made.read_text().splitlines())}
        first = next(e for e in key if e["sheet"] == 1 and e["number"] == 1)
        seconds = {(e["move"], e["query"]) for e in key if e["second"]}
        asked = (first["move"], first["query"])
        self.assertEqual(asked in queries, asked in seconds)
        last = next(e for e in key if e["sheet"] == 3 and e["number"] == 1)
        self.assertIn((last["move"], last["query"]), queries)

    def test_labels_of_rounds_that_are_not_given_are_not_lost(self):
        out, key = self.build()
        self.answer(out, key, lambda entry, i: i.endswith("#2"))
        made = self.folder / "labels.jsonl"
        earlier = {"move": "address", "query": "old:1#0", "sentence": "old:2#1", "split": "train", "label": 1}
        made.write_text(json.dumps(earlier) + "\n")
        code, said = run("merge", "--sheets", str(out), "--out", str(made))
        self.assertEqual((code, made.read_text()), (1, json.dumps(earlier) + "\n"))
        self.assertRegex(said, r"labels.jsonl holds 1 triples .* address old:1#0 old:2#1; nothing written.* --replace")
        self.assertFalse((self.folder / "labels.report.json").exists())
        code, _ = run("merge", "--sheets", str(out), "--out", str(made), "--replace")
        self.assertEqual(code, 0)
        written = made.read_text()
        self.assertNotIn("old:1", written)
        # The same sheets again lose nothing.
        code, _ = run("merge", "--sheets", str(out), "--out", str(made))
        self.assertEqual((code, made.read_text()), (0, written))


class Vectors(Case):
    def test_prefixes_by_move(self):
        self.assertEqual(prefix_of("{move}: ", "broaden"), "broaden: ")
        self.assertEqual(prefix_of({"address": "solve: "}, "address"), "solve: ")
        self.assertEqual(prefix_of({"address": "solve: "}, "broaden"), "")

    def test_sentences_are_encoded_once(self):
        folder = Path(__file__).resolve().parent.parent / "encoder"
        texts = ["A kettle rusts.", "A violin is played in an orchard.", "A kettle rusts."]
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            first = Encoder(folder, self.folder).documents(texts)
        self.assertIn("2 of 2 sentences", said.getvalue())
        np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, atol=1e-3)
        np.testing.assert_array_equal(first[0], first[2])
        self.assertLess(float(first[0] @ first[1]), 0.9)
        later = Encoder(folder, self.folder)
        with mock.patch.object(later, "sentences", side_effect=AssertionError("encoded again")):
            np.testing.assert_array_equal(later.documents(texts[1:]), first[1:])

    def test_a_folder_without_an_encoder_is_named(self):
        with self.assertRaisesRegex(SystemExit, "not an encoder folder"):
            Encoder(self.folder, self.folder)


class Fusion(Case):
    def test_labels_of_sentences_that_are_not_there_are_left_out_and_counted(self) -> None:
        folder = mined(self.folder, "train")
        rows = [
            {"move": "address", "query": query, "sentence": sentence, "split": "train", "label": label}
            for query, sentence, label in (
                ("train:0#0", "train:3#2", 1),
                ("train:0#0", "train:4#9", 0),
                ("train:1#8", "train:3#2", 1),
                ("train:2#0", "train:3#9", 1),
                ("train:5#1", "train:3#0", 0),
            )
        ]
        file = self.folder / "labels.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        words = f"fit --labels {file} --mined {folder} --mined-val {folder} --encoder {self.folder} --cache {self.folder}"
        said = io.StringIO()
        given, encoder = mock.patch("sys.argv", words.split()), mock.patch.object(fit_fusion, "Encoder", WordEncoder)
        with given, encoder, contextlib.redirect_stdout(said):
            entries = fit_fusion.load(fit_fusion.arguments())
        self.assertEqual([entry["labels"].tolist() for entry in entries], [[1], [0]])
        self.assertIn("train: 3 labels left out", said.getvalue())


class Figures(unittest.TestCase):
    def test_bm25_is_a_share_of_the_best_of_other_papers(self) -> None:
        own = np.array([True, False, False, True])
        self.assertEqual(of_the_best(np.array([40.0, 10.0, 5.0, 12.0]), own).tolist(), [0, 1, 0.5, 0])
        self.assertEqual(of_the_best(np.zeros(4), own).tolist(), [0, 0, 0, 0])

    def test_kappa(self):
        # Observed 0.7, by chance 0.5.
        pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
        self.assertAlmostEqual(kappa(pairs), 0.4)
        self.assertIsNone(kappa([(0, 0)] * 3))
        self.assertIsNone(kappa([]))

    def test_cut_ends_at_a_word(self):
        self.assertEqual(cut("short", 10), "short")
        self.assertEqual(cut("one two, three", 10), "one two…")


if __name__ == "__main__":
    unittest.main()

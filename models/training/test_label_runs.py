"""python -m unittest discover -s models/training -p 'test_label_runs.py'"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import labels
from test_labels import mined


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        self.held = tempfile.TemporaryDirectory()
        self.root = Path(self.held.name)
        self.mined = mined(self.root, "train")
        self.papers = self.root / "papers.jsonl"
        rows = [json.loads(line) for line in (self.mined / "papers.jsonl").read_text().splitlines()]
        self.papers.write_text("".join(json.dumps({"id": r["id"], "title": r["title"], "abstract": "x"}) + "\n" for r in rows))
        self.all = rows

    def tearDown(self) -> None:
        self.held.cleanup()

    def command(self, *words: object) -> int:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return labels.main([str(w) for w in words])

    def asked(self, *more: object, out: str = "asked") -> tuple[list[dict], list[dict]]:
        folder = self.root / out
        self.command(
            "queries", "--mined", self.mined, "--split", "train", "--count", 6, "--papers", self.papers, "--pool", 30,
            "--out", folder, *more,
        )  # fmt: skip
        return tuple(
            [json.loads(line) for line in (folder / f"{name}-train.jsonl").read_text().splitlines()]
            for name in ("queries", "papers")
        )

    def test_no_paper_of_the_pool_is_a_querys(self) -> None:
        queries, papers = self.asked()
        self.assertGreater(len(queries), 2)
        self.assertGreater(len(papers), 2)
        self.assertFalse({q["paper"] for q in queries} & {p["id"] for p in papers})

    def test_labelled_queries_are_not_asked_again(self) -> None:
        first, _ = self.asked()
        known = self.root / "known.jsonl"
        known.write_text("".join(json.dumps({"query": q["query"]}) + "\n" for q in first))
        second, _ = self.asked("--known", known, out="again")
        self.assertFalse({q["query"] for q in first} & {q["query"] for q in second})

    def test_claims_are_plain_statements_of_papers_outside_the_pool(self) -> None:
        texts = {
            "Attention mechanisms are widely used to weigh the parts of long documents.": "specify",
            "Readers of long reports often look for one figure and skip everything else.": None,
            "Transformers with 12 layers need several gigabytes of memory for long documents.": "broaden",
            "We train a model of long documents that needs little memory.": None,
            "These models of long documents need several gigabytes of memory.": None,
            "It is known that memory grows with the length of documents.": None,
        }
        rows = [
            {"id": f"p{n}", "title": "T", "date": "2024", "sentences": [{"id": f"p{n}#{i}", "text": t} for i, t in enumerate(order)]}
            for n in range(20)
            for order in [list(texts) if n % 2 else list(texts)[2:]]
        ]
        folder = self.root / "claims-mined"
        folder.mkdir()
        (folder / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        pool, known = self.root / "pool.jsonl", self.root / "known.jsonl"
        pool.write_text(json.dumps({"id": "p1"}) + "\n")
        known.write_text(json.dumps({"query": "p3#0"}) + "\n")
        out = self.root / "claims"
        given = ["queries", "--mined", folder, "--split", "train", "--claims-for", pool, "--known", known, "--out", out]
        self.command(*given, "--count", 6)
        asked = [json.loads(line) for line in (out / "queries-train.jsonl").read_text().splitlines()]
        self.assertEqual(sorted(q["move"] for q in asked), ["broaden"] * 3 + ["specify"] * 3)
        self.assertEqual(len({q["paper"] for q in asked}), len(asked))
        self.assertFalse({"p1"} & {q["paper"] for q in asked})
        self.assertNotIn("p3#0", {q["query"] for q in asked})
        for q in asked:
            # The second sentence is early in the abstract too, and as general as the first.
            wanted = texts[q["text"]] or ("specify" if q["text"].startswith("Readers") else None)
            self.assertEqual(q["move"], wanted)
        with self.assertRaisesRegex(SystemExit, "--papers names"):
            self.command("queries", "--mined", folder, "--split", "train", "--out", out)

    def test_candidates_come_from_the_runs_in_turn_and_know_their_ranks(self) -> None:
        queries, papers = self.asked()
        near = [f"{p['id']}#1" for p in papers][:4]
        own = f"{queries[0]['paper']}#1"
        lines = {"a": [near[0], own, near[1], near[2]], "b": [near[0], near[3], near[2], near[1]]}
        for name, documents in lines.items():
            text = "".join(f"{queries[0]['id']} Q0 {d} {r} 1.0 t\n" for r, d in enumerate(documents, 1))
            (self.root / f"{name}.run").write_text(text)
        out = self.root / "sheets"
        given = ["--run", f"a={self.root / 'a.run'}", "--run", f"b={self.root / 'b.run'}"]
        self.command(
            "runs", "--mined", self.mined, "--queries", self.root / "asked" / "queries-train.jsonl", *given,
            "--candidates", 3, "--second", 0, "--out", out,
        )  # fmt: skip
        key = [json.loads(line) for line in (out / "key.jsonl").read_text().splitlines()][1:]
        self.assertEqual(len(key), 1)
        self.assertEqual(key[0]["query"], queries[0]["query"])
        found = {c["id"]: c["sources"] for c in key[0]["candidates"].values()}
        self.assertEqual(found[near[0]], {"a": 1, "b": 1})
        self.assertEqual(set(found), {near[0], near[3], near[1]})
        self.assertNotIn(own, found)
        self.assertTrue((out / "sheet-01" / "sheet.md").exists())

    def test_a_broken_run_is_told_by_its_line(self) -> None:
        self.asked()
        run = self.root / "bad.run"
        run.write_text("one Q0 two three\n")
        asked = self.root / "asked" / "queries-train.jsonl"
        with self.assertRaisesRegex(SystemExit, r"bad\.run:1: not a line of a TREC run"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", f"a={run}", "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "--queries-val needs --mined-val"):
            self.command("runs", "--queries-val", asked, "--run-val", f"a={run}", "--out", self.root / "s")
        run.write_text("train-0001 Q0 elsewhere:1#2 1 0.5 t\n")
        with self.assertRaisesRegex(SystemExit, "lacks 1 papers of the runs, for one elsewhere:1"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", f"a={run}", "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "there is no file"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", "a=nowhere", "--out", self.root / "s")
        with self.assertRaisesRegex(SystemExit, "NAME=FILE"):
            self.command("runs", "--mined", self.mined, "--queries", asked, "--run", run, "--out", self.root / "s")


if __name__ == "__main__":
    unittest.main()

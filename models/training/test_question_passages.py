"""python -m unittest discover -s models/training -p 'test_question_passages.py'"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import tempfile
import unittest
from pathlib import Path

import question_passages

PAPERS = [
    ("kiln", "Firing kilns evenly", "Fans even out the heat of kilns.", "2024"),
    ("clay", "Clay for kilns", "Kilns crack clay that dries too fast.", "2023"),
    ("late", "Kilns and heat again", "The heat of kilns is measured anew.", "2025-11"),
    ("ferry", "Ferries in fog", "Radar guides ferries.", "2022"),
    ("kettle", "Kettles", "Kettles whistle when the heat is high.", "2021"),
]
QUESTION = {
    "id": "question:q1",
    "split": "train",
    "text": "How can the heat of kilns be evened out?",
    "labels": {"kiln#0": 1, "clay#0": 0, "gone#3": 1},
}


@unittest.skipUnless(importlib.util.find_spec("bm25s"), "bm25s is not installed")
class QuestionPassagesTest(unittest.TestCase):
    def written(self, *options: str, papers: list[tuple[str, ...]] = PAPERS) -> list[dict]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            rows = [dict(zip(("id", "title", "abstract", "date"), paper)) for paper in papers]
            (folder / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            (folder / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n")
            files = ["--papers", str(folder / "papers.jsonl"), "--questions", str(folder / "questions.jsonl")]
            with contextlib.redirect_stdout(io.StringIO()):
                question_passages.main([*files, *options, "--out", str(folder / "out.jsonl")])
            return [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]

    def test_gives_labelled_papers_as_passages(self) -> None:
        (row,) = self.written()
        self.assertEqual((row["id"], row["dataset"], row["query"]), ("question:q1", "train", QUESTION["text"]))
        self.assertEqual({c["title"]: c["gold"] for c in row["candidates"]}, {"Firing kilns evenly": 1, "Clay for kilns": 0})

    def test_adds_unlabelled_papers_that_share_words_and_are_not_later(self) -> None:
        (row,) = self.written("--found", "1")
        self.assertEqual(
            {c["title"]: c["gold"] for c in row["candidates"]}, {"Firing kilns evenly": 1, "Clay for kilns": 0, "Kettles": 0}
        )
        self.assertEqual(row, self.written("--found", "1")[0])

    def test_says_where_no_question_has_a_gold_paper(self) -> None:
        with self.assertRaisesRegex(SystemExit, "no question has a gold paper among the 0 papers"):
            self.written(papers=[])


if __name__ == "__main__":
    unittest.main()

"""The local model as it is trained: an encoder in working precision with fp32 masters, heads in fp32."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch

from rerank_batches import CHUNK_TOKENS, Row, chunks, collate, joined
from rerank_model import LocalHeads, own_span_mask
from rerank_passages import Limits
from tower import Tower


@dataclass
class Flat:
    """Outputs of every sentence of some rows, one after the other."""

    local: torch.Tensor
    role_logits: torch.Tensor
    hidden: torch.Tensor
    intent: torch.Tensor


class LocalScorer:
    """`joint` False encodes each sentence by itself and `roles` False ignores roles, both for ablations."""

    def __init__(self, source: Path, joint: bool = True, roles: bool = True, limits: Limits = Limits()):
        self.tower = Tower(source)
        self.tower.load(self.tower.masters)
        self.joint, self.limits = joint, limits
        self.heads = LocalHeads(self.tower.model.config.hidden_size, roles=roles)
        vocabulary = self.tower.tokens
        self.cls, self.sep = vocabulary.token_to_id("[CLS]"), vocabulary.token_to_id("[SEP]")
        # Word embeddings stay: half of the weights, and too few examples to move them by.
        self.tower.model.embeddings.word_embeddings.weight.requires_grad_(False)
        self.places = [i for i, p in enumerate(self.tower.model.parameters()) if p.requires_grad]

    def masters(self) -> list[torch.Tensor]:
        """The encoder's fp32 weights that are trained."""
        return [self.tower.masters[i] for i in self.places]

    def working(self) -> list[torch.Tensor]:
        """The copies of `masters` in working precision, in the same order."""
        every = list(self.tower.model.parameters())
        return [every[i] for i in self.places]

    def show(self, weights: list[torch.Tensor]) -> None:
        """Puts `weights` (as `masters` gives them) into the working copy."""
        with torch.no_grad():
            torch._foreach_copy_(self.working(), weights)

    def run(self, rows: list[Row], tokens: int = CHUNK_TOKENS) -> Flat:
        """Scores all sentences of the rows, in order."""
        made = [joined(row, self.cls, self.sep, self.limits) for row in rows]
        parts: list[tuple[torch.Tensor, ...]] = [()] * len(rows)
        for places in chunks([len(ids) for ids, _ in made], tokens):
            batch = collate([rows[i] for i in places], [made[i] for i in places])
            mask = batch.mask
            if not self.joint:
                mask = own_span_mask(batch.spans, batch.mask, next(self.tower.model.parameters()).dtype)
            out = self.tower.model(input_ids=batch.ids, attention_mask=mask).last_hidden_state.float()
            scored = self.heads(out, batch.spans, batch.features)
            for k, i in enumerate(places):
                m = len(rows[i].sentences)
                parts[i] = (
                    scored.local[k, :m],
                    scored.role_logits[k, :m],
                    scored.hidden[k, :m],
                    scored.intent[k : k + 1],
                )
        return Flat(*(torch.cat(list(column)) for column in zip(*parts)))

    def save(self, folder: Path, weights: list[torch.Tensor], heads: dict[str, torch.Tensor]) -> None:
        """A folder that `load` and export_reranker.py take."""
        whole = list(self.tower.masters)
        for i, w in zip(self.places, weights):
            whole[i] = w
        self.tower.save(folder, whole)
        torch.save(heads, folder / "heads.pt")
        settings = {"joint": self.joint, "roles": self.heads.with_roles, "heads": self.heads.width_of}
        (folder / "local.json").write_text(json.dumps(settings, indent=2) + "\n")

    @staticmethod
    def load(folder: Path) -> LocalScorer:
        """What `save` wrote, ready to infer. Exits where `folder` holds no local model."""
        if not (folder / "local.json").exists():
            raise SystemExit(f"{folder} holds no local model. Run train_reranker.py --stage local first.")
        settings = json.loads((folder / "local.json").read_text())
        made = LocalScorer(folder, settings["joint"], settings["roles"])
        made.heads.load_state_dict(torch.load(folder / "heads.pt"))
        made.heads.eval()
        return made

"""LoG-Reranker, move-conditioned: joint local scoring, and a typed graph attention network over all passages."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from rerank_graph import RELATIONS

FEATURES = ("cosine", "before", "bm25", "passageBm25")
ROLES = ("background", "method", "result")
NOTHING = -1e4
#: What the features weigh beside the global score in use, by move: 3 x the weights with which recall fused them then, and
#: more for plain questions; chosen on validation papers (trials.md). A plain match keeps the subject.
BLEND = {
    "address": (3.0, 1.2, 1.2, 0.0),
    "broaden": (3.0, 0.0, 1.5, 0.0),
    "specify": (3.0, 0.0, 1.8, 0.0),
    "none": (0.0, 0.0, 0.0, 2.0),
}
#: A plain question is as like a whole passage as its author meant it, not as one of its sentences: what the cosine with
#: the passage as one text weighs in that passage's score (trials.md).
PASSAGE_COSINE = 16.0
#: The local score starts as the retriever's order: these are the first weights of the features.
START = (12.0, 3.0, 2.0, 1.0)


@dataclass
class Scored:
    """Of B passages of M sentences at most: logits (B, M), roles (B, M, 3, logits), intent (B, 3), hidden (B, M, d)."""

    local: torch.Tensor
    role_logits: torch.Tensor
    intent: torch.Tensor
    hidden: torch.Tensor
    present: torch.Tensor

    @property
    def roles(self) -> torch.Tensor:
        """Probabilities of the roles, (B, M, 3)."""
        return self.role_logits.softmax(-1)


def mlp(into: int, width: int, out: int, dropout: float = 0.0) -> nn.Sequential:
    """Linear, GELU, dropout, linear."""
    return nn.Sequential(nn.Linear(into, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, out))


class LocalHeads(nn.Module):
    """What stands on the encoder: span means, intent and roles, their compatibility, the score (equations 1 to 5)."""

    def __init__(self, hidden: int = 384, width: int = 256, role_width: int = 128, pair: int = 16, roles: bool = True):
        super().__init__()
        self.width_of = {"hidden": hidden, "width": width, "role_width": role_width, "pair": pair}
        self.with_roles = roles
        self.intent = mlp(hidden, role_width, len(ROLES))
        self.role = mlp(hidden, role_width, len(ROLES))
        self.pair = nn.Linear(len(ROLES), pair, bias=False)
        self.score = mlp(2 * hidden + pair + len(FEATURES), width, 1, dropout=0.1)
        # The score is the network's and, beside it, linear in the features: training starts from the retriever.
        self.features = nn.Linear(len(FEATURES), 1, bias=False)
        with torch.no_grad():
            self.features.weight.copy_(torch.tensor([START]))
            self.score[-1].weight.mul_(0.1)
            self.score[-1].bias.fill_(-0.5 * START[0])

    def forward(self, tokens: torch.Tensor, spans: torch.Tensor, features: torch.Tensor) -> Scored:
        """`tokens` (B, L, d) in fp32; `spans` (B, L): 0 query, k sentence k, -1 neither; `features` (B, M, 4)."""
        most = features.shape[1]
        member = (spans.unsqueeze(1) == torch.arange(most + 1).view(1, -1, 1)).float()  # (B, 1 + M, L)
        count = member.sum(-1, keepdim=True)
        means = member @ tokens / count.clamp(min=1)
        query, hidden = means[:, 0], means[:, 1:]
        present = count[:, 1:, 0] > 0
        role_logits, intent = self.role(hidden), self.intent(query).softmax(-1)
        if not self.with_roles:
            role_logits = torch.zeros_like(role_logits)
        pair = self.pair(intent.unsqueeze(1) * role_logits.softmax(-1))
        if not self.with_roles:
            pair = torch.zeros_like(pair)
        joined = torch.cat([query.unsqueeze(1).expand(-1, most, -1), hidden, pair, features], -1)
        local = (self.score(joined) + self.features(features)).squeeze(-1)
        return Scored(local.masked_fill(~present, NOTHING), role_logits, intent, hidden, present)


def own_span_mask(spans: torch.Tensor, mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Additive (B, 1, L, L) mask with which a token sees its own span alone: sentences encoded by themselves."""
    same = (spans.unsqueeze(1) == spans.unsqueeze(2)) & mask.bool().unsqueeze(1)
    return torch.zeros(same.shape, dtype=dtype).masked_fill(~same, torch.finfo(dtype).min).unsqueeze(1)


class GraphLayer(nn.Module):
    """Relation-aware graph attention (equations 11 to 14) over padded lists of incoming edges."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.target = nn.Linear(width, width, bias=False)
        self.source = nn.Parameter(torch.randn(RELATIONS, width, width) * width**-0.5)
        self.relation = nn.Parameter(torch.randn(RELATIONS, self.size) * 0.1)
        self.attend = nn.Parameter(torch.randn(3, heads, self.size) * self.size**-0.5)
        self.out = nn.Linear(width, width)
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.forth, self.back = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, neighbours: torch.Tensor, relations: torch.Tensor, valid: torch.Tensor) -> torch.Tensor:
        """Nodes (n, width) to nodes (n, width); edges (n, K) as in SentenceGraph."""
        n = len(neighbours)
        at_target, at_source, at_relation = self.attend
        moved = torch.einsum("nd,rde->rne", x, self.source).reshape(RELATIONS * n, self.heads, self.size)
        by_target = (self.target(x).view(n, self.heads, self.size) * at_target).sum(-1)
        by_source = (moved * at_source).sum(-1) + (at_relation @ self.relation.T).T.repeat_interleave(n, 0)
        edge = relations * n + neighbours
        attention = functional.leaky_relu(by_source[edge] + by_target.unsqueeze(1), 0.2)  # (n, K, heads)
        attention = attention.masked_fill(valid.unsqueeze(-1) == 0, NOTHING).softmax(1) * valid.unsqueeze(-1)
        message = (attention.unsqueeze(-1) * moved[edge]).sum(1).reshape(n, -1)
        x = self.norm(x + self.dropout(self.out(message)))
        return self.norm2(x + self.dropout(self.back(functional.gelu(self.forth(x)))))


class Global(nn.Module):
    """Node initialisation, two graph layers and the global score (equations 7 and 11 to 15)."""

    def __init__(self, hidden: int = 384, width: int = 256, heads: int = 4, layers: int = 2, dropout: float = 0.1):
        super().__init__()
        self.settings = {"hidden": hidden, "width": width, "heads": heads, "layers": layers}
        self.of_hidden = nn.Linear(hidden, width)
        self.of_roles = nn.Linear(len(ROLES), width)
        self.of_local = nn.Linear(1, width)
        self.of_features = nn.Linear(len(FEATURES), width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(GraphLayer(width, heads, dropout) for _ in range(layers))
        self.score = mlp(width, width // 2, 1, dropout)
        # The local logit is added to the score, times this: training starts from the local order.
        self.keep = nn.Parameter(torch.ones(1))
        with torch.no_grad():
            self.score[-1].weight.mul_(0.1)
            self.score[-1].bias.zero_()

    def forward(
        self,
        hidden: torch.Tensor,
        roles: torch.Tensor,
        local: torch.Tensor,
        features: torch.Tensor,
        neighbours: torch.Tensor,
        relations: torch.Tensor,
        valid: torch.Tensor,
    ) -> torch.Tensor:
        """Logits (n) of n nodes; `local` is the sigmoid of the local logit, edges as in SentenceGraph."""
        x = self.of_hidden(hidden) + self.of_roles(roles) + self.of_local(local.unsqueeze(-1)) + self.of_features(features)
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, neighbours, relations, valid)
        safe = local.clamp(1e-6, 1 - 1e-6)
        return self.score(x).squeeze(-1) + self.keep * (safe.log() - (1 - safe).log())

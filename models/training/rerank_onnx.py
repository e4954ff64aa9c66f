"""ONNX graphs of the reranker, written node by node as encoder_graph.py does the encoder's.

local   encoder (fp32 or int8) with span means, roles, intent and score in fp32;
global  node initialisation, typed graph attention over padded edge lists, score; fp32.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

from encoder_graph import IR_VERSION, MASKED, MICROSOFT, OPSET, EncoderGraph, Shape, Site
from rerank_graph import RELATIONS
from rerank_model import NOTHING

Arrays = dict[str, np.ndarray]
EPSILON = 1e-5  # torch's LayerNorm


class HeadGraph(EncoderGraph):
    """Small fp32 pieces on top of what EncoderGraph writes; `heads` are arrays by torch's names."""

    heads: Arrays

    def dense(self, x: str, key: str, name: str) -> str:
        """A linear layer by its torch name, with its bias where there is one."""
        product = self.node("MatMul", [x, self.constant(f"{key}.weight.t", self.heads[f"{key}.weight"].T)], name + ".product")
        if f"{key}.bias" not in self.heads:
            return product
        return self.node("Add", [product, self.constant(f"{key}.bias", self.heads[f"{key}.bias"])], name)

    def mlp(self, x: str, key: str, name: str) -> str:
        """Linear, GELU, linear, as rerank_model.mlp (whose third place is dropout)."""
        x = self.node("Gelu", [self.dense(x, f"{key}.0", name + ".wide")], name + ".gelu", domain=MICROSOFT)
        return self.dense(x, f"{key}.3", name)

    def layer_norm(self, x: str, key: str, name: str) -> str:
        """Layer normalisation over the last axis, as torch does it."""
        scale, bias = (self.constant(f"{key}.{part}", self.heads[f"{key}.{part}"]) for part in ("weight", "bias"))
        return self.node("LayerNormalization", [x, scale, bias], name, axis=-1, epsilon=EPSILON)

    def number(self, name: str, value: float, kind=np.float32) -> str:
        """A scalar constant."""
        return self.constant(name, np.array(value, kind))

    def finish(self, name: str, inputs: list, outputs: list) -> onnx.ModelProto:
        """The model of what was written; inputs and outputs as (name, type, shape)."""
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, name, [value(*i) for i in inputs], [value(*o) for o in outputs], list(self.constants.values())
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="ratio")


def local_graph(weights: Arrays, shape: Shape, heads: Arrays, kind: str, sites: dict[str, Site]) -> onnx.ModelProto:
    """`kind`: fp32 or int8, of the encoder alone; `heads`: LocalHeads' state."""
    g = HeadGraph(weights, shape, kind, sites)
    g.heads = heads
    mask = g.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    row = g.node("Unsqueeze", [mask, g.ints(1, 2)], "mask.row")
    row = g.node("Sub", [row, g.number("one", 1)], "mask.absent")
    g.node("Mul", [row, g.number("masked", MASKED)], "mask.scores")
    x = g.embed()
    for i in range(shape.layers):
        x = g.layer(x, i)
    # Span means (equation 1).
    most = g.node("Shape", ["features"], "most", start=1, end=2)
    count = g.node("Squeeze", [g.node("Add", [most, g.ints(1)], "spans.count")], "spans.end")
    numbers = g.node("Range", [g.number("zero.i", 0, np.int64), count, g.number("one.i", 1, np.int64)], "spans.numbers")
    numbers = g.node("Unsqueeze", [numbers, g.ints(0, 2)], "spans.column")
    member = g.node("Equal", [g.node("Unsqueeze", ["spans", g.ints(1)], "spans.row"), numbers], "spans.same")
    member = g.node("Cast", [member], "spans.member", to=TensorProto.FLOAT)
    size = g.node("ReduceSum", [member, g.ints(2)], "spans.size", keepdims=1)
    divisor = g.node("Max", [size, g.number("one", 1)], "spans.divisor")
    means = g.node("Div", [g.node("MatMul", [member, x], "spans.sum"), divisor], "spans.means")
    query = g.node("Slice", [means, g.ints(0), g.ints(1), g.ints(1)], "query")
    g.node("Slice", [means, g.ints(1), g.constant("end", np.array([2**31], np.int64)), g.ints(1)], "hidden")
    # Intent, roles and their compatibility (2 to 4).
    intent = g.node("Softmax", [g.mlp(query, "intent", "intent.logits")], "intent.row", axis=-1)
    g.node("Squeeze", [intent, g.ints(1)], "intent")
    g.node("Softmax", [g.mlp("hidden", "role", "role.logits")], "roles", axis=-1)
    pair = g.dense(g.node("Mul", [intent, "roles"], "pair.each"), "pair", "pair")
    # The score (5).
    like = g.node("Shape", ["hidden"], "hidden.shape")
    query = g.node("Expand", [query, like], "query.each")
    both = g.node("Concat", [query, "hidden", pair, "features"], "score.in", axis=-1)
    score = g.mlp(both, "score", "score.mlp")
    score = g.node("Add", [score, g.dense("features", "features", "score.features")], "score.sum")
    absent = g.node("Equal", [size, g.number("zero", 0)], "spans.empty")
    absent = g.node("Slice", [absent, g.ints(1), "end", g.ints(1)], "absent")
    score = g.node("Where", [absent, g.number("nothing", NOTHING), score], "score.present")
    g.node("Squeeze", [score, g.ints(2)], "local")
    text, sentences = ["batch", "tokens"], ["batch", "sentences"]
    inputs = [(n, TensorProto.INT64, text) for n in ("input_ids", "attention_mask", "spans")]
    inputs.append(("features", TensorProto.FLOAT, [*sentences, heads["features.weight"].shape[1]]))
    outputs = [
        ("local", TensorProto.FLOAT, sentences),
        ("roles", TensorProto.FLOAT, [*sentences, 3]),
        ("intent", TensorProto.FLOAT, ["batch", 3]),
        ("hidden", TensorProto.FLOAT, [*sentences, shape.hidden]),
    ]
    return g.finish("local", inputs, outputs)


def attention_layer(g: HeadGraph, x: str, key: str, heads: int) -> str:
    """One graph layer (equations 11 to 14), as rerank_model.GraphLayer."""
    source, attend = g.heads[f"{key}.source"], g.heads[f"{key}.attend"]
    width = source.shape[1]
    size = width // heads
    split = g.ints(-1, heads, size)
    three = g.node("Unsqueeze", [x, g.ints(0)], f"{key}.x")
    moved = g.node("MatMul", [three, g.constant(f"{key}.source", source)], f"{key}.moved")
    moved = g.node("Reshape", [moved, split], f"{key}.moved.heads")
    target = g.node("Reshape", [g.dense(x, f"{key}.target", f"{key}.target"), split], f"{key}.target.heads")

    def along(value: str, which: int, name: str) -> str:
        product = g.node("Mul", [value, g.constant(f"{key}.attend.{which}", attend[which])], name + ".product")
        return g.node("ReduceSum", [product, g.ints(2)], name, keepdims=0)

    by_target = along(target, 0, f"{key}.byTarget")
    by_source = along(moved, 1, f"{key}.bySource")
    typed = np.einsum("hs,rs->rh", attend[2], g.heads[f"{key}.relation"])[:, None, :].astype(np.float32)
    by_source = g.node("Reshape", [by_source, g.ints(RELATIONS, -1, heads)], f"{key}.bySource.types")
    by_source = g.node("Add", [by_source, g.constant(f"{key}.typed", typed)], f"{key}.bySource.typed")
    by_source = g.node("Reshape", [by_source, g.ints(-1, heads)], f"{key}.bySource.flat")
    scores = g.node("Gather", [by_source, "edge"], f"{key}.edges")
    scores = g.node("Add", [scores, g.node("Unsqueeze", [by_target, g.ints(1)], f"{key}.byTarget.row")], f"{key}.scores")
    scores = g.node("LeakyRelu", [scores], f"{key}.leaky", alpha=0.2)
    scores = g.node("Where", ["isEdge", scores, g.number("nothing", NOTHING)], f"{key}.masked")
    weights = g.node("Mul", [g.node("Softmax", [scores], f"{key}.softmax", axis=1), "valid.each"], f"{key}.attention")
    weights = g.node("Unsqueeze", [weights, g.ints(3)], f"{key}.attention.each")
    message = g.node("Mul", [weights, g.node("Gather", [moved, "edge"], f"{key}.sources")], f"{key}.messages")
    message = g.node("ReduceSum", [message, g.ints(1)], f"{key}.message", keepdims=0)
    message = g.node("Reshape", [message, g.ints(-1, width)], f"{key}.message.flat")
    x = g.node("Add", [x, g.dense(message, f"{key}.out", f"{key}.out")], f"{key}.residual")
    x = g.layer_norm(x, f"{key}.norm", f"{key}.mid")
    wide = g.node("Gelu", [g.dense(x, f"{key}.forth", f"{key}.forth")], f"{key}.gelu", domain=MICROSOFT)
    x = g.node("Add", [x, g.dense(wide, f"{key}.back", f"{key}.back")], f"{key}.residual2")
    return g.layer_norm(x, f"{key}.norm2", f"{key}.end")


def global_graph(state: Arrays, settings: dict) -> onnx.ModelProto:
    """`state`: Global's; `settings`: what it was made with."""
    g = HeadGraph({}, Shape(0, 1, settings["hidden"], 1, EPSILON), "fp32")
    g.heads = state
    count = g.node("Shape", ["local"], "count", start=0, end=1)
    edge = g.node("Mul", ["relations", count], "edge.offset")
    g.node("Add", [edge, "neighbours"], "edge")
    each = g.node("Unsqueeze", ["valid", g.ints(2)], "valid.each")
    g.node("Greater", [each, g.number("zero", 0)], "isEdge")
    parts = [
        g.dense("hidden", "of_hidden", "of.hidden"),
        g.dense("roles", "of_roles", "of.roles"),
        g.dense(g.node("Unsqueeze", ["local", g.ints(1)], "local.column"), "of_local", "of.local"),
        g.dense("features", "of_features", "of.features"),
    ]
    x = g.layer_norm(g.node("Sum", parts, "of.sum"), "norm", "start")
    for i in range(settings["layers"]):
        x = attention_layer(g, x, f"layers.{i}", settings["heads"])
    score = g.node("Squeeze", [g.mlp(x, "score", "score.mlp"), g.ints(1)], "score.flat")
    safe = g.node("Clip", ["local", g.number("least", 1e-6), g.number("most", 1 - 1e-6)], "local.safe")
    rest = g.node("Sub", [g.number("one", 1), safe], "local.rest")
    logit = g.node("Sub", [g.node("Log", [safe], "log"), g.node("Log", [rest], "log.rest")], "logit")
    kept = g.node("Mul", [logit, g.constant("keep", state["keep"])], "logit.kept")
    g.node("Add", [score, kept], "score")
    one, edges = ["nodes"], ["nodes", "edges"]
    features = state["of_features.weight"].shape[1]
    inputs = [
        ("hidden", TensorProto.FLOAT, ["nodes", settings["hidden"]]),
        ("roles", TensorProto.FLOAT, ["nodes", 3]),
        ("local", TensorProto.FLOAT, one),
        ("features", TensorProto.FLOAT, ["nodes", features]),
        ("neighbours", TensorProto.INT64, edges),
        ("relations", TensorProto.INT64, edges),
        ("valid", TensorProto.FLOAT, edges),
    ]
    return g.finish("global", inputs, [("score", TensorProto.FLOAT, one)])

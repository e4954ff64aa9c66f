"""What lies beside the reranker's weights: the licence and the model card."""

LICENCE = """The weights and the tokenizer are those of sentence-transformers/all-MiniLM-L6-v2, copyright its
authors, licensed under the Apache License, Version 2.0. You may obtain a copy of the licence at

    http://www.apache.org/licenses/LICENSE-2.0

The licence gives no warranty of any kind; its text says what it permits and what it asks.

Changes (section 4b of the licence): the weights were trained further and quantised to 8 bits, positions past
256 dropped, heads for scores, roles and intent and a graph network added, the graph written anew as ONNX, and
the padding and truncation settings removed from tokenizer.json.
"""

CARD = """# The reranker

Scores every sentence of up to 50 passages for a query and a move: first a passage at a time, read jointly
with the query (`local.onnx`), then all of a query's sentences in a graph of what stands next to what and
what says the same in other papers (`global.onnx`). The method is LoG-Reranker's ("Local-to-Global
Sentence-Level Graph Reranking for Scientific Synthesis"), made small enough for two CPU cores and told the move.

The encoder started from an earlier checkpoint of Ratio's retriever ([models/encoder](../encoder/README.md)), itself trained from
[sentence-transformers/all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2)
(Apache 2.0). The graph network was trained from random weights.

{files}

**In and out.** `local.onnx`: `[CLS] query [SEP] s1 [SEP] … sm [SEP]`, at most {tokens} tokens, with each token's
span (0 the query, k the kth sentence, -1 neither) and four features a sentence (the retriever's cosine, the best
cosine of a sentence before it, BM25 of the sentence and of its passage among the candidates); logits, roles
(background, method, result), the query's intent, and the sentences' vectors. `global.onnx`: all sentences of a
query with padded lists of incoming edges ({neighbours} at most, eight relations); a logit each. The
engine orders by `order.json`: a linear function of both logits, the features, lengths and the sentence's vector; for
plain questions, and without that file, by the logit and the features times `blend` of `config.json`, for plain questions
with `passageCosine` times the cosine of question and whole passage besides.
Scores order the sentences of one query and mean nothing across queries.

**Data.** Pairs found through discourse markers in abstracts and full texts up to September 2025, each with the
retriever's nearest passages of other papers, passages that state the problem again or go the opposite way, and
labelled sentences; titles with their abstracts as plain questions; roles from CSAbstruct. Pairs are shown
without the query and its near-copies, and from every other paper one sentence is missing too, so that no gap
gives the answer away. The supervision is distant: refinding the continuation of an abstract, and 10,000 triples
of move, query and sentence, each labelled by a language model that read a blinded sheet. The order is fitted on
21,161 such triples, with the unlabelled sentences of their queries as weak negatives, and keeps a part of the
model's own order. None of these labels was given by a person.

No benchmark's queries were trained on, nor its papers, with one exception: other pairs of the older full texts
behind 16 of our test split's 78 true Broaden queries ([docs/models.md](../../docs/models.md#the-retriever)).
None of the texts are in this folder.

**How it was made.** `rerank_data.py`, `train_reranker.py` in two stages with
`average_rerankers.py` between them, `export_reranker.py`, `fit_order.py`, see
[models/training](../training/README.md). Differences from the paper: a list of the local loss is a query's
whole group of passages, not one passage, so that scores compare across passages; scores start from the retriever's
order (the features enter linearly as well, the local logit is added to the global one).

**How good it is**: [docs/models.md](../../docs/models.md).

**Limits.** English, and abstracts of computer science above all; roles are those of abstracts. What follows the
query in its own paper is what it was mostly taught to find, which is easier than telling a useful sentence of
another paper. Text beyond the token limits is not read. Like every model of its kind it carries the biases of its
training texts.
"""


#: Names and what they hold; the models' sizes are put in.
FILES = (
    ("`local.onnx`", "encoder (int8) with heads for score, roles and intent, {local:.1f} MB"),
    ("`global.onnx`", "two graph attention layers and the final score (fp32), {whole:.1f} MB"),
    ("`tokenizer.json`, `tokenizer_config.json`", "the encoder's word pieces"),
    (
        "`config.json`",
        "id, limits, prompts, features and what they weigh, the graph's settings, and the hashes that the engine checks",
    ),
    ("`order.json`", "by move, what all of these and a sentence's vector weigh in the order that is shown"),
    ("`LICENSE.txt`", "licence and what was changed"),
)


def table(rows: list[tuple[str, str]]) -> str:
    """A Markdown table whose columns are padded to one width, as prettier writes it; the first row is its head."""
    widths = [max(3, *(len(row[k]) for row in rows)) for k in range(2)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths)] for row in rows]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def card(local_bytes: int, global_bytes: int, tokens: int, neighbours: int) -> str:
    """The model card: sizes of the two models in bytes, most tokens of an input, most edges into a sentence."""
    sizes = {"local": local_bytes / 1e6, "whole": global_bytes / 1e6}
    files = table([("file", ""), *((name, what.format(**sizes)) for name, what in FILES)])
    return CARD.format(files=files, tokens=tokens, neighbours=neighbours)

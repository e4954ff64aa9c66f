/**
 * The graph over the sentences of all passages of one query (LoG-Reranker, equations 8 to 10): what
 * stands next to what in a passage, and what says much the same in different ones.
 */
import { dot } from '../index/exact';

export type GraphSettings = {
  /** Least cosine of two sentences that are linked, … */
  cosine: number;
  /** … and most difference of their local scores. */
  difference: number;
  /** How many of the most similar eligible sentences each one is linked with. */
  top: number;
  /** Most edges into one sentence. */
  neighbours: number;
};

/** N sentences; those of a passage stand together and in their order. */
export type GraphNodes = {
  /** Contextual vectors, N × width, row by row. */
  hidden: Float32Array;
  /** Probabilities of background, method and result, N × 3. */
  roles: Float32Array;
  /** Local scores, 0…1. */
  local: Float32Array;
  /** Number of each sentence's passage. */
  passage: Int32Array;
};

/** Edges into each of N sentences, N × `neighbours`, adjacency first, then by falling cosine. */
export type SentenceGraph = {
  /** Sentence that an edge comes from. */
  neighbours: BigInt64Array;
  /** `RELATIONS` by their places. */
  relations: BigInt64Array;
  /** 1 for an edge, 0 for padding. */
  valid: Float32Array;
  /** Cosine of an edge between passages; 0 elsewhere. */
  cosines: Float32Array;
};

/** Types of edges: within a passage by the predicted roles of source and target, and similarity. */
const RELATIONS = [
  'same role',
  'background → method',
  'background → result',
  'method → background',
  'method → result',
  'result → background',
  'result → method',
  'similarity',
] as const;
const SIMILARITY = RELATIONS.indexOf('similarity');
const ROLE_COUNT = 3;

type Similar = { node: number; cosine: number };

/** Builds the graph; time grows with the pairs of the same role and of near local scores. */
export function sentenceGraph(nodes: GraphNodes, settings: GraphSettings): SentenceGraph {
  const count = nodes.local.length;
  const width = settings.neighbours;
  const roles = predictedRoles(nodes.roles, count);
  const similar = linked(eligible(nodes, roles, settings), settings.top);
  const graph: SentenceGraph = {
    neighbours: new BigInt64Array(count * width),
    relations: new BigInt64Array(count * width),
    valid: new Float32Array(count * width),
    cosines: new Float32Array(count * width),
  };
  for (let node = 0; node < count; node++) {
    let at = node * width;
    const end = at + width;
    const add = (source: number, relation: number, cosine: number): void => {
      if (at === end) return;
      graph.neighbours[at] = BigInt(source);
      graph.relations[at] = BigInt(relation);
      graph.valid[at] = 1;
      graph.cosines[at] = cosine;
      at++;
    };
    if (node > 0 && nodes.passage[node - 1] === nodes.passage[node]) {
      add(node - 1, adjacency(roles[node - 1] ?? 0, roles[node] ?? 0), 0);
    }
    for (const { node: source, cosine } of similar[node] ?? []) add(source, SIMILARITY, cosine);
  }
  return graph;
}

/** Relation of a sentence and the one that follows it. */
function adjacency(source: number, target: number): number {
  if (source === target) return 0;
  return 1 + source * (ROLE_COUNT - 1) + (target > source ? target - 1 : target);
}

function predictedRoles(roles: Float32Array, count: number): Uint8Array {
  const predicted = new Uint8Array(count);
  for (let node = 0; node < count; node++) {
    for (let role = 1; role < ROLE_COUNT; role++) {
      const best = roles[node * ROLE_COUNT + (predicted[node] ?? 0)] ?? 0;
      if ((roles[node * ROLE_COUNT + role] ?? 0) > best) predicted[node] = role;
    }
  }
  return predicted;
}

/** Of every sentence those that it may be linked with, in no order. */
function eligible(
  { hidden, local, passage }: GraphNodes,
  roles: Uint8Array,
  { cosine: least, difference }: GraphSettings,
): Similar[][] {
  const count = local.length;
  const width = count === 0 ? 0 : hidden.length / count;
  const found: Similar[][] = Array.from({ length: count }, () => []);
  for (let role = 0; role < ROLE_COUNT; role++) {
    // By local score, so that those near enough to one follow it.
    const order: number[] = [];
    for (let node = 0; node < count; node++) if (roles[node] === role) order.push(node);
    order.sort((a, b) => (local[a] ?? 0) - (local[b] ?? 0) || a - b);
    const rows = unitRows(hidden, order, width);
    order.forEach((a, i) => {
      const own = rows.subarray(i * width, (i + 1) * width);
      for (let j = i + 1; j < order.length; j++) {
        const b = order[j] ?? 0;
        if ((local[b] ?? 0) - (local[a] ?? 0) > difference) break;
        if (passage[a] === passage[b]) continue;
        const cosine = dot(own, rows, j * width);
        if (cosine < least) continue;
        found[a]?.push({ node: b, cosine });
        found[b]?.push({ node: a, cosine });
      }
    });
  }
  return found;
}

/** The given rows of a matrix one after the other, at length 1 (a row of zeros stays one). */
function unitRows(matrix: Float32Array, rows: readonly number[], width: number): Float32Array {
  const units = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    const vector = matrix.subarray(row * width, (row + 1) * width);
    const norm = Math.sqrt(dot(vector, vector, 0));
    if (norm > 0)
      units.set(
        vector.map((value) => value / norm),
        i * width,
      );
  });
  return units;
}

function bySimilarity(a: Similar, b: Similar): number {
  return b.cosine - a.cosine || a.node - b.node;
}

/** Keeps the `top` most similar of each, links both ways, most similar first. */
function linked(found: readonly Similar[][], top: number): Similar[][] {
  const chosen = found.map((similar) => [...similar].sort(bySimilarity).slice(0, top));
  const links = chosen.map((similar) => new Map(similar.map((link) => [link.node, link])));
  chosen.forEach((similar, node) => {
    for (const { node: other, cosine } of similar) links[other]?.set(node, { node, cosine });
  });
  return links.map((similar) => [...similar.values()].sort(bySimilarity));
}

/** A tiny reranker of fixed random weights, and what it gives by an independent reference. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Move } from '../../../../server/engine/engine';
import type { GraphSettings } from '../../../../server/engine/rerank/graph';
import { packageRoot } from '../../../../server/paths';

const FIXTURE = join(packageRoot(), 'test', 'fixtures', 'reranker');
const ENCODER = join(packageRoot(), 'models', 'encoder');

type Edge = [source: number, relation: number, cosine: number];

/** What `make_reranker.py` computes. */
export type Expected = {
  query: string;
  passages: string[][];
  cosine: number[][];
  before: number[][];
  lexical: { bm25: number[][]; passageBm25: number[] };
  windows: {
    tokens: number[];
    hit: number;
    query: number;
    maxSentences: number;
    window: [number, number];
  }[];
  graphs: {
    hidden: number[];
    roles: number[];
    local: number[];
    passage: number[];
    settings: GraphSettings;
    edges: Edge[][];
  }[];
  scores: {
    move: Move | 'none';
    /** Spans as lengths of equal ones: [span, count]. */
    inputs: { ids: number[]; spans: [span: number, count: number][] }[];
    local: number[];
    roles: number[][];
    global: number[];
    relatives: [number, number][][];
  }[];
};

export const expected = JSON.parse(
  readFileSync(join(FIXTURE, 'expected.json'), 'utf8'),
) as Expected;

/** A folder with the tiny reranker, to be changed at will. */
export class RerankerFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'ratio-reranker-'));

  constructor() {
    for (const name of ['config.json', 'local.onnx', 'global.onnx']) {
      copyFileSync(join(FIXTURE, name), join(this.path, name));
    }
    for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
      copyFileSync(join(ENCODER, name), join(this.path, name));
    }
  }

  file(name: string): string {
    return join(this.path, name);
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function closeTo(actual: number | undefined, wanted: number, tolerance: number): boolean {
  return Math.abs((actual ?? NaN) - wanted) <= tolerance;
}

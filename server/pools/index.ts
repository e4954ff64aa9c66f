/** The formats that can be indexed. See README.md for how to add one. */
import type { Importer } from '../engine/import/source';
import { arxiv } from './arxiv';
import { bibtex } from './bibtex';
import { csl } from './csl';
import { jsonl } from './jsonl';
import { notes } from './notes';

/** In order of preference: the first that accepts a file reads it. */
export const importers: Importer[] = [arxiv, csl, jsonl, bibtex, notes];

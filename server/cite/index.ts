/** Citing a paper in a draft and its .bib: pure computation over texts, shared by editor and terminal. */
export { describeEdits } from './apply';
export { BibIndex } from './bibIndex';
export { findBibliographies } from './bibliographies';
export { computeCitation } from './cite';
export { DiskFiles, refuseUnread, writeEdits } from './disk';
export { preambleOf, rootOf, rootPreamble } from './texProject';
export type { FileEdit, FileSource } from './types';

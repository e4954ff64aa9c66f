/** Citing a paper in a draft and its .bib: pure computation over texts, shared by editor and terminal. */
export { describeEdits } from './apply';
export { BibIndex } from './bib-index';
export { findBibliographies } from './bibliographies';
export { computeCitation } from './cite';
export { DiskFiles, refuseUnread, writeEdits } from './disk';
export { preambleOf, rootOf, rootPreamble } from './tex-project';
export type { FileEdit, FileSource } from './types';

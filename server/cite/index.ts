/** Citing a paper in a draft and its .bib: pure computation over texts, shared by editor and terminal. */
export { applyEdits, describeEdits } from './apply';
export { BibIndex, findCitedKey } from './bib-index';
export { findBibliographies } from './bibliographies';
export { computeCitation } from './cite';
export { DiskFiles, writeEdits } from './disk';
export { texProject } from './tex-project';
export type {
  CitationRequest,
  CitationResult,
  Draft,
  FileEdit,
  FileSource,
  NeedsBib,
  TextEdit,
} from './types';

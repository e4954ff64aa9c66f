/** LaTeX and Markdown to plain sentences with exact source ranges. */
export type { DraftFormat, Prose, ProseSentence } from './prose';
export { findText } from './findText';
export { formatOf } from './formatOf';
export { parseProse } from './parseProse';
export { plainText } from './plainText';
export { ProseCache } from './cache';
export { sentenceAt, sentenceAtLine } from './sentenceAt';
export { splitSentences } from './splitSentences';
export { takeSelection } from './takeSelection';

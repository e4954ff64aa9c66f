/** LaTeX and Markdown to plain sentences with exact source ranges. */
export type { DraftFormat, Prose, ProseHeading, ProseSentence } from './prose';
export { formatOf } from './formatOf';
export { parseProse, type ParseOptions } from './parseProse';
export { plainText } from './plainText';
export { ProseCache } from './cache';
export { sentenceAt, sentenceAtLine } from './sentenceAt';
export { splitSentences, type TextRange } from './splitSentences';
export { takeSelection, type TakenSelection } from './takeSelection';

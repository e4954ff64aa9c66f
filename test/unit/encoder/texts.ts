/** Made-up sentences for the encoder's tests, of very different lengths. */
const SUBJECTS = [
  'The parser',
  'A small language model',
  'Our approach to citation recommendation',
  'The committee that met on Tuesday',
  'Every estimator of this family',
  'A robot with two arms',
  'The survey of 4,120 households',
  'Graph search',
  'The proposed loss',
  'An unusually cold spring',
];
const VERBS = [
  'fails',
  'recovers the missing labels',
  'needs far less memory than expected',
  'was shown to converge',
  'outperforms the baseline by 3.2 points',
];
const TAILS = [
  '.',
  ' on noisy input.',
  ' when the training set is small, which happens in most clinical studies.',
  ', although nobody has measured the effect on readers who do not share the language of the text.',
  ' (see Section 4.1).',
  ', and the gap widens with every further layer, every further head and every further token; we therefore fix the depth, report the spread over nine seeds and release the code with its data.',
  '!',
  ', as $n \\to \\infty$.',
  ' in Zürich, São Paulo and 東京.',
  ': a result that surprised us.',
];

/** 500 distinct sentences in an order that mixes lengths. */
export const SENTENCES: readonly string[] = Array.from({ length: 500 }, (_, i) => {
  const at = (i * 227) % 500;
  const subject = SUBJECTS[at % 10] ?? '';
  const tail = TAILS[Math.floor(at / 10) % 10] ?? '';
  return `${subject} ${VERBS[Math.floor(at / 100)] ?? ''}${tail}`;
});

/** Cosine of two unit vectors. */
export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b || a.length !== b.length) return NaN;
  return a.reduce((sum, x, i) => sum + x * (b[i] ?? NaN), 0);
}

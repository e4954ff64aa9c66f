import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeOf } from '../../../server/cli/at';

describe('a place in a draft', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-at-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('is read with the macros of the root file, where it is one in a chapter', () => {
    mkdirSync(join(folder, 'chapters'));
    const chapter = file('chapters/one.tex', String.raw`Labels in \corpus{} are noisy.`);
    file(
      'root.tex',
      String.raw`\documentclass{book}
\newcommand{\corpus}{the Lantern corpus}
\begin{document}
\input{chapters/one}
\end{document}
`,
    );
    assert.equal(placeOf(`${chapter}:1`).sentence.text, 'Labels in the Lantern corpus are noisy.');
  });

  it('is read by itself in a whole draft, whatever else lies beside it', () => {
    const whole = String.raw`\newcommand{\corpus}{our corpus}
\begin{document}
Labels in \corpus{} are noisy.
\end{document}
`;
    file('other.tex', String.raw`\newcommand{\corpus}{another one}\input{draft}`);
    const draft = file('draft.tex', whole);
    assert.equal(placeOf(`${draft}:3`).sentence.text, 'Labels in our corpus are noisy.');
  });
});

/** Open drafts: where a text taken before stands now, and macros of a chapter's root file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Range, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Drafts } from '../../../server/drafts';
import { OpenFiles } from '../../../server/files';

function draftsOf(...open: TextDocument[]): Drafts {
  const documents = {
    get: (uri: string) => open.find((each) => each.uri === uri),
  } as unknown as TextDocuments<TextDocument>;
  return new Drafts(documents, new OpenFiles(() => open));
}

const latex = (body: string): TextDocument =>
  TextDocument.create(
    'file:///draft.tex',
    'latex',
    1,
    `\\documentclass{article}\n\\begin{document}\n${body}\n\\end{document}\n`,
  );

function rangeOf(document: TextDocument, part: string, from = 0): Range {
  const start = document.getText().indexOf(part, from);
  assert.ok(start >= 0, part);
  return { start: document.positionAt(start), end: document.positionAt(start + part.length) };
}

describe('text that a move took from a draft', () => {
  const SENTENCE = 'Labels are noisy.';
  const before = latex(`We read logs. ${SENTENCE} Nobody agrees on them.`);
  const range = rangeOf(before, SENTENCE);
  const found = (document: TextDocument, text = SENTENCE, at = range): string | null => {
    const taken = draftsOf(document).find(document.uri, at, text);
    return taken?.range ? document.getText(taken.range) : null;
  };

  it('is found again once it was cited, from the range it had before', () => {
    const cited = String.raw`Labels are noisy~\cite{lamp2024}.`;
    assert.equal(found(latex(`We read logs. ${cited} Nobody agrees on them.`)), cited);
    const markdown = TextDocument.create(
      'file:///notes.md',
      'markdown',
      1,
      '# Logs\n\nWe read. Labels\nare noisy [@lamp2024]. Nobody agrees.\n',
    );
    assert.equal(found(markdown), 'Labels\nare noisy [@lamp2024].');
  });

  it('is found again where what stands above has changed, or all lines are broken anew', () => {
    const above = 'A paragraph that was not there.\n\n'.repeat(20);
    assert.equal(found(latex(`${above}We read logs. ${SENTENCE}`)), SENTENCE);
    assert.equal(
      found(latex(`We read\nlogs.\nLabels\n  are noisy.\nNobody.`)),
      'Labels\n  are noisy.',
    );
  });

  it('is the nearest of two that are equal', () => {
    const two = latex(`${SENTENCE}\n\nFar away from the first, we say again:\n\n${SENTENCE}`);
    const second = two.getText().lastIndexOf(SENTENCE);
    for (const [line, expected] of [
      [0, two.getText().indexOf(SENTENCE)],
      [5, second],
      [900, second],
    ] as const) {
      const at = { start: { line, character: 0 }, end: { line, character: 1 } };
      const taken = draftsOf(two).find(two.uri, at, SENTENCE);
      assert.ok(taken?.range);
      assert.equal(two.offsetAt(taken.range.start), expected, String(line));
    }
  });

  it('is a part of a sentence, several of them, or a title, by its whole words', () => {
    const draft = latex(`\\section{On labels}\nWe read logs. ${SENTENCE} Nobody agrees on them.`);
    const there = rangeOf(draft, SENTENCE);
    assert.equal(found(draft, 'are noisy', there), SENTENCE);
    assert.equal(
      found(draft, 'are noisy. Nobody agrees', there),
      `${SENTENCE} Nobody agrees on them.`,
    );
    assert.equal(found(draft, 'On labels'), 'On labels');
    assert.equal(found(draft, 'are nois'), null);
  });

  it('is not looked for by a few words of it where its sentence no longer stands', () => {
    const phrase = 'label noise';
    const elsewhere = latex('We read logs.\n\nMany have looked at label noise before.');
    const at = { start: { line: 2, character: 0 }, end: { line: 2, character: 13 } };
    assert.equal(found(elsewhere, phrase, at), null);
    const long = 'a longer part of one sentence alone';
    const once = latex(`We read logs.\n\nThis is ${long}, as before.`);
    assert.equal(found(once, long, at), `This is ${long}, as before.`);
    const twice = latex(`We read logs.\n\nThis is ${long}, as before.\n\nThat is ${long}.`);
    assert.equal(found(twice, long, at), null);
  });

  it('is not there any more once it says something else', () => {
    assert.equal(found(latex('We read logs. Labels are clean. Nobody agrees on them.')), null);
    assert.equal(found(latex('')), null);
    assert.equal(draftsOf().find('file:///closed.tex', range, SENTENCE), null);
  });
});

describe('a chapter', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-chapter-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is read with what its root file defines now, on disk or in an editor', () => {
    const root = (macros: string): string =>
      `\\documentclass{article}\n${macros}\\begin{document}\n\\input{chapter}\n\\end{document}\n`;
    const rootPath = join(folder, 'root.tex');
    writeFileSync(rootPath, root(''));
    const uri = pathToFileURL(join(folder, 'chapter.tex')).href;
    const chapter = TextDocument.create(
      uri,
      'latex',
      1,
      String.raw`Labels in \corpus{} are noisy.`,
    );
    writeFileSync(join(folder, 'chapter.tex'), chapter.getText());
    const open = [chapter];
    const documents = {
      get: (address: string) => open.find((each) => each.uri === address),
    } as unknown as TextDocuments<TextDocument>;
    const drafts = new Drafts(documents, new OpenFiles(() => open));
    const at = { start: { line: 0, character: 2 }, end: { line: 0, character: 2 } };
    drafts.opened(chapter);
    assert.equal(drafts.take(uri, at)?.text, 'Labels in are noisy.');
    writeFileSync(rootPath, root('\\newcommand{\\corpus}{the Lantern corpus}\n'));
    assert.equal(drafts.take(uri, at)?.text, 'Labels in the Lantern corpus are noisy.');
    const edited = root('\\newcommand{\\corpus}{the Lamp corpus}\n');
    open.push(TextDocument.create(pathToFileURL(rootPath).href, 'latex', 2, edited));
    assert.equal(drafts.take(uri, at)?.text, 'Labels in the Lamp corpus are noisy.');
    open.pop();
    writeFileSync(join(folder, 'macros.tex'), '\\newcommand{\\corpus}{the Beacon corpus}\n');
    writeFileSync(rootPath, root('\\input{macros}\n'));
    assert.equal(drafts.take(uri, at)?.text, 'Labels in the Beacon corpus are noisy.');
    rmSync(rootPath);
    assert.equal(drafts.take(uri, at)?.text, 'Labels in are noisy.');
  });
});

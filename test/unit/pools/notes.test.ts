import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collect, FIXTURES, nth, Scratch, texts } from './collect';

describe('importer of notes', function () {
  this.timeout(30_000);
  let scratch: Scratch;
  beforeEach(() => (scratch = new Scratch()));
  afterEach(() => scratch.remove());

  it('reads Markdown with its front matter and sections', async () => {
    const note = nth(await collect(join(FIXTURES, 'note.md')));
    assert.equal(note.paper.title, 'Reading notes on bees');
    assert.deepEqual(note.paper.authors, ['Ada Bloom', 'Kim Roe']);
    assert.equal(note.paper.date, '2023-06-14');
    assert.equal(note.paper.venue, 'notes');
    assert.equal(note.paper.url, null);
    assert.match(note.paper.id, /^note:note-[0-9a-f]{10}$/);
    assert.deepEqual(
      note.sentences.map(({ section, text }) => [section, text]),
      [
        ['Hives', 'Microphones hear more than cameras see.'],
        ['Hives', 'They fail in the rain, though.'],
        ['Open questions', 'Nobody knows whether bees mind the microphones.'],
      ],
    );
  });

  it('folds inputs into their root, with its macros and without going round in circles', async () => {
    const thesis = nth(await collect(join(FIXTURES, 'thesis/main.tex')));
    assert.equal(thesis.paper.title, 'On Kettles that Speak');
    assert.deepEqual(thesis.paper.authors, ['Ina Roth', 'Olaf Berg']);
    assert.equal(thesis.paper.date, '2022-03');
    assert.deepEqual(texts(thesis), [
      'Kettles are silent, which wastes their steam.',
      'We propose KettleNet to make them speak.',
      'Nobody has asked a kettle before.',
      'With KettleNet we ask forty of them.',
      'Kettles can speak when asked politely.',
    ]);
    assert.deepEqual(thesis.sentences.map(({ section }) => section).slice(2), [
      'Introduction',
      'Introduction',
      'Conclusion',
    ]);
  });

  it('gives a chapter as the paper it belongs to, so that it is indexed once', async () => {
    const [whole, chapter] = await Promise.all(
      ['thesis/main.tex', 'thesis/chapters/intro.tex'].map((path) => collect(join(FIXTURES, path))),
    );
    assert.ok(whole && chapter);
    assert.deepEqual(chapter.papers, whole.papers);
  });

  it('gives a chapter by itself where its root does not take it in', async () => {
    const root = (line: string) =>
      `\\documentclass{book}\n\\title{Root}\n\\begin{document}\nThe root has words of its own.\n\n${line}\n\\end{document}\n`;
    const chapter = scratch.write('part.tex', 'The chapter is about reeds.\n\n\\input{more}\n');
    scratch.write('more.tex', 'And it tells of rushes too.\n');
    const alone = ['The chapter is about reeds.', 'And it tells of rushes too.'];
    const reading = async () => nth(await collect(chapter));
    for (const line of ['', '% \\input{part}', '\\input{gone}']) {
      scratch.write('main.tex', root(line));
      assert.deepEqual(texts(await reading()), alone, line);
    }
    for (const command of [
      'subfileinclude{part}',
      'InputIfFileExists{part}{}{}',
      'includefrom{./}{part}',
    ]) {
      scratch.write('main.tex', root(`\\${command}`));
      const found = texts(await reading());
      assert.deepEqual(found.slice(-2), alone, command);
    }
    scratch.write(
      'part.tex',
      '% !TeX root = main.tex\nThe chapter is about reeds.\n\n\\input{more}\n',
    );
    scratch.write('main.tex', root('% \\input{part}'));
    const named = await reading();
    assert.deepEqual(texts(named), alone);
    assert.match(named.paper.id, /part/);
    scratch.write('main.tex', root('\\input{part}'));
    const whole = await reading();
    assert.deepEqual(texts(whole), ['The root has words of its own.', ...alone]);
    assert.match(whole.paper.id, /main/);
  });

  it('sees a change in a chapter', async () => {
    cpSync(join(FIXTURES, 'thesis'), scratch.folder, { recursive: true });
    const root = join(scratch.folder, 'main.tex');
    const before = nth(await collect(root));
    writeFileSync(
      join(scratch.folder, 'chapters/intro.tex'),
      'Now the chapter says something else.',
    );
    const after = nth(await collect(root));
    assert.equal(after.paper.id, before.paper.id);
    assert.ok(texts(after).includes('Now the chapter says something else.'));
    assert.ok(!texts(after).includes('Nobody has asked a kettle before.'));
  });

  it('names a note by its heading, else by its file, and tells two notes apart', async () => {
    const first = nth(await collect(scratch.write('a_b.md', 'Words that stand under no heading.')));
    const second = nth(
      await collect(scratch.write('c.md', '# Told\n\nWords that stand under one.')),
    );
    assert.equal(first.paper.title, 'a b');
    assert.equal(second.paper.title, 'Told');
    assert.notEqual(first.paper.id, second.paper.id);
    assert.doesNotMatch(
      nth(await collect(scratch.write('d e.md', 'More words stand here.'))).paper.id,
      /\s/,
    );
  });

  it('reports a note without a sentence, and survives broken front matter', async () => {
    const { papers, issues } = await collect(scratch.write('h.md', '# Only a heading\n'));
    assert.deepEqual([papers.length, issues.length], [0, 1]);
    assert.match(issues[0]?.message ?? '', /no sentence/);
    const broken = scratch.write(
      'y.md',
      '---\ntitle: [unclosed\nauthor: &a [*a]\n---\n\nThe text is still read.\n',
    );
    assert.deepEqual(texts(nth(await collect(broken))), ['The text is still read.']);
  });
});

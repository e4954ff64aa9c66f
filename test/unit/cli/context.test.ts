import assert from 'node:assert/strict';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import type { Inspiration, Paper, Snapshot } from '../../../server/engine/engine';
import { contextMarkdown } from '../../../server/cli/contextMarkdown';
import { contextSchema, structuredContext } from '../../../server/cli/contextUnits';

const paper = (id: string, change: Partial<Paper> = {}): Paper => ({
  id,
  title: `Sampling with ${id}`,
  authors: ['Ada Example', 'Bo Sample', 'Cy Third'],
  date: '2020-05',
  venue: 'Proceedings of Samples',
  url: `https://example.org/${id}`,
  doi: null,
  ...change,
});
const inspiration = (rank: number, change: Partial<Inspiration> = {}): Inspiration => ({
  rank,
  score: 1 / rank,
  id: `mine/p${rank}#2`,
  text: 'We propose a sampler.',
  role: 'method',
  before: 'Labels are scarce.',
  after: 'It halves the cost.',
  paper: paper(`p${rank}`),
  pool: 'mine',
  why: { dense: null, lexical: null },
  ...change,
});
const relative = (id: string, change: Partial<Paper> = {}, cosine = 0.9) => ({
  id: `mine/${id}#0`,
  text: `A sampler of ${id}.`,
  paper: paper(id, change),
  pool: 'mine',
  cosine,
});
const snapshot = (inspirations: Inspiration[], change: Partial<Snapshot> = {}): Snapshot => ({
  sequence: 1,
  final: true,
  inspirations,
  weak: false,
  more: false,
  pools: ['mine'],
  device: 'cpu',
  notices: [],
  elapsedMs: 1,
  ...change,
});

describe('structured context', () => {
  it('has a sentence with role, neighbours and two relatives, in the shape it promises', () => {
    const relatives = [relative('r1'), relative('r2'), relative('r3')];
    const made = structuredContext(
      'address',
      'Labels cost too much.',
      snapshot([inspiration(1, { relatives }), inspiration(2)], { reranked: true }),
    );
    assert.deepEqual(contextSchema.parse(JSON.parse(JSON.stringify(made))), made);
    const [first, second] = made.units;
    assert.deepEqual(
      [first?.role, first?.before, first?.text, first?.after],
      ['method', 'Labels are scarce.', 'We propose a sampler.', 'It halves the cost.'],
    );
    assert.deepEqual(
      first?.relatives.map(({ text }) => text),
      ['A sampler of r1.', 'A sampler of r2.'],
    );
    assert.deepEqual(second?.relatives, []);
    assert.equal(made.reranked, true);
  });

  it('works without a reranker', () => {
    const made = structuredContext('specify', 'x', snapshot([inspiration(1)]));
    assert.equal(made.reranked, false);
    assert.match(contextMarkdown(made), /1 units, in the order of recall, of mine/);
    assert.doesNotMatch(contextMarkdown(made), /also:/);
  });

  it('gives each paper one key, and papers of one key different ones', () => {
    const made = structuredContext(
      'address',
      'x',
      snapshot([
        inspiration(1, { paper: paper('p1'), relatives: [relative('p3'), relative('p2')] }),
        inspiration(2, { paper: paper('p2') }),
        inspiration(3, { paper: paper('p1') }),
      ]),
    );
    const keys = made.units.map(({ citation }) => citation.key);
    assert.equal(keys[0], 'example2020sampling');
    assert.equal(keys[2], keys[0]);
    const [third, second] = made.units[0]?.relatives ?? [];
    assert.equal(second?.citation.key, keys[1]);
    assert.equal(new Set([...keys, third?.citation.key]).size, 3);
    assert.equal(made.units[0]?.citation.year, 2020);
  });

  it('knows a paper by its title, not by an id that two pools give to different papers', () => {
    const rows = [
      paper('7', { title: 'Sampling by hand' }),
      paper('7', { title: 'Tasting' }),
      paper('acl:7', { title: 'Sampling by many patient hands' }),
      paper('arxiv:7', { title: 'Sampling by Many Patient Hands.' }),
      paper('7', { title: 'Sampling by hand' }),
    ];
    const made = structuredContext(
      'address',
      'x',
      snapshot(rows.map((each, i) => inspiration(i + 1, { paper: each }))),
    );
    const [hand, tasting, many, same, again] = made.units.map(({ citation }) => citation.key);
    assert.equal(new Set([hand, tasting, many]).size, 3);
    assert.deepEqual([same, again], [many, hand]);
    const references = contextMarkdown(made).split('## References')[1] ?? '';
    assert.equal(references.match(/^- \[@/gm)?.length, 3, references);
  });

  it('takes the keys of the draft’s bibliography, and no key that it has for another paper', () => {
    const bib = `
      @misc{mine, title = {Sampling with p1}, author = {Example, Ada}, year = 2020}
      @misc{EXAMPLE2020sampling, title = {Another matter altogether}, year = 2020}`;
    const made = structuredContext('address', 'x', snapshot([inspiration(1), inspiration(2)]), [
      bib,
    ]);
    const keys = made.units.map(({ citation }) => citation.key);
    assert.equal(keys[0], 'mine');
    assert.notEqual(keys[1]?.toLowerCase(), 'example2020sampling');
  });

  it('keeps no link that is not one of the web', () => {
    const made = structuredContext(
      'address',
      'x',
      snapshot([
        inspiration(1, { paper: paper('p1', { url: 'javascript:alert(1)', doi: '10.1/x_y' }) }),
      ]),
    );
    assert.equal(made.units[0]?.citation.url, null);
    assert.doesNotMatch(contextMarkdown(made), /javascript/);
    assert.match(contextMarkdown(made), /doi: 10\.1\/x\\_y/);
  });
});

type Node = { type: string; value?: string; url?: string; children?: Node[] };
const nodes = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(nodes)];
const parsed = (markdown: string): Node[] =>
  nodes(unified().use(remarkParse).use(remarkGfm).parse(markdown) as Node);

describe('structured context as Markdown', () => {
  it('has citations, neighbours, relatives and references', () => {
    const made = contextMarkdown(
      structuredContext(
        'broaden',
        'Labels cost too much.',
        snapshot([inspiration(1, { relatives: [relative('r1', { authors: [], date: null })] })], {
          reranked: true,
        }),
      ),
    );
    const lines = made.split('\n');
    for (const line of [
      '# Context: broaden',
      'Query: Labels cost too much.',
      '## 1. method · Ada Example, Bo Sample et al., 2020 [@example2020sampling]',
      '- before: Labels are scarce.',
      '- **sentence: We propose a sampler.**',
      '- after: It halves the cost.',
      '- also: A sampler of r1. — [@sampling]',
      '- [@example2020sampling] Ada Example, Bo Sample, Cy Third. Sampling with p1. Proceedings of Samples, 2020. <https://example.org/p1>',
    ]) {
      assert.ok(lines.includes(line), `${line}\n---\n${made}`);
    }
    assert.ok(made.endsWith('>\n'));
  });

  it('has no neighbours at an end of a paper, and says when there is nothing', () => {
    const made = structuredContext(
      'address',
      'x',
      snapshot([inspiration(1, { before: null, after: null, role: null })]),
    );
    assert.doesNotMatch(contextMarkdown(made), /before:|after:|null/);
    assert.match(contextMarkdown(structuredContext('address', 'x', snapshot([]))), /Nothing close/);
  });

  it('shows hostile text as the text it is, in every field', function () {
    this.timeout(30_000);
    const hostile = [
      '```js\nalert(1)\n```',
      '<img src=x onerror=alert(1)> <!-- hidden',
      '![x](https://evil.example/x.png) [y](javascript:z) [z]: https://evil.example',
      '# Heading\n\n---\n===\n- item\n> quote\n1. one\n| a | b |\n|---|---|',
      '**bold** _it_ ~~gone~~ `code` $x$ &lt;b&gt; \\* [^1] www.evil.example me@evil.example',
      '</script><script>x</script>',
    ];
    const unseen = 'a\u202eb\u200bc\u{e0041}d\u001b[31m\u0007';
    for (const text of [...hostile, unseen]) {
      const evil = paper(text, { title: text, authors: [text], venue: text, date: null });
      const made = contextMarkdown(
        structuredContext(
          'address',
          text,
          snapshot(
            [
              inspiration(1, {
                text,
                before: text,
                after: text,
                paper: { ...evil, url: null },
                relatives: [{ ...relative('r'), text, paper: { ...evil, id: 'r', url: null } }],
              }),
            ],
            { pools: [text] },
          ),
        ),
      );
      const found = parsed(made);
      // Viewers may make an address that stands in the text a link to that address, no other.
      const bare = ({ type, url, children }: Node): boolean =>
        type === 'link' &&
        ['', 'http://', 'mailto:'].some((start) => url === start + (children?.[0]?.value ?? ''));
      const types = new Set(found.filter((node) => !bare(node)).map(({ type }) => type));
      const allowed = new Set('root heading paragraph text list listItem strong'.split(' '));
      assert.deepEqual(
        [...types].filter((type) => !allowed.has(type)),
        [],
        made,
      );
      assert.equal(found.filter(({ type }) => type === 'heading').length, 3, made);
      assert.equal(found.filter(({ type }) => type === 'list').length, 2, made);
      assert.equal(found.filter(({ type }) => type === 'strong').length, 1, made);
      const shown = found.map(({ value }) => value ?? '').join('');
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(made, /[\u0000-\u0009\u001b\u200b\u202e\u{e0041}]/u);
      if (text !== unseen) {
        const plain = text.replace(/\s+/g, ' ');
        assert.ok(shown.split(plain).length > 5, `${plain}\n---\n${shown}`);
      }
    }
  });
});

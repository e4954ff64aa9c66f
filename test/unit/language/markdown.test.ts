import assert from 'node:assert/strict';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { escapeMarkdown, safeLink } from '../../../server/language/markdown';

/** Node types that a Markdown renderer would make of the text. */
function nodeTypes(markdown: string): Set<string> {
  const types = new Set<string>();
  const visit = (node: { type: string; children?: unknown[] }): void => {
    types.add(node.type);
    for (const child of node.children ?? []) visit(child as { type: string; children?: unknown[] });
  };
  visit(unified().use(remarkParse).parse(markdown));
  return types;
}

const HOSTILE = [
  '[click](command:workbench.action.terminal.new)',
  '![x](https://tracker.example/p.png)',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '# heading\n\n- item\n\n---',
  '`code` **bold** _em_ ~~gone~~',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  'see https://example.org and www.example.org',
  '&lt;script&gt; &#60;b&#62;',
  '$(sync~spin) icons',
  '[x]: https://example.org',
  '> quote',
  '1. one',
  '    indented code',
];

describe('escapeMarkdown', () => {
  for (const text of HOSTILE) {
    it(`shows ${JSON.stringify(text)} as text`, () => {
      const types = nodeTypes(`x ${escapeMarkdown(text)}`);
      assert.deepEqual([...types].sort(), ['paragraph', 'root', 'text']);
    });
  }
  it('keeps what the reader sees', () => {
    const tree = unified().use(remarkParse).parse(escapeMarkdown('5 < 6 & [a](b) *c* "d" $e$'));
    const paragraph = tree.children[0];
    assert.ok(paragraph?.type === 'paragraph');
    const text = paragraph.children
      .map((node) => (node.type === 'text' ? node.value : '?'))
      .join('');
    assert.equal(text, '5 < 6 & [a](b) *c* "d" $e$');
  });
});

describe('safeLink', () => {
  it('keeps web addresses', () => {
    assert.equal(safeLink('https://doi.org/10.1000/x'), 'https://doi.org/10.1000/x');
  });
  for (const url of [
    'javascript:alert(1)',
    'command:x',
    'file:///etc/passwd',
    'data:text/html,x',
    'nonsense',
    '',
  ]) {
    it(`drops ${JSON.stringify(url)}`, () => assert.equal(safeLink(url), null));
  }
  it('leaves nothing that ends a link', () => {
    const link = safeLink('https://e.org/a) [x](command:y) <b> \\ `');
    assert.ok(link);
    assert.match(link, /^[^\s()<>[\]`\\]+$/);
  });
});

import assert from 'node:assert/strict';
import { bareDoi, paperLink } from '../../../client/panel/links';

describe('where a paper is opened', () => {
  const link = (url: string | null, doi: string | null = null): string | null =>
    paperLink({ url, doi });

  it('prefers the DOI, however it is written', () => {
    for (const doi of [
      '10.5555/abc.1',
      'doi:10.5555/abc.1',
      'https://doi.org/10.5555/abc.1',
      'http://dx.doi.org/10.5555/abc.1',
    ]) {
      assert.equal(link('https://example.org/', doi), 'https://doi.org/10.5555/abc.1');
    }
  });

  it('escapes what a DOI may hold and an address may not', () => {
    assert.equal(link(null, '10.5555/a<b>#c?d'), 'https://doi.org/10.5555/a%3Cb%3E%23c%3Fd');
  });

  it('takes the address where the DOI is none', () => {
    assert.equal(link('https://example.org/p', 'n/a'), 'https://example.org/p');
    assert.equal(bareDoi('10.5/x'), null);
    assert.equal(bareDoi('10.5555/has space'), null);
  });

  it('never links to anything but the web', () => {
    for (const url of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'vscode://x',
      'command:workbench.action.quit',
      '//example.org',
      'example.org',
      '',
      'https://bank.example@evil.example/',
    ]) {
      assert.equal(link(url, url), null, url);
    }
  });
});

import assert from 'node:assert/strict';
import { lostInDecoding } from '../../../client/encoding';

describe('lostInDecoding', () => {
  const asUtf8 = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

  it('finds Latin-1 that was read as UTF-8', () => {
    const bytes = Buffer.from('@misc{a, title={Café}}', 'latin1');
    assert.equal(lostInDecoding(asUtf8(bytes), bytes), true);
  });
  it('finds it beside a replacement character that the file holds', () => {
    const bytes = Buffer.concat([Buffer.from('\uFFFD'), Buffer.from('é', 'latin1')]);
    assert.equal(lostInDecoding(asUtf8(bytes), bytes), true);
  });
  it('passes Latin-1 that was read as such', () => {
    assert.equal(lostInDecoding('Café', Buffer.from('Café', 'latin1')), false);
  });
  it('passes UTF-8, also with a replacement character of its own', () => {
    for (const text of ['', 'plain', '\uFEFFCafé 港', 'Caf\uFFFD']) {
      assert.equal(lostInDecoding(text, Buffer.from(text)), false);
    }
  });
  it('passes UTF-16 with its mark', () => {
    const bytes = Buffer.from('\uFEFFCaf\uFFFD', 'utf16le');
    assert.equal(lostInDecoding('Caf\uFFFD', bytes), false);
    assert.equal(lostInDecoding('Caf\uFFFD', bytes.swap16()), false);
  });
});

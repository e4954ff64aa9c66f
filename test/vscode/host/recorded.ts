/** A copy of the extension whose engine process notes every message that it is sent. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { extensionUnderTest, outFolder } from './paths';

const folder = join(outFolder, 'test', 'recorded');
const log = join(folder, 'messages.jsonl');
/** What the copy shares with the extension; the rest is not needed to run it. */
const SHARED = ['models', 'media', 'node_modules'];

/** Makes the copy, with an empty record, and returns its folder. */
export function recordedExtension(): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  cpSync(join(extensionUnderTest, 'package.json'), join(folder, 'package.json'));
  for (const name of SHARED) symlinkSync(join(extensionUnderTest, name), join(folder, name), 'dir');
  const dist = join(extensionUnderTest, 'dist');
  for (const name of readdirSync(dist)) {
    if (!name.endsWith('.map')) cpSync(join(dist, name), join(folder, 'dist', name));
  }
  // The engine itself stays where it is, with all that it loads by its own place.
  writeFileSync(
    join(folder, 'dist', 'engine.js'),
    `const { appendFileSync } = require('node:fs');
process.on('message', (message) => appendFileSync(${JSON.stringify(log)}, JSON.stringify(message) + '\\n'));
require(${JSON.stringify(join(dist, 'engine.js'))});
`,
  );
  return folder;
}

/** The parameters of every move that the engine was asked for, oldest first. */
export function recordedMoves(): { move: string; text: string; rerank?: boolean }[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { method?: string; params: never })
    .filter(({ method }) => method === 'inspire')
    .map(({ params }) => params);
}

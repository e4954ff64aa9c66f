/** `ratio context`: a move's structured context units, as Markdown or JSON for a writing assistant. */
import { findBibliographies, DiskFiles } from '../cite';
import { contextMarkdown } from './contextMarkdown';
import { structuredContext } from './contextUnits';
import { ask, type AskOptions } from './query';

export type ContextOptions = AskOptions & { format: 'markdown' | 'json' };

/** Prints the units for `text`, or for the sentence at `--at`, whose draft's keys are used. */
export async function context(text: string | undefined, options: ContextOptions): Promise<void> {
  const { taken, place, snapshot } = await ask(text, options);
  const files = new DiskFiles();
  const bibliographies = place
    ? findBibliographies(
        { path: place.path, text: place.text, format: place.prose.format },
        files,
      ).flatMap((path) => files.read(path) ?? [])
    : [];
  const made = structuredContext(options.move, taken, snapshot, bibliographies);
  process.stdout.write(
    options.format === 'json' ? `${JSON.stringify(made, null, 2)}\n` : contextMarkdown(made),
  );
}

/** The key bindings that the extension contributes, as the empty panel shows them. */
import * as z from 'zod';
import type { KeyLabels } from './messages';

const manifestSchema = z.object({
  contributes: z.object({
    keybindings: z.array(
      z.object({ command: z.string(), key: z.string(), mac: z.string().optional() }),
    ),
  }),
});

const macSigns: Record<string, string> = {
  ctrl: '⌃',
  control: '⌃',
  alt: '⌥',
  option: '⌥',
  shift: '⇧',
  cmd: '⌘',
  meta: '⌘',
};

/** `ctrl+alt+a` as VS Code writes it: `Ctrl+Alt+A`, on a Mac `⌃⌥A`; chords are parted by a space. */
export function keyLabel(key: string, mac: boolean): string {
  return key
    .trim()
    .split(/\s+/)
    .map((chord) => {
      const parts = chord.split('+').map((part) => part.toLowerCase());
      if (mac) return parts.map((part) => macSigns[part] ?? part.toUpperCase()).join('');
      return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('+');
    })
    .join(' ');
}

/**
 * Labels of the three moves' keys on a Mac and elsewhere, read from the extension's own manifest, so that the panel
 * cannot name keys that are not bound. Both, since the page may be shown on another system than the extension runs on.
 * @param manifest `package.json`; moves without a key are left out.
 */
export function keyLabels(manifest: unknown): KeyLabels {
  const parsed = manifestSchema.safeParse(manifest);
  const labels: KeyLabels = { mac: {}, other: {} };
  if (!parsed.success) return labels;
  for (const binding of parsed.data.contributes.keybindings) {
    const move = /^ratio\.(address|broaden|specify)$/.exec(binding.command)?.[1];
    if (move !== 'address' && move !== 'broaden' && move !== 'specify') continue;
    labels.mac[move] ??= keyLabel(binding.mac ?? binding.key, true);
    labels.other[move] ??= keyLabel(binding.key, false);
  }
  return labels;
}

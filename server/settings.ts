/** Settings as the editor sends them: what cannot be used is told, and its default serves. */
import { isAbsolute } from 'node:path';
import { serverSettingsSchema, type ServerSettings } from './protocol';

const FOLDERS = ['home', 'encoderPath'] as const;

/** The names that users know settings by, where they differ. */
const SETTINGS: Partial<Record<string, string>> = {
  home: 'dataFolder',
  device: 'engine.device',
  encoderPath: 'engine.encoderPath',
  idleMinutes: 'engine.idleMinutes',
  perPaper: 'results.perPaper',
  hover: 'hover.enabled',
  codeActions: 'codeActions.enabled',
};

function ignored(name: string, why: string): string {
  return `The setting “ratio.${SETTINGS[name] ?? name}” is ignored, its default is used: ${why}.`;
}

/**
 * Reads every setting by itself, so that a slip in one (settings.json takes anything) costs neither
 * the others nor the server. `problems` are messages for the user.
 */
export function readSettings(raw: unknown): { settings: ServerSettings; problems: string[] } {
  const problems: string[] = [];
  const known = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  if (raw !== undefined && raw !== null && known !== raw) {
    problems.push('The settings are no object; the defaults are used.');
  }
  const usable: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(serverSettingsSchema.shape)) {
    const read = schema.safeParse(known[name]);
    if (read.success) usable[name] = read.data;
    else {
      const why = read.error.issues[0]?.message ?? 'it is not valid';
      problems.push(ignored(name, why));
    }
  }
  for (const name of FOLDERS) {
    const folder = usable[name];
    if (typeof folder !== 'string' || (isAbsolute(folder) && !folder.includes('\0'))) continue;
    usable[name] = null;
    problems.push(
      ignored(name, `“${folder.replaceAll('\0', '')}” is not the full path of a folder`),
    );
  }
  return { settings: serverSettingsSchema.parse(usable), problems };
}

/** The settings of package.json as the server takes them. */
import * as vscode from 'vscode';
import type { ServerSettings } from '../server/protocol';
import { PAGE } from './panel/words';

/** Values of the window's settings; an untrusted workspace's restricted ones are left out by VS Code. */
export function serverSettings(): ServerSettings {
  const ratio = vscode.workspace.getConfiguration('ratio');
  // What is no text goes to the server as it is, which says so.
  const folder = (value: string): string | null =>
    typeof value === 'string' ? value.trim() || null : value;
  return {
    pools: ratio.get<string[]>('pools', []),
    device: ratio.get<ServerSettings['device']>('engine.device', 'auto'),
    encoderPath: folder(ratio.get<string>('engine.encoderPath', '')),
    home: folder(ratio.get<string>('dataFolder', '')),
    perPaper: ratio.get<number>('results.perPaper', 2),
    hover: ratio.get<boolean>('hover.enabled', true),
    codeActions: ratio.get<boolean>('codeActions.enabled', true),
    idleMinutes: ratio.get<number>('engine.idleMinutes', 15),
  };
}

/** Pools that moves ask in this workspace; none named asks all. */
export function chosenPools(): string[] {
  const names = vscode.workspace.getConfiguration('ratio').get<unknown>('pools', []);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Inspirations asked for at first. settings.json takes anything: what is no number counts as not set. */
export function resultCount(): number {
  const count = vscode.workspace.getConfiguration('ratio').get<unknown>('results.count', 20);
  if (typeof count !== 'number' || !Number.isFinite(count)) return PAGE;
  return Math.min(100, Math.max(5, Math.round(count)));
}

/** Whether the order of the first results is refined, where the engine can. */
export function reranks(): boolean {
  const ratio = vscode.workspace.getConfiguration('ratio');
  return switched(ratio.get<unknown>('rerank.enabled', true));
}

/** Whether a .bib that had no unsaved changes is saved after citing. */
export function savesBibliography(): boolean {
  const ratio = vscode.workspace.getConfiguration('ratio');
  return switched(ratio.get<unknown>('cite.saveBibliography', true));
}

/** A switch that is on by default: what is neither on nor off in settings.json counts as not set. */
function switched(value: unknown): boolean {
  return typeof value === 'boolean' ? value : true;
}

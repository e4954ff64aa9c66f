/** Context keys, by which package.json shows commands and ticks the steps of the walkthrough. */
import * as vscode from 'vscode';

/**
 * - `hasInspirations`: a move was made, so commands that act on cards appear
 * - `answered`, `cited`, `poolFilled`: a move has brought inspirations, a paper was cited, papers came into a pool
 */
type Context = 'hasInspirations' | 'answered' | 'cited' | 'poolFilled';

/** Sets `ratio.<name>`, for good: it lasts as long as the window. */
export function reached(name: Context): void {
  void vscode.commands.executeCommand('setContext', `ratio.${name}`, true);
}

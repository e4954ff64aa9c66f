/** Folders that the harness reads and writes. */
import { join, resolve } from 'node:path';

/** The extension under test: the repository, or the folder that `RATIO_EXTENSION` names. */
export const repository = resolve(__dirname, '../../..');
export const extensionUnderTest = resolve(process.env['RATIO_EXTENSION'] ?? repository);

/** Downloads and installations, kept between runs, ignored by git. */
export const hostCache = join(repository, '.vscode-test');

/** What a run leaves behind: results, screenshots, logs. */
export const outFolder = join(repository, 'out');
export const screenshotFolder = join(outFolder, 'screenshots');
export const logFolder = join(outFolder, 'vscode-logs');
export const inHostBundle = join(outFolder, 'test', 'inhost');

/** Written for these tests: a draft in each language with its bibliography. */
export const workspaceFixture = join(repository, 'test', 'vscode', 'fixtures', 'workspace');
/** Test-only extension that sets selections and reads documents for the UI suites, and its build. */
export const bridgeSource = join(repository, 'test', 'vscode', 'host', 'bridge-extension');
export const bridgeExtension = join(outFolder, 'test', 'bridge');

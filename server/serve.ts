/** Wires a connection's requests to drafts, engine, citing and language features. */
import {
  CancellationToken,
  Connection,
  ErrorCodes,
  MessageType,
  ProgressToken,
  ProgressType,
  ResponseError,
  ShowMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod';
import { CitationService } from './citing';
import { Drafts } from './drafts';
import { RatioError } from './engine/engine';
import { EngineHost } from './engineHost';
import { feedbackCount, feedbackPath, keepFeedback } from './feedback';
import { OpenFiles } from './files';
import { MoveService, whoNamesPools } from './moves';
import { withSignal } from './signal';
import { MOVE_ACTION_KIND, moveActions } from './language/codeActions';
import { ProblemDetector } from './language/detector';
import { ProblemHover } from './language/hover';
import { ProblemList } from './problemList';
import {
  addToPoolParamsSchema,
  citeParamsSchema,
  feedbackParamsSchema,
  inspireParamsSchema,
  message,
  problemsParamsSchema,
  removePoolParamsSchema,
  takeParamsSchema,
  updatePoolParamsSchema,
  type ServerSettings,
} from './protocol';
import { readSettings } from './settings';

/** LSP error code of errors whose message is meant for the user. */
export const USER_ERROR = -32050;

/** Serves one editor window over `connection` until it closes. */
export function serve(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const files = new OpenFiles(() => documents.all());
  const drafts = new Drafts(documents, files);
  const citing = new CitationService(documents, files);
  let { settings } = readSettings({});
  const engine = new EngineHost(
    (status) => void connection.sendNotification(message.status, status),
    (line) => connection.console.log(line),
  );
  const moves = new MoveService(drafts, citing, engine);
  const detector = new ProblemDetector(engine);
  const hover = new ProblemHover(
    () => engine,
    detector,
    () => engine.poolsState(),
  );
  const problems = new ProblemList(documents, drafts, detector);
  engine.onPoolsChanged(() => hover.clear());

  /** Registers a request whose parameters are checked and whose errors reach the user as text. */
  function handle<S extends z.ZodType, R>(
    method: string,
    schema: S,
    run: (parameters: z.output<S>, token: CancellationToken) => Promise<R> | R,
  ): void {
    connection.onRequest(method, async (raw: unknown, token: CancellationToken) => {
      const parsed = schema.safeParse(raw ?? {});
      if (!parsed.success) {
        throw new ResponseError(
          ErrorCodes.InvalidParams,
          `${method}: ${z.prettifyError(parsed.error)}`,
        );
      }
      try {
        return await run(parsed.data, token);
      } catch (error) {
        throw toResponseError(error);
      }
    });
  }

  const takeSettings = (raw: unknown): void => {
    const read = readSettings(raw);
    settings = read.settings;
    for (const problem of read.problems) {
      void connection.sendNotification(ShowMessageNotification.type, {
        type: MessageType.Warning,
        message: `Ratio: ${problem}`,
      });
    }
    hover.clear();
    engine.configure(settings);
    detector.clear();
  };
  connection.onInitialize((parameters) => {
    takeSettings(parameters.initializationOptions);
    return {
      serverInfo: { name: 'ratio' },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: [MOVE_ACTION_KIND] },
      },
    };
  });
  connection.onNotification(message.settings, takeSettings);
  documents.onDidOpen(({ document }) => {
    if (!drafts.isDraft(document)) return;
    engine.warm();
    // Off the path of requests: the first move finds the draft read.
    setImmediate(() => {
      const open = documents.get(document.uri);
      if (open) drafts.opened(open);
    });
  });
  documents.onDidClose(({ document }) => drafts.closed(document));

  connection.onHover(async ({ textDocument, position }, token) => {
    if (!settings.hover) return null;
    const document = documents.get(textDocument.uri);
    if (!document) return null;
    const sentence = drafts.sentenceUnder(document, position);
    if (!sentence) return null;
    try {
      return await hover.at(
        document,
        sentence,
        () => drafts.exclusions(document),
        pools(settings, null),
        settings.perPaper,
        token,
      );
    } catch (error) {
      connection.console.error(`Hover: ${(error as Error).message}`);
      return null;
    }
  });
  connection.onCodeAction(({ textDocument, range }) => {
    const document = documents.get(textDocument.uri);
    if (!settings.codeActions || !document || !drafts.isDraft(document)) return [];
    return moveActions(textDocument.uri, range, (uri, part) => drafts.take(uri, part));
  });

  handle(message.take, takeParamsSchema, ({ uri, range, text }) =>
    text === undefined ? drafts.take(uri, range) : drafts.find(uri, range, text),
  );
  handle(message.inspire, inspireParamsSchema, async (parameters, token) => {
    const type = new ProgressType();
    try {
      return await moves.inspire(
        { ...parameters, pools: pools(settings, parameters.pools) },
        settings.perPaper,
        (progress) =>
          void connection.sendProgress(type, parameters.token as ProgressToken, progress),
        token,
      );
    } catch (error) {
      throw whoNamesPools(error, parameters.pools, settings.pools);
    }
  });
  handle(message.cite, citeParamsSchema, (parameters) => citing.cite(parameters));
  handle(message.problems, problemsParamsSchema, (parameters, token) =>
    problems.list(parameters, token),
  );
  handle(message.getStatus, z.object({}), () => engine.currentStatus());
  handle(message.restartEngine, z.object({}), () => {
    hover.clear();
    detector.clear();
    return engine.restart();
  });
  handle(message.pools, z.object({}), () => engine.pools());
  handle(message.addToPool, addToPoolParamsSchema, ({ request, token: progress }, token) =>
    withSignal(token, (signal) =>
      engine.addToPool(request, {
        signal,
        onProgress: (state) =>
          void connection.sendProgress(new ProgressType(), progress as ProgressToken, state),
      }),
    ),
  );
  handle(message.updatePool, updatePoolParamsSchema, ({ pool, token: progress }, token) =>
    withSignal(token, (signal) =>
      engine.updatePool(pool, {
        signal,
        onProgress: (state) =>
          void connection.sendProgress(new ProgressType(), progress as ProgressToken, state),
      }),
    ),
  );
  handle(message.removePool, removePoolParamsSchema, ({ pool }) => engine.removePool(pool));
  handle(message.feedback, feedbackParamsSchema, (feedback) =>
    keepFeedback(engine.home(), feedback),
  );
  handle(message.feedbackFile, z.object({}), () => ({
    path: feedbackPath(engine.home()),
    count: feedbackCount(engine.home()),
  }));

  connection.onShutdown(() => engine.close());
  documents.listen(connection);
  connection.listen();
}

/** Pools to ask: those of the request, else those of the workspace, else (null) all. */
function pools(settings: ServerSettings, asked: string[] | null): string[] | null {
  if (asked && asked.length > 0) return asked;
  return settings.pools.length > 0 ? settings.pools : null;
}

function toResponseError(error: unknown): ResponseError<{ code: string } | undefined> {
  if (error instanceof ResponseError) return error;
  if (error instanceof RatioError) {
    return error.code === 'cancelled'
      ? new ResponseError(-32800, error.message)
      : new ResponseError(USER_ERROR, error.message, { code: error.code });
  }
  const { message: text, stack } = error as Error;
  return new ResponseError(ErrorCodes.InternalError, stack ?? text);
}

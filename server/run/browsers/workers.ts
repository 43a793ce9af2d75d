import type { Browser, BrowserContext } from "playwright-core";

/** A message of the DevTools protocol, either way. */
interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
}

/** Where Playwright hands messages to the browser and is handed them. */
interface Transport {
  send(message: Message): void;
  onmessage?: (message: Message) => void;
}

/** What a context's workers are marked with. */
export interface WorkerMark {
  /** Runs in each worker before its own code. */
  script: string;
  /** Headers of a request that a shared worker makes, by its address; null to leave it as it is. */
  headersOf(url: string, headers: Record<string, string>): Record<string, string> | null;
}

interface Attached {
  sessionId: string;
  targetInfo: { type: string; browserContextId?: string };
}

interface Paused {
  requestId: string;
  request: { url: string; headers: Record<string, string> };
}

/** Far from the ids that Playwright counts up from 1. */
const FIRST_ID = 2 ** 30;
const marks = new WeakMap<Browser, Map<string, WorkerMark>>();

/**
 * Marks the workers of a context: those of its pages, theirs in turn, and shared ones. Call it before the first page.
 *
 * Playwright runs no script in workers. It attaches to each while it waits, and lets it go in the same breath, so what is
 * to come before that has to be sent ahead of its own message. Shared workers it only lets go: their sessions are kept
 * here, for a header lasts as long as the session that set it.
 */
export function markWorkers(browser: Browser, context: BrowserContext, mark: WorkerMark): void {
  const known = marks.get(browser) ?? watch(browser);
  const { _browserContextId: id } = implOf<{ _browserContextId: string }>(context);
  known.set(id, mark);
  context.once("close", () => known.delete(id));
}

function watch(browser: Browser): Map<string, WorkerMark> {
  const known = new Map<string, WorkerMark>();
  marks.set(browser, known);
  const transport = implOf<{ _connection: { _transport: Transport } }>(browser)._connection._transport;
  const send = transport.send.bind(transport);
  const receive = transport.onmessage?.bind(transport);
  if (!receive) throw new Error("The browser's connection is closed.");
  /** Sessions of dedicated workers, which are Playwright's, and of shared ones, which are ours. */
  const dedicated = new Map<string, WorkerMark>();
  const shared = new Map<string, WorkerMark>();
  const pending = new Set<number>();
  let lastId = FIRST_ID;

  function say(sessionId: string, method: string, params: Record<string, unknown> = {}): void {
    lastId += 1;
    pending.add(lastId);
    send({ id: lastId, sessionId, method, params });
  }

  const run = (sessionId: string, { script }: WorkerMark) =>
    say(sessionId, "Runtime.evaluate", { expression: script });

  /** Whether Playwright is not to hear of it. */
  function attach({ sessionId, targetInfo }: Attached): boolean {
    const mark = known.get(targetInfo.browserContextId ?? "");
    if (!mark) return false;
    if (targetInfo.type === "worker") dedicated.set(sessionId, mark);
    if (targetInfo.type !== "shared_worker") return false;
    shared.set(sessionId, mark);
    run(sessionId, mark);
    say(sessionId, "Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    say(sessionId, "Runtime.runIfWaitingForDebugger");
    return true;
  }

  function letGo(sessionId: string, { headersOf }: WorkerMark, { requestId, request }: Paused): void {
    const headers = headersOf(request.url, request.headers);
    say(sessionId, "Fetch.continueRequest", {
      requestId,
      ...(headers && { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) }),
    });
  }

  transport.send = (message) => {
    const mark = dedicated.get(message.sessionId ?? "");
    if (mark && message.method === "Runtime.runIfWaitingForDebugger") run(message.sessionId ?? "", mark);
    send(message);
  };
  transport.onmessage = (message) => {
    const { id, sessionId = "", method, params } = message;
    // A worker that ended meanwhile answers with an error, and needs no mark any more.
    if (id !== undefined && pending.delete(id)) return;
    const mark = shared.get(sessionId);
    if (mark) {
      if (method === "Fetch.requestPaused") letGo(sessionId, mark, params as unknown as Paused);
      return;
    }
    if (method === "Target.attachedToTarget" && attach(params as unknown as Attached)) return;
    if (method === "Target.detachedFromTarget") {
      const { sessionId: gone } = params as unknown as { sessionId: string };
      dedicated.delete(gone);
      if (shared.delete(gone)) return;
    }
    receive(message);
  };
  return known;
}

/** What stands behind one of Playwright's objects, which lives in this process. */
function implOf<T>(thing: Browser | BrowserContext): T {
  const { _connection } = thing as unknown as { _connection: { toImpl?: (thing: unknown) => T } };
  if (!_connection.toImpl) throw new Error("This browser is not driven from this process.");
  return _connection.toImpl(thing);
}

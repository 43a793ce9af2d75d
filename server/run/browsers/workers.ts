import type { Browser, BrowserContext } from "playwright-core";
import { contextIdOf, interceptMessages, type Wire } from "./internals.ts";

/** What a context's workers are marked with. */
export interface WorkerMark {
  /** Runs in each worker before its own code. */
  script: string;
  /** Of what shared workers ask for; requests of others have the context's. */
  headers: Record<string, string>;
}

interface Attached {
  sessionId: string;
  targetInfo: { type: string; browserContextId?: string };
}

/** Far from the ids that Playwright counts up from 1. */
const FIRST_ID = 2 ** 30;
const OWN_WORKERS_WAIT = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
const marks = new WeakMap<Browser, Map<string, WorkerMark>>();

/**
 * Marks the workers of a context: those of its pages, theirs in turn, and shared ones. Call it before the first page.
 *
 * Playwright runs no script in workers. It attaches to each while it waits, and lets it go in the same breath, so what is
 * to come before that has to be sent ahead of its own message: the mark, and that workers of that worker wait in turn, which
 * Playwright asks for a moment too late for those that are started at once. Shared workers it only lets go: their sessions
 * are kept here, for headers last as long as the session that set them.
 */
export function markWorkers(browser: Browser, context: BrowserContext, mark: WorkerMark): void {
  const known = marks.get(browser) ?? watch(browser);
  const id = contextIdOf(context);
  if (id === null) throw new Error("The browser does not name its context.");
  known.set(id, mark);
  context.once("close", () => known.delete(id));
}

function watch(browser: Browser): Map<string, WorkerMark> {
  const known = new Map<string, WorkerMark>();
  marks.set(browser, known);
  if (!interceptMessages(browser, (wire) => marking(wire, known)))
    throw new Error("The browser's connection is closed.");
  return known;
}

function marking({ send, receive }: Wire, known: ReadonlyMap<string, WorkerMark>): Wire {
  /** Sessions of dedicated workers, which are Playwright's, and of shared ones, which are ours. */
  const dedicated = new Map<string, WorkerMark>();
  const shared = new Set<string>();
  const unanswered = new Set<number>();
  let lastId = FIRST_ID;

  function say(sessionId: string, method: string, params: Record<string, unknown> = {}): void {
    lastId += 1;
    unanswered.add(lastId);
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
    shared.add(sessionId);
    run(sessionId, mark);
    say(sessionId, "Network.enable");
    say(sessionId, "Network.setExtraHTTPHeaders", { headers: mark.headers });
    say(sessionId, "Runtime.runIfWaitingForDebugger");
    return true;
  }

  return {
    send(message) {
      const { sessionId = "", method } = message;
      const mark = dedicated.get(sessionId);
      if (mark && method === "Runtime.runIfWaitingForDebugger") {
        run(sessionId, mark);
        say(sessionId, "Target.setAutoAttach", OWN_WORKERS_WAIT);
      }
      send(message);
    },
    receive(message) {
      const { id, sessionId = "", method, params } = message;
      // A worker that ended meanwhile answers with an error, and needs no mark any more.
      if ((id !== undefined && unanswered.delete(id)) || shared.has(sessionId)) return;
      if (method === "Target.attachedToTarget" && attach(params as unknown as Attached)) return;
      if (method === "Target.detachedFromTarget") {
        const { sessionId: gone } = params as unknown as { sessionId: string };
        dedicated.delete(gone);
        if (shared.delete(gone)) return;
      }
      receive(message);
    },
  };
}

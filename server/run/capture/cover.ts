import type { Browser, BrowserContext } from "playwright-core";
import { contextIdOf, interceptMessages, type Wire } from "../browsers/internals.ts";
import type { Redactor } from "../redaction/redact.ts";

/** What is shown of the values that nobody is to read. */
export interface PageCover {
  /** Covers what has been added to the redactor's values since. */
  update(): void;
}

interface Covered {
  /** Null as long as there is nothing to cover. */
  script: string | null;
  /** The world of Playwright's own scripts in each page and frame that is a target of its own. */
  worlds: Map<string, string>;
}

interface Watch {
  contexts: Map<string, Covered>;
  say(sessionId: string, method: string, params: Record<string, unknown>): void;
}

const NEW_DOCUMENT = "Page.addScriptToEvaluateOnNewDocument";
/** Far from the ids that Playwright counts up from 1, and from those of `workers.ts`. */
const FIRST_ID = 2 ** 29;
const watches = new WeakMap<Browser, Watch>();

/**
 * Has the pages of a context cover what they print of the redactor's values, before it is painted: pictures and films show no glyph
 * of it. The script runs in the world that Playwright has in every frame for itself, which no script of a page can look into. Call it
 * before the first page. Nothing is put into pages as long as there is nothing to cover; other browsers than Chromium have no such
 * world to be reached.
 * @param script of `page-cover.ts`
 */
export async function coverPages(
  context: BrowserContext,
  redactor: Pick<Redactor, "values">,
  script: string,
): Promise<PageCover> {
  const browser = context.browser();
  const id = contextIdOf(context);
  const watch = browser && (watches.get(browser) ?? watchBrowser(browser));
  if (!id || !watch) return { update() {} };
  const covered: Covered = { script: null, worlds: new Map() };
  watch.contexts.set(id, covered);
  context.once("close", () => watch.contexts.delete(id));
  let count = 0;

  async function renew(): Promise<void> {
    const { values } = redactor;
    if (values.length === count) return;
    count = values.length;
    covered.script = script.replace("__tracedeck_values__", () => literalOf(values));
    for (const [sessionId, worldName] of covered.worlds)
      watch?.say(sessionId, NEW_DOCUMENT, { source: covered.script, worldName, runImmediately: true });
  }

  await renew();
  return { update: () => void renew() };
}

/** JSON is no JavaScript within a script that is sent as text only where it breaks lines; those are escaped. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);

function watchBrowser(browser: Browser): Watch | null {
  const watch: Watch = { contexts: new Map(), say() {} };
  const isWatched = interceptMessages(browser, (wire) => {
    const covering = coverContexts(wire, watch.contexts);
    watch.say = covering.say;
    return covering;
  });
  if (!isWatched) return null;
  watches.set(browser, watch);
  return watch;
}

function coverContexts({ send, receive }: Wire, contexts: Watch["contexts"]): Wire & Pick<Watch, "say"> {
  const sessions = new Map<string, string>();
  const unanswered = new Set<number>();
  let lastId = FIRST_ID;
  return {
    send(message) {
      const { sessionId = "", method, params = {} } = message;
      const covered = contexts.get(sessions.get(sessionId) ?? "");
      const isOwnWorld =
        method === NEW_DOCUMENT && params.source === "" && typeof params.worldName === "string";
      if (!covered || !isOwnWorld) return send(message);
      covered.worlds.set(sessionId, String(params.worldName));
      if (covered.script === null) return send(message);
      send({ ...message, params: { ...params, source: covered.script, runImmediately: true } });
    },
    receive(message) {
      if (message.id !== undefined && unanswered.delete(message.id)) return;
      const { sessionId = "", targetInfo } = (message.params ?? {}) as {
        sessionId?: string;
        targetInfo?: { browserContextId?: string };
      };
      if (message.method === "Target.attachedToTarget")
        sessions.set(sessionId, targetInfo?.browserContextId ?? "");
      if (message.method === "Target.detachedFromTarget") {
        contexts.get(sessions.get(sessionId) ?? "")?.worlds.delete(sessionId);
        sessions.delete(sessionId);
      }
      receive(message);
    },
    say(sessionId, method, params) {
      lastId += 1;
      unanswered.add(lastId);
      send({ id: lastId, sessionId, method, params });
    },
  };
}

import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Cookie } from "../../trace/format/event.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";
import type { Redactor } from "./redact.ts";

const MOST_COOKIES = 500;
const MOST_ITEMS = 500;
const LONGEST_VALUE = 16 * 1024;
const SECRET_NAME = /password|passwd|pwd|secret|token|api_key|session/i;

/** A page without an origin of its own has no storage to read. */
const READ_STORAGE = `(() => {
  try {
    return { origin: location.origin, items: Object.entries(localStorage).slice(0, ${MOST_ITEMS}) };
  } catch {
    return null;
  }
})()`;

interface LocalStorage {
  origin: string;
  items: [name: string, value: string][];
}

/** Cookies and local storage of a run's pages, whenever a step changed them. */
export interface StorageCapture {
  look(page: Page): Promise<void>;
}

/** Values of cookies are never kept: they are what a session is. That one changed is told all the same. */
export function captureStorage(options: {
  recorder: Recorder;
  redactor: Redactor;
  clock: Clock;
  sessionOf: PageSessions;
}): StorageCapture {
  const { recorder, redactor, clock, sessionOf } = options;
  const origins = new Map<string, LocalStorage["items"]>();
  let last = "[[],[]]";

  const item = ([name, value]: [string, string]) => ({
    name: redactor.text(name),
    value: SECRET_NAME.test(name) ? redactor.hide() : redactor.body(value).slice(0, LONGEST_VALUE),
  });

  return {
    async look(page) {
      const at = { ts: clock.now(), stepId: recorder.stepId };
      const session = await sessionOf(page);
      const [{ cookies }, { result }] = await Promise.all([
        session.send("Network.getCookies"),
        session.send("Runtime.evaluate", { expression: READ_STORAGE, returnByValue: true }),
      ]);
      const found = (result.value ?? null) as LocalStorage | null;
      if (found && (found.items.length > 0 || origins.has(found.origin)))
        origins.set(found.origin, found.items);
      const now = JSON.stringify([cookies, [...origins]]);
      if (now === last) return;
      last = now;
      recorder.emit(
        "storage.state",
        {
          cookies: cookies.slice(0, MOST_COOKIES).map(
            ({ name, domain, path, expires, httpOnly, secure, sameSite }): Cookie => ({
              name,
              value: redactor.hide(),
              domain,
              path,
              ...(expires > 0 && { expires }),
              ...(httpOnly && { http_only: true }),
              ...(secure && { secure: true }),
              ...(sameSite && { same_site: sameSite }),
            }),
          ),
          origins: [...origins].map(([origin, items]) => ({ origin, local_storage: items.map(item) })),
        },
        at,
      );
    },
  };
}

import type { Cookie } from "../../trace/format/event.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { Recorder } from "./recorder.ts";

const MOST_COOKIES = 500;
const MOST_ITEMS = 500;
const LONGEST_VALUE = 16 * 1024;
const SECRET_NAME = /password|passwd|pwd|secret|token|api_key|session/i;

/** Reads a `LocalStorage` in the page. A page without an origin of its own has none: null. */
export const READ_STORAGE = `(() => {
  try {
    return { origin: location.origin, items: Object.entries(localStorage).slice(0, ${MOST_ITEMS}) };
  } catch {
    return null;
  }
})()`;

export interface LocalStorage {
  origin: string;
  items: [name: string, value: string][];
}

/** Cookies and local storage of a run's pages, whenever a step changed them. */
export interface StorageCapture {
  note(found: { cookies: readonly BrowserCookie[]; storage: LocalStorage | null }, at: Instant): void;
}

/** As the browser tells it (DevTools protocol, `Network.Cookie`). */
interface BrowserCookie {
  name: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: "Strict" | "Lax" | "None";
}

interface Instant {
  ts: number;
  stepId: string | null;
}

/** Values of cookies are never kept: they are what a session is. That one changed is told all the same. */
export function captureStorage(options: { recorder: Recorder; redactor: Redactor }): StorageCapture {
  const { recorder, redactor } = options;
  const origins = new Map<string, LocalStorage["items"]>();
  let last = "[[],[]]";

  const item = ([name, value]: [string, string]) => ({
    name: redactor.text(name),
    value: SECRET_NAME.test(name) ? redactor.hide() : redactor.body(value).slice(0, LONGEST_VALUE),
  });

  return {
    note({ cookies, storage }, at) {
      if (storage && (storage.items.length > 0 || origins.has(storage.origin)))
        origins.set(storage.origin, storage.items);
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

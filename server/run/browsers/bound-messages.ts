import type { Browser } from "playwright-core";
import { interceptMessages, type ProtocolMessage } from "./internals.ts";

/** A text of a page that is longer is cut before anybody keeps it. */
const LONGEST = 64 * 1024;
const MOST_ITEMS = 100;
const DEEPEST = 12;
/** What a page says as often and at such length as it likes; nobody asked for it. */
const SAID_BY_PAGES = new Set([
  "Runtime.consoleAPICalled",
  "Runtime.exceptionThrown",
  "Log.entryAdded",
  "Page.javascriptDialogOpening",
]);

/**
 * Cuts what pages say of their own accord, before Playwright keeps the last of it for each page and writes all of it into
 * its archive: a page that writes lines of 60 MB would else fill the memory and the disk of whoever looks at it.
 */
export function boundMessages(browser: Browser): void {
  const isBounded = interceptMessages(browser, ({ receive }) => ({
    receive(message) {
      const isSaid = message.method !== undefined && SAID_BY_PAGES.has(message.method);
      receive(isSaid ? { ...message, params: cut(message.params, 0) as ProtocolMessage["params"] } : message);
    },
  }));
  if (!isBounded) throw new Error("The browser's connection is closed.");
}

function cut(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cutText(value);
  if (value === null || typeof value !== "object") return value;
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => cut(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, depth + 1)]));
}

/** A copy: a part of a string would keep the whole of it in memory. */
const cutText = (text: string): string =>
  text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();

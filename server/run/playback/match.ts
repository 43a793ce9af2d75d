import { createNormaliser, hostOf } from "../../trace/format/diff/normalise.ts";
import { MASK, type Redactor } from "../redaction/redact.ts";
import { type Exchange, withoutFragment } from "./exchanges.ts";

/** A request that wants its answer of then. */
export interface Wanted {
  method: string;
  url: string;
  /** Null for none; undefined when the browser does not tell it, as with files. */
  body: string | null | undefined;
}

/** Finds for each request the one that was recorded. */
export interface Matcher {
  /**
   * The next exchange of that method, address and body; else of those that are the same but for ids, times and values
   * of the query; else, for one more than was recorded, the last of them. Null when there is none.
   */
  take(wanted: Wanted): Promise<Exchange | null>;
}

/** Longer bodies are recorded as blobs. */
const LONGEST_INLINE = 2048;

interface Queue {
  all: Exchange[];
  next: number;
}

/**
 * @param redactor masks a request as the recording's was, so that both compare; not the one that counts for the trace
 * @param textOf the text of a body that was kept as a blob; null when it is not there
 */
export function createMatcher(
  exchanges: readonly Exchange[],
  options: {
    redactor: Pick<Redactor, "url" | "body">;
    baseUrl: string | null;
    textOf: (reference: string) => Promise<string | null>;
  },
): Matcher {
  const { redactor, textOf } = options;
  const normaliser = createNormaliser(options.baseUrl === null ? null : hostOf(options.baseUrl));
  const exact = new Map<string, Queue>();
  const alike = new Map<string, Exchange[]>();
  const taken = new Set<Exchange>();
  const alikeKey = (method: string, url: string) => `${method} ${normaliser.url(url)}`;
  for (const exchange of exchanges) {
    const key = exactKey(exchange.method, exchange.url, exchange.body);
    const queue = exact.get(key);
    if (queue) queue.all.push(exchange);
    else exact.set(key, { all: [exchange], next: 0 });
    const near = alikeKey(exchange.method, exchange.url);
    const known = alike.get(near);
    if (known) known.push(exchange);
    else alike.set(near, [exchange]);
  }

  function nextOf(queue: Queue | undefined): Exchange | null {
    while (queue && queue.next < queue.all.length) {
      const exchange = queue.all[queue.next];
      queue.next += 1;
      if (exchange && !taken.has(exchange)) return exchange;
    }
    return null;
  }

  function normalised(body: string | null): string {
    if (body === null) return "";
    const text = withoutBoundary(body);
    try {
      return JSON.stringify(normaliser.json(JSON.parse(text)));
    } catch {
      // No JSON: a form, or any text.
      return normaliser.text(text);
    }
  }

  async function nearest(near: readonly Exchange[], body: string | null | undefined) {
    if (body === undefined) return near;
    const wanted = normalised(body);
    const fitting: Exchange[] = [];
    for (const exchange of near) {
      const text = exchange.body?.startsWith("sha256:") ? await textOf(exchange.body) : exchange.body;
      if (isAlike(wanted, normalised(text))) fitting.push(exchange);
    }
    return fitting;
  }

  return {
    async take({ method, url: given, body: sent }) {
      const url = redactor.url(withoutFragment(given));
      const body = typeof sent === "string" ? redactor.body(sent) : sent;
      const queue = body === undefined ? undefined : exact.get(exactKey(method, url, stored(body)));
      let found = nextOf(queue);
      if (!found) {
        const near = await nearest(alike.get(alikeKey(method, url)) ?? [], body);
        // Once they have all been given, the same again gets the last answer.
        found = near.find((one) => !taken.has(one)) ?? queue?.all.at(-1) ?? near.at(-1) ?? null;
      }
      if (found) taken.add(found);
      return found;
    },
  };
}

/** A page that was served a masked value sends the mask where it sent the value then. */
function isAlike(sent: string, recorded: string): boolean {
  const [first = "", ...rest] = sent.split(MASK);
  const last = rest.pop();
  if (last === undefined) return sent === recorded;
  if (!recorded.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = recorded.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return recorded.length - last.length >= at && recorded.endsWith(last);
}

const exactKey = (method: string, url: string, body: string | null) => `${method} ${url}\n${body ?? ""}`;

/** A body as it stands in an event of a recording. */
function stored(body: string | null): string | null {
  if (body === null || body.length <= LONGEST_INLINE) return body;
  return `sha256:${new Bun.CryptoHasher("sha256").update(body).digest("hex")}`;
}

/** Browsers choose the line between the parts of a form by chance. */
function withoutBoundary(body: string): string {
  const boundary = /^--[^\r\n]{8,100}(?=\r\n)/.exec(body)?.[0];
  return boundary === undefined ? body : body.replaceAll(boundary, "--");
}

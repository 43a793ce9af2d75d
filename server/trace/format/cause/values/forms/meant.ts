import { isRecord, jsonOf } from "../json-leaves.ts";
import { isComponentRows, ofComponentRows } from "./component-rows.ts";
import { devalued, isDevalued } from "./devalue.ts";
import { merged } from "./merged.ts";
import { ofTurboStream } from "./turbo-stream.ts";

/** What an answer in the form of a framework means. */
export interface Meant {
  /** Undefined where the answer leads on. */
  value?: unknown;
  /** The status that the framework takes it for, where that is not the answer's own. */
  status?: number;
  /** Where it leads. */
  location?: string;
}

/** What an answer in the form of a framework means; null when it is in none. */
export function meantBy(text: string): Meant | null {
  if (/^\s*\{\s*"type"\s*:/.test(text)) return ofSvelteKit(text);
  if (isComponentRows(text)) return ofNext(text);
  if (!text.startsWith("[")) return null;
  return ofReactRouter(text) ?? ofNuxt(text);
}

const MOST_LINES = 50;

/** An answer to a form action, or the data of a page (SvelteKit). */
function ofSvelteKit(text: string): Meant | null {
  const [first, ...later] = text.trim().includes("\n{") ? text.split("\n", MOST_LINES) : [text];
  const answer = jsonOf(first!);
  if (!isRecord(answer)) return null;
  const { type, status, location, data, nodes, error } = answer;
  if (type === "data" && Array.isArray(nodes)) return ofNodes(nodes, chunksIn(later));
  // Other servers have such names as well, with more beside them, and their data as they are.
  if (Object.keys(answer).some((name) => !OF_ACTION.has(name))) return null;
  if (type === "redirect" && typeof location === "string") return { location, status: statusOf(status, 303) };
  if (type === "error" && isRecord(error)) return { value: error };
  if ((type !== "success" && type !== "failure") || typeof status !== "number") return null;
  if (data === undefined) return { value: null, status: statusOf(status, 200) };
  const list = typeof data === "string" ? jsonOf(data) : undefined;
  const value = isDevalued(list) ? devalued(list) : undefined;
  return value === undefined ? null : { value, status: statusOf(status, 200) };
}

/** All that an answer to a form action may have. */
const OF_ACTION = new Set(["type", "status", "location", "data", "error"]);

const statusOf = (status: unknown, usual: number): number =>
  typeof status === "number" && status >= 200 && status < 600 ? status : usual;

/** What came after the data for places in it; each is for one place. */
function chunksIn(lines: readonly string[]): (id: unknown) => unknown {
  const chunks = new Map<unknown, unknown>();
  for (const line of lines) {
    const chunk = jsonOf(line);
    if (isRecord(chunk) && chunk.type === "chunk") chunks.set(chunk.id, chunk.data ?? chunk.error);
  }
  const take = (id: unknown): unknown => {
    const list = chunks.get(id);
    chunks.delete(id);
    return isDevalued(list) ? devalued(list, take) : undefined;
  };
  return take;
}

/** The data of a page and of the layouts around it, as one: so the page has them. */
function ofNodes(nodes: unknown[], later: (id: unknown) => unknown): Meant | null {
  const parts: [string, unknown][] = [];
  for (const node of nodes) {
    if (!isRecord(node)) continue;
    if (node.type === "error") return { value: node.error, status: statusOf(node.status, 500) };
    if (!isDevalued(node.data)) continue;
    const value = devalued(node.data, later);
    if (value === undefined) return null;
    parts.push(["", value]);
  }
  return { value: merged(parts) };
}

/** What loaders or an action gave (React Router, Remix). */
function ofReactRouter(text: string): Meant | null {
  const value = ofTurboStream(text);
  if (!isRecord(value)) return value === undefined ? null : { value };
  if (typeof value.redirect === "string" && typeof value.status === "number")
    return { location: value.redirect, status: statusOf(value.status, 302) };
  if (isResult(value)) return { value: value.data ?? value.error };
  const routes = Object.entries(value);
  if (routes.length === 0 || !routes.every(([, result]) => isResult(result))) return { value };
  const failed = routes.find(([, result]) => "error" in (result as object));
  if (failed) return { value: (failed[1] as Record<string, unknown>).error };
  return {
    value: merged(routes.map(([route, result]) => [route, (result as Record<string, unknown>).data])),
  };
}

/** What one loader or action gave, or threw. */
const isResult = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) &&
  Object.keys(value).length === 1 &&
  (Object.hasOwn(value, "data") || Object.hasOwn(value, "error"));

/** What a server action gave, and what the page is handed (Next). An error that came after the answer had begun is in its rows. */
function ofNext(text: string): Meant | null {
  const { given, page, digest } = ofComponentRows(text);
  const [, location, how] = /^NEXT_REDIRECT;\w+;([^;]+);(\d{3})/.exec(digest ?? "") ?? [];
  if (location !== undefined) return { location, status: statusOf(Number(how), 307) };
  const value =
    page && given !== undefined
      ? merged([
          ["page", page],
          ["action", given],
        ])
      : (given ?? page);
  if (digest === null) return value === undefined ? null : { value };
  const [, status] = /^NEXT_HTTP_ERROR_FALLBACK;(\d{3})/.exec(digest) ?? [];
  return { value: value ?? null, status: statusOf(Number(status ?? 500), 500) };
}

/** The state of an application, in the wrappings in which it is kept (Nuxt). */
function ofNuxt(text: string): Meant | null {
  if (!/^\[\s*\["(?:Shallow)?(?:Reactive|Ref)",\s*\d/.test(text)) return null;
  const list = jsonOf(text);
  const value = isDevalued(list) ? devalued(list) : undefined;
  if (!isRecord(value)) return value === undefined ? null : { value };
  return { value: isRecord(value.data) ? value.data : value };
}

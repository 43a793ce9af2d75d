import { type Cookie, type TraceEvent, textIn } from "../../../server/trace/format/event.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { asking, createRows, type Rows } from "./rows.ts";

/** A cookie that an answer set, changed or took away. */
export interface CookieRow extends Cookie {
  seq: number;
  ts: number;
  stepId: string | null;
  /** Of the answer; empty for what the recorder wrote down itself. */
  url: string;
  isRemoved: boolean;
}

const MAX_VALUE = 2000;

/** One `Set-Cookie` header as RFC 6265 reads it; null when it names no cookie. */
export function parseSetCookie(
  header: string,
  url: string,
  ts: number,
): (Cookie & { isRemoved: boolean }) | null {
  const [pair = "", ...attributes] = header.split(";");
  const equals = pair.indexOf("=");
  if (equals <= 0) return null;
  const parsed = URL.parse(url);
  const cookie: Cookie & { isRemoved: boolean } = {
    name: pair.slice(0, equals).trim(),
    value: pair
      .slice(equals + 1)
      .trim()
      .slice(0, MAX_VALUE),
    domain: parsed?.hostname ?? "",
    path: defaultPath(parsed?.pathname ?? "/"),
    isRemoved: false,
  };
  if (cookie.name === "") return null;
  let maxAge: number | null = null;
  for (const attribute of attributes) {
    const at = attribute.indexOf("=");
    const name = (at < 0 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    const value = at < 0 ? "" : attribute.slice(at + 1).trim();
    if (name === "domain" && value) cookie.domain = value.toLowerCase();
    else if (name === "path" && value.startsWith("/")) cookie.path = value;
    else if (name === "httponly") cookie.http_only = true;
    else if (name === "secure") cookie.secure = true;
    else if (name === "samesite" && value) cookie.same_site = value.slice(0, 20);
    else if (name === "max-age" && /^-?\d+$/.test(value)) maxAge = Number(value);
    else if (name === "expires" && Number.isFinite(Date.parse(value)) && cookie.expires === undefined)
      cookie.expires = Math.round(Date.parse(value) / 1000);
  }
  if (maxAge !== null) cookie.expires = Math.round(ts / 1000) + maxAge;
  cookie.isRemoved = cookie.expires !== undefined && cookie.expires * 1000 <= ts;
  return cookie;
}

/** RFC 6265, section 5.1.4. */
function defaultPath(path: string): string {
  const end = path.lastIndexOf("/");
  return end > 0 ? path.slice(0, end) : "/";
}

/** The cookies of a `Cookie` header, in their order. */
export function parseCookies(header: string): { name: string; value: string }[] {
  return header.split(";").flatMap((pair) => {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, equals)).trim();
    return name
      ? [
          {
            name,
            value: pair
              .slice(equals + 1)
              .trim()
              .slice(0, MAX_VALUE),
          },
        ]
      : [];
  });
}

/** The values of an event's headers of a name (in lower case); recorders may join several with line feeds. */
export function headerValues(event: TraceEvent, name: string): string[] {
  if (!Array.isArray(event.headers)) return [];
  return event.headers.flatMap((header: unknown) => {
    if (!header || typeof header !== "object" || !("name" in header) || !("value" in header)) return [];
    if (textIn(header.name).toLowerCase() !== name) return [];
    return textIn(header.value).split("\n");
  });
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Every cookie that answers set, in their order. Only answers with such a header are asked for. */
export function createCookieRows(source: TraceSource): Rows<CookieRow> {
  const rows: CookieRow[] = [];
  return createRows(
    asking(source, { q: "set-cookie", match: "loose" }),
    "network.response",
    (kind) => kind === "network.response",
    {
      add(event) {
        const url = text(event.url);
        for (const header of headerValues(event, "set-cookie")) {
          const cookie = parseSetCookie(header, url, event.ts);
          if (cookie)
            rows.push({ ...cookie, seq: event.seq, ts: event.ts, stepId: event.step_id ?? null, url });
        }
      },
      snapshot: () => rows.slice(),
    },
  );
}

/** What the recorder itself wrote down of cookies and storage. */
export interface StorageRow {
  seq: number;
  ts: number;
  cookies: Cookie[];
  origins: { origin: string; items: { name: string; value: string }[] }[];
}

const MOST = 500;
const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.slice(0, MOST).filter((item) => item && typeof item === "object") : [];

export function createStorageRows(source: TraceSource): Rows<StorageRow> {
  const rows: StorageRow[] = [];
  return createRows(source, "storage.state", (kind) => kind === "storage.state", {
    add(event) {
      rows.push({
        seq: event.seq,
        ts: event.ts,
        cookies: records(event.cookies).map((cookie) => ({
          name: text(cookie.name),
          value: text(cookie.value).slice(0, MAX_VALUE),
          domain: text(cookie.domain),
          path: text(cookie.path) || "/",
          ...(typeof cookie.expires === "number" && { expires: cookie.expires }),
          ...(cookie.http_only === true && { http_only: true }),
          ...(cookie.secure === true && { secure: true }),
          ...(text(cookie.same_site) && { same_site: text(cookie.same_site) }),
        })),
        origins: records(event.origins).map((origin) => ({
          origin: text(origin.origin),
          items: records(origin.local_storage).map((item) => ({
            name: text(item.name),
            value: text(item.value).slice(0, MAX_VALUE),
          })),
        })),
      });
    },
    snapshot: () => rows.slice(),
  });
}

export interface KnownCookie extends Cookie {
  /** When it was last set, epoch ms. */
  at: number;
  seq: number;
  isFromAnswer: boolean;
}

/** The cookies that are known at a moment (epoch ms), by name. */
export function cookiesAt(
  set: readonly CookieRow[],
  states: readonly StorageRow[],
  ts: number,
): KnownCookie[] {
  const jar = new Map<string, KnownCookie>();
  const keyOf = ({ name, domain, path }: Cookie): string =>
    `${domain.replace(/^\./, "")}\u0000${path}\u0000${name}`;
  const put = (cookie: Cookie, row: { ts: number; seq: number }, isFromAnswer: boolean): void => {
    const { name, value, domain, path, expires, http_only, secure, same_site } = cookie;
    const known: KnownCookie = { name, value, domain, path, at: row.ts, seq: row.seq, isFromAnswer };
    if (expires !== undefined) known.expires = expires;
    if (http_only) known.http_only = true;
    if (secure) known.secure = true;
    if (same_site) known.same_site = same_site;
    jar.set(keyOf(cookie), known);
  };
  const changes: (CookieRow | StorageRow)[] = [...set, ...states];
  for (const row of changes.sort((a, b) => a.ts - b.ts || a.seq - b.seq)) {
    if (row.ts > ts) break;
    if ("cookies" in row) for (const cookie of row.cookies) put(cookie, row, false);
    else if (row.isRemoved) jar.delete(keyOf(row));
    else put(row, row, true);
  }
  for (const [key, { expires }] of jar) if (expires !== undefined && expires * 1000 <= ts) jar.delete(key);
  return [...jar.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

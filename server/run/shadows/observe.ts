import { findTrace, type TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents } from "../../trace/events/source.ts";
import { readBlob } from "../../trace/files/read-body.ts";
import { whereItLies } from "../../trace/files/where-it-lies.ts";
import { isTooDeep, numberIn, readEvent, textIn } from "../../trace/format/event.ts";
import { isRecord } from "../clones/http.ts";
import type { Json } from "../clones/types.ts";
import { addressPattern } from "../globs.ts";
import type { CloneUse } from "../language/ast.ts";
import type { Observation } from "./compare.ts";

/** Headers that change what whoever asks does next. */
const HEADERS = ["content-type", "location", "retry-after", "www-authenticate"];
const MOST_OBSERVATIONS = 500;
const LONGEST_BODY = 1024 * 1024;

/** What the pages of a run asked of third parties that clones stand in for, and what they were answered. */
export async function observe(
  deps: Deps,
  traceId: string | null,
  uses: readonly CloneUse[],
): Promise<Observation[]> {
  const trace = traceId === null ? null : await findTrace(deps.store.records, traceId);
  return trace ? whereItLies(deps, trace, (now) => observed(deps, now, uses)) : [];
}

async function observed(deps: Deps, trace: TraceRow, uses: readonly CloneUse[]): Promise<Observation[]> {
  const file = await openEvents(deps, trace);
  if (!file) return [];
  const patterns = uses.map(({ match }) => addressPattern(match));
  const found: Observation[] = [];
  for await (const lines of file.lineBatches()) {
    for (const line of lines) {
      if (!line.includes('"network.response"') || found.length >= MOST_OBSERVATIONS) continue;
      const event = readEvent(line);
      if (event.kind !== "network.response" || event.resource_type === "server") continue;
      const url = textIn(event.url);
      if (!patterns.some((pattern) => pattern.test(url))) continue;
      found.push({
        method: textIn(event.method, "GET"),
        url,
        status: numberIn(event.status ?? 0) || 0,
        headers: headersOf(event.headers),
        body: await bodyOf(deps, trace, event.body),
        seq: event.seq,
        ts: event.ts,
        step_id: event.step_id ?? null,
      });
    }
  }
  return found;
}

function headersOf(given: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const header of Array.isArray(given) ? given : []) {
    if (!isRecord(header)) continue;
    const name = String(header.name).toLowerCase();
    // Of a type, the charset says nothing that JSON does not say itself.
    const value = String(header.value);
    if (HEADERS.includes(name))
      headers[name] = name === "content-type" ? (value.split(";")[0] ?? "").trim() : value;
  }
  return headers;
}

async function bodyOf(deps: Deps, trace: TraceRow, body: unknown): Promise<Json> {
  if (typeof body !== "string") return null;
  const text = /^sha256:[0-9a-f]{64}$/.test(body) ? await blobText(deps, trace, body.slice(7)) : body;
  if (text === null || text.length > LONGEST_BODY) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(text, value) ? text : value;
  } catch {
    return text;
  }
}

async function blobText(deps: Deps, trace: TraceRow, hash: string): Promise<string | null> {
  const bytes = await readBlob(deps, trace.id, hash, LONGEST_BODY);
  return bytes && new TextDecoder().decode(bytes);
}

/** Answers of a run as a HAR, for a run that is not to send the same again. */
export function heldAnswers(observations: readonly Observation[]): string {
  const entries = observations.map(({ method, url, status, headers, body }) => ({
    request: { method, url },
    response: {
      status,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      content: { text: typeof body === "string" ? body : JSON.stringify(body) },
    },
  }));
  return JSON.stringify({ log: { entries } });
}

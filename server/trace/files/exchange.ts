import type { EventFile } from "../../../store/events/types.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { asRecorded, type Clean } from "../fit.ts";
import { plainText } from "../format/error-text.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import { PROMPT_BODY, type PromptRequest } from "../format/prompt.ts";
import { readBlob } from "./read-body.ts";

/** Larger bodies are not read for the few lines that would be shown. */
const LARGEST_BODY = 1_000_000;

/** A stored blob that a reference names; null for a large one, and for what is none of the trace. */
export async function smallBlob(deps: Deps, trace: TraceRow, reference: string): Promise<Uint8Array | null> {
  const hash = /^sha256:([0-9a-f]{64})$/.exec(reference)?.[1];
  return hash ? readBlob(deps, trace.id, hash, LARGEST_BODY) : null;
}

/** An answer with its request, and the beginnings of both bodies. @param clean gets each of them whole */
export async function exchange(
  deps: Deps,
  trace: TraceRow,
  file: EventFile,
  response: TraceEvent,
  clean: Clean = asRecorded,
): Promise<PromptRequest> {
  const request = await requestOf(file, response);
  const method = [response.method, request?.method].find((value) => typeof value === "string");
  return {
    response: clean(response),
    method: typeof method === "string" ? method.slice(0, 32) : "GET",
    requestBody: await bodyText(deps, trace, request?.body, clean),
    responseBody: await bodyText(deps, trace, response.body, clean),
  };
}

async function requestOf(file: EventFile, { request_id: id, seq }: TraceEvent): Promise<TraceEvent | null> {
  if (typeof id !== "string") return null;
  const query = { kinds: ["network.request"], text: JSON.stringify(id), offset: 0, limit: 20 };
  const { lines } = await file.query(query);
  const found = lines.map(readEvent);
  return found.findLast((event) => event.request_id === id && event.seq <= seq) ?? null;
}

/** The beginning of a body that is text, inline or stored by its hash; null for any other. */
async function bodyText(deps: Deps, trace: TraceRow, body: unknown, clean: Clean): Promise<string | null> {
  if (typeof body !== "string" || body === "") return null;
  const hash = /^sha256:([0-9a-f]{64})$/.exec(body)?.[1];
  if (!hash) return plainText(clean(body), PROMPT_BODY + 1);
  const bytes = await readBlob(deps, trace.id, hash, LARGEST_BODY);
  if (!bytes) return null;
  const start = Buffer.from(bytes.subarray(0, PROMPT_BODY * 4)).toString("utf8");
  // Neither NUL nor many signs for undecodable bytes stand in text.
  if (start.includes("\0") || (start.match(/\ufffd/g)?.length ?? 0) > 2) return null;
  return plainText(clean(Buffer.from(bytes).toString("utf8")), PROMPT_BODY + 1);
}

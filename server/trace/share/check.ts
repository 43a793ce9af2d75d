import type { EventFile } from "../../../store/events/types.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { orDamaged } from "../events/source.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import { reportMaterial } from "../reports/service.ts";
import type { ShareCheck } from "./model.ts";

/** Headers whose value lets whoever has it act as somebody, and the text that finds them. */
const CREDENTIALS: Record<string, readonly string[]> = {
  authorization: ["authorization", "proxy-authorization"],
  cookie: ["cookie", "set-cookie"],
  "api-key": ["x-api-key", "api-key"],
};
/** Exchanges that are looked at per text. */
const LOOKED_AT = 500;
/** What recorders write in place of a value. */
const MASKED = /^\W*(?:redacted|masked|removed|hidden|filtered|x{3,})?\W*$/i;

/** What a reader of a shared trace could take from its requests, as far as a short look shows. */
export const checkShare = (deps: Deps, trace: TraceRow): Promise<ShareCheck> =>
  whereItLies(deps, trace, (now) => check(deps, now));

async function check(deps: Deps, trace: TraceRow): Promise<ShareCheck> {
  const { summary, file } = await reportMaterial(deps, trace);
  const headers = new Map<string, number>();
  // Of a cold trace nothing can be said.
  let isComplete = file !== null || trace.event_count === 0;
  for (const [text, names] of Object.entries(CREDENTIALS)) {
    const found = file ? await credentialsIn(deps, file, text, names) : null;
    for (const [name, count] of found?.counts ?? []) headers.set(name, count);
    isComplete &&= found?.isComplete ?? true;
  }
  return {
    redaction_count: summary.redaction_count,
    headers: [...headers].map(([name, count]) => ({ name, count })),
    is_complete: isComplete,
  };
}

async function credentialsIn(deps: Deps, file: EventFile, text: string, names: readonly string[]) {
  const query = { kinds: ["network.request", "network.response"], text, isLoose: true };
  const { lines, total } = await orDamaged(deps, file.query({ ...query, offset: 0, limit: LOOKED_AT }));
  const counts = new Map<string, number>();
  for (const line of lines)
    for (const name of shownCredentials(readEvent(line)))
      if (names.includes(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return { counts, isComplete: total <= lines.length };
}

/** Names of headers, in small letters and each once, that an exchange shows with a value. */
function shownCredentials({ headers }: TraceEvent): Set<string> {
  const names = new Set<string>();
  for (const header of Array.isArray(headers) ? (headers as unknown[]) : []) {
    if (!header || typeof header !== "object" || !("name" in header) || !("value" in header)) continue;
    if (!MASKED.test(String(header.value))) names.add(String(header.name).toLowerCase());
  }
  return names;
}

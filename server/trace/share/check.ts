import type { EventFile } from "../../../store/events/types.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { orDamaged } from "../events/source.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { readEvent, type TraceEvent, textIn } from "../format/event.ts";
import { reportMaterial } from "../reports/service.ts";
import type { ShareCheck } from "./model.ts";

/** Headers whose value lets whoever has it act as somebody. */
const CREDENTIALS = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api-key",
]);
/** Exchanges that are looked at, and for how long at most: somebody waits for the answer before a link is made. */
const MOST_LOOKED_AT = 5000;
const MOST_MS = 2000;
/** Exchanges read at a time. */
const AT_ONCE = 100;
/** What recorders write in place of a value. */
const MASKED = /^\W*(?:(?:redacted|masked|removed|hidden|filtered|x{3,})\W*)?$/i;

/**
 * What a reader of a shared trace could take from its requests, as far as a short look shows.
 * @param signal ends the look when the client goes
 */
export const checkShare = (deps: Deps, trace: TraceRow, signal: AbortSignal): Promise<ShareCheck> =>
  whereItLies(deps, trace, (now) => check(deps, now, signal));

async function check(deps: Deps, trace: TraceRow, signal: AbortSignal): Promise<ShareCheck> {
  const { summary, file } = await reportMaterial(deps, trace);
  const { counts, isComplete } = file
    ? await orDamaged(deps, credentialsIn(deps, file, signal))
    : // Of a cold trace nothing can be said.
      { counts: new Map<string, number>(), isComplete: trace.event_count === 0 };
  return {
    redaction_count: summary.redaction_count,
    headers: [...counts].map(([name, count]) => ({ name, count })),
    is_complete: isComplete,
  };
}

/** Reads the exchanges once, from the first one on, until all or enough of them were seen. */
async function credentialsIn({ clock }: Pick<Deps, "clock">, file: EventFile, signal: AbortSignal) {
  const kinds = ["network.request", "network.response"];
  const began = clock.monotonic();
  const counts = new Map<string, number>();
  let seen = 0;
  for (;;) {
    signal.throwIfAborted();
    const { lines, total } = await file.query({ kinds, offset: seen, limit: AT_ONCE });
    for (const line of lines)
      for (const name of shownCredentials(readEvent(line))) counts.set(name, (counts.get(name) ?? 0) + 1);
    seen += lines.length;
    if (seen >= total || lines.length === 0) return { counts, isComplete: true };
    if (seen >= MOST_LOOKED_AT || clock.monotonic() - began >= MOST_MS) return { counts, isComplete: false };
  }
}

/** Names of headers with credentials, in small letters and each once, that an exchange shows with a value. */
function shownCredentials({ headers }: TraceEvent): Set<string> {
  const names = new Set<string>();
  for (const header of Array.isArray(headers) ? (headers as unknown[]) : []) {
    if (!header || typeof header !== "object" || !("name" in header) || !("value" in header)) continue;
    const name = textIn(header.name).toLowerCase();
    if (CREDENTIALS.has(name) && !MASKED.test(textIn(header.value))) names.add(name);
  }
  return names;
}

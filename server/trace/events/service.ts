import type { EventQuery } from "../../../store/events/types.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import type { EventsQuery } from "./model.ts";
import { openEvents } from "./source.ts";

const DEFAULT_LIMIT = 200;

/**
 * A page of a trace's events as JSON text `{ events, total, next_offset }`, put together from the stored lines without
 * reading them; at most `PAGE_BYTES` of them, or one.
 * @param signal ends a search for text, which looks through the whole trace, when the client goes
 * @throws AppError `invalid_request`, `not_hot`
 */
export async function eventPage(
  deps: Deps,
  trace: TraceRow,
  query: EventsQuery,
  signal: AbortSignal,
): Promise<string> {
  const wanted = { ...toEventQuery(query), signal };
  const page = await whereItLies(deps, trace, async (now) => (await openEvents(deps, now))?.query(wanted));
  if (!page) return '{"events":[],"total":0,"next_offset":null}';
  const { lines, total } = page;
  const next = wanted.offset + lines.length;
  return `{"events":[${lines.join(",")}],"total":${total},"next_offset":${next < total ? next : null}}`;
}

function toEventQuery(query: EventsQuery): EventQuery {
  const wanted: EventQuery = { offset: query.offset ?? 0, limit: query.limit ?? DEFAULT_LIMIT };
  if (query.kind !== undefined) wanted.kinds = parseKinds(query.kind);
  if (query.step !== undefined) wanted.step = query.step;
  if (query.from_seq !== undefined) wanted.fromSeq = query.from_seq;
  if (query.q) wanted.text = query.q;
  if (query.match === "loose") wanted.isLoose = true;
  return wanted;
}

/** `console.error,network.*` → its parts. @throws AppError `invalid_request` */
export function parseKinds(text: string): string[] {
  const kinds = text.split(",");
  for (const kind of kinds) {
    const star = kind.indexOf("*");
    if (kind === "" || (star !== -1 && star !== kind.length - 1))
      throw invalid(
        'The query parameter "kind" must be kinds with commas between them; a star may only end one: console.error,network.*',
      );
  }
  return kinds;
}

import { findRun } from "../../store/records/runs.ts";
import { findTestRun, findTestRunByShortId } from "../../store/records/test-runs.ts";
import { findTrace, findTraceByShortId, type TraceRow } from "../../store/records/traces.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../http/errors.ts";
import { requireTrace } from "../trace/access.ts";
import type { Caller } from "./caller.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHORT_ID = /^[1-9A-HJ-NP-Za-km-z]{6,32}$/;
/** Pages, share links and API addresses of a trace. */
const PATH = /^\/(?:v1\/)?(?:traces|r)\/([^/]+)/;

/** A trace as people and pages name it, and the step that a link points to. */
export interface TraceReference {
  id: string;
  step: string | null;
}

/** Reads an id, a short id, or the address of a trace's page or share link, of whatever host. */
export function readTraceReference(text: string): TraceReference | null {
  const given = text.trim().replace(/^[<"'`]+|(?<![>"'`.,])[>"'`.,]+$/g, "");
  if (UUID.test(given) || SHORT_ID.test(given)) return { id: given, step: null };
  const url = URL.parse(given, "http://localhost");
  const id = url && PATH.exec(url.pathname)?.[1];
  return id && (UUID.test(id) || SHORT_ID.test(id)) ? { id, step: url.searchParams.get("step") } : null;
}

/**
 * The trace that an agent names, if its credential may know of it.
 * @throws AppError `invalid_request`, `wrong_org`; `not_found`, which says what the id is of when it is of something else
 */
export async function requireNamedTrace(
  deps: Deps,
  { actor }: Pick<Caller, "actor">,
  text: string,
): Promise<{ trace: TraceRow; step: string | null }> {
  const named = readTraceReference(text);
  if (!named)
    throw invalid(
      'The argument "trace_id" must be the id or short id of a trace, or the address of its page or share link.',
    );
  const { records } = deps.store;
  const row = UUID.test(named.id)
    ? await findTrace(records, named.id.toLowerCase())
    : await findTraceByShortId(records, named.id);
  if (row) return { trace: await requireTrace(deps, actor, row.id), step: named.step };
  throw new AppError(
    "not_found",
    (await otherwise(deps, actor.orgId, named.id)) ?? "This trace does not exist.",
  );
}

/** What else of the org has that id. */
async function otherwise({ store: { records } }: Deps, orgId: string, id: string): Promise<string | null> {
  const isUuid = UUID.test(id);
  const run = isUuid ? await findRun(records, id.toLowerCase()) : null;
  if (run?.org_id === orgId)
    return run.trace_id === null
      ? "This is the id of a run that has no trace yet: look at it with product_get_run."
      : `This is the id of a run, and its trace is ${run.trace_id}: call again with that.`;
  const testRun = isUuid
    ? await findTestRun(records, id.toLowerCase())
    : await findTestRunByShortId(records, id);
  return testRun?.org_id === orgId
    ? "This is the id of a test run: get_test_run tells its failed tests and their traces."
    : null;
}

/** The trace's page, at a step where one is known. */
export function traceLink(
  { publicOrigin }: Pick<Caller, "publicOrigin">,
  id: string,
  step?: string | null,
): string {
  const at = step && step.length <= 500 ? `?step=${encodeURIComponent(step)}` : "";
  return `${publicOrigin}/traces/${id}${at}`;
}

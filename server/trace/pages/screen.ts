import { findArtifact } from "../../../store/records/artifacts.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { FirstScreen } from "../../../viewer/first-screen/render.tsx";
import type { Deps } from "../../deps.ts";
import { acceptedEncoding } from "../../http/encoding.ts";
import { AppError } from "../../http/errors.ts";
import { layoutOf } from "../../http/first-screen.ts";
import { originOf } from "../../http/guard.ts";
import { optionalActor } from "../../identity/auth.ts";
import { requireTrace } from "../access.ts";
import { showCause, showSharedCause } from "../causes/service.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { showTrace } from "../traces/service.ts";
import { screenKey } from "./kept-screens.ts";

/** A trace's page as its reader would see it: by its id, or by the short id of a link. */
interface Screen {
  trace: TraceRow;
  id: string;
  sharing: FirstScreen["sharing"];
  /** What the API says of the trace to the same reader. */
  detail: { signed_urls: Record<string, string>; playwright_viewer_url?: string };
}

/**
 * The page of a member's trace with its first screen in it. Null where the page has to ask for itself, and there learns
 * why: without a credential that may read this trace, while the trace is not finished, without a readable summary.
 */
export async function memberScreen(deps: Deps, request: Request, id: string): Promise<Response | null> {
  const actor = await optionalActor(deps, request, new URL(request.url).pathname);
  if (!actor?.scopes.has("traces:read")) return null;
  // It saves the reads of an API that counts them.
  if (!deps.rateLimits.take(actor.orgId, "read").allowed) return null;
  try {
    const trace = await requireTrace(deps, actor, id);
    const detail = await showTrace(deps, actor, id, originOf(request, deps.config));
    return await traceScreen(deps, request, { trace, id, sharing: "none", detail });
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  }
}

/**
 * The page with the first screen of a trace that the reader may see, or null as `memberScreen` says. What was made is
 * kept: another reader of the same screen gets it without the summary being read, drawn or packed again.
 */
export async function traceScreen(deps: Deps, request: Request, screen: Screen): Promise<Response | null> {
  const { trace, id, sharing, detail } = screen;
  try {
    const artifact = await findArtifact(deps.store.records, trace.id, "summary");
    if (!artifact) return null;
    const cause = await (sharing === "none" ? showCause : showSharedCause)(deps, trace);
    const { pathname, search } = new URL(request.url);
    const url = new URL(pathname + search, originOf(request, deps.config));
    const layout = layoutOf(request);
    const packing = acceptedEncoding(request, "text/html") === "zstd" ? "zstd" : null;
    const { org_id, status, tier } = trace;
    const key = screenKey({
      reader: [org_id, id, sharing, layout, url.href, packing],
      shown: [status, tier, artifact.sha256, withoutSignatures(detail), cause],
    });
    const validMs = (deps.config.settings.signed_url_seconds * 1000) / 2;
    const made = await deps.traceState.screens.take(key, { now: deps.clock.now(), validMs }, async () => {
      // Looked up after what the key says: it is as new as that, or newer.
      const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
      if (!summary) return null;
      // The viewer has types of its own for the API's answers.
      const opened = { id, detail: detail as FirstScreen["opened"]["detail"], summary, cause };
      return deps.viewer.traceScreen({ opened, sharing, layout, url }, packing);
    });
    return made && new Response(made.body, { headers: made.headers });
  } catch (error) {
    // A damaged summary, or one of another shape: the page tells of it when it asks.
    deps.log.warn("a first screen cannot be drawn", { trace_id: trace.id, error });
    return null;
  }
}

/** The same for the same files: a signature is another at every moment. */
function withoutSignatures({ signed_urls, playwright_viewer_url: _, ...rest }: Screen["detail"]): object {
  const paths = Object.entries(signed_urls).map(([kind, link]) => [kind, new URL(link).pathname]);
  return { ...rest, paths };
}

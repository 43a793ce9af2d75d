import type { TraceRow } from "../../../store/records/traces.ts";
import type { FirstScreen } from "../../../viewer/first-screen/render.tsx";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import { originOf } from "../../http/guard.ts";
import { optionalActor } from "../../identity/auth.ts";
import { requireTrace } from "../access.ts";
import { showCause, withoutBaseline } from "../causes/service.ts";
import { storedSummary } from "../files/stored-summary.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { showTrace } from "../traces/service.ts";

/** A trace's page as its reader would see it: by its id, or by the short id of a link. */
interface Screen {
  trace: TraceRow;
  id: string;
  sharing: FirstScreen["sharing"];
  /** What the API says of the trace to the same reader. */
  detail: object;
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

/** The page with the first screen of a trace that the reader may see, or null as `memberScreen` says. */
export async function traceScreen(deps: Deps, request: Request, screen: Screen): Promise<Response | null> {
  const { trace, id, sharing, detail } = screen;
  try {
    const summary = await whereItLies(deps, trace, (now) => storedSummary(deps, now));
    if (!summary) return null;
    const cause = await showCause(deps, trace);
    const { pathname, search } = new URL(request.url);
    return await deps.viewer.traceScreen(request, {
      // The viewer has types of its own for the API's answers.
      opened: {
        id,
        detail: detail as FirstScreen["opened"]["detail"],
        summary,
        cause: sharing === "none" ? cause : withoutBaseline(cause),
      },
      sharing,
      layout: layoutOf(request),
      url: new URL(pathname + search, originOf(request, deps.config)),
    });
  } catch (error) {
    // A damaged summary, or one of another shape: the page tells of it when it asks.
    deps.log.warn("a first screen cannot be drawn", { trace_id: trace.id, error });
    return null;
  }
}

/** As the browser said after its last page (`LAYOUT_COOKIE` of the viewer); a first visit goes by its kind. */
function layoutOf(request: Request): FirstScreen["layout"] {
  const [, told] =
    /(?:^|;\s*)tracedeck_layout=(right|bottom|narrow)\s*(?:;|$)/.exec(request.headers.get("cookie") ?? "") ??
    [];
  if (told) return told as FirstScreen["layout"];
  const isMobile = request.headers.get("sec-ch-ua-mobile") === "?1";
  return isMobile || /\bMobi/.test(request.headers.get("user-agent") ?? "") ? "narrow" : "right";
}

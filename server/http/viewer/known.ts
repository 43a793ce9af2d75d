import { findIncident } from "../../../store/records/incidents.ts";
import { findAttempt } from "../../../store/records/mender.ts";
import { findRun } from "../../../store/records/runs.ts";
import { findScenario } from "../../../store/records/scenarios.ts";
import { findTestRun, findTestRunByShortId } from "../../../store/records/test-runs.ts";
import { findTrace, findTraceByShortId } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../errors.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;
const SHORT_ID = /^[1-9A-HJ-NP-Za-km-z]{6,32}$/;

/**
 * Whether the page of one thing has anything to show. Who is not signed in is not told: to them every address of the right
 * form is one, and leads to the sign-in page.
 */
export interface Known {
  trace(request: Request, id: string): Promise<boolean>;
  run(request: Request, id: string): Promise<boolean>;
  /** By its short id, or its id. */
  testRun(request: Request, id: string): Promise<boolean>;
  scenario(request: Request, slug: string): Promise<boolean>;
  incident(request: Request, id: string): Promise<boolean>;
  /** An attempt to mend a scenario. */
  fix(request: Request, id: string): Promise<boolean>;
  /** The id of the reader's trace that has this short id; null when none has, or nobody is signed in. */
  traceOfShortId(request: Request, shortId: string): Promise<string | null>;
}

export function createKnown(deps: Pick<Deps, "store" | "credentials">): Known {
  const { records } = deps.store;

  async function orgOf(request: Request): Promise<string | null> {
    try {
      return (await deps.credentials.check(request, new URL(request.url).pathname))?.orgId ?? null;
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return null;
      throw error;
    }
  }

  return {
    async trace(request, id) {
      if (!UUID.test(id)) return false;
      if ((await orgOf(request)) === null) return true;
      // That of another org is refused in words of its own.
      return (await findTrace(records, id.toLowerCase())) !== null;
    },
    async run(request, id) {
      if (!UUID.test(id)) return false;
      if ((await orgOf(request)) === null) return true;
      return (await findRun(records, id.toLowerCase())) !== null;
    },
    async testRun(request, id) {
      if (!UUID.test(id) && !SHORT_ID.test(id)) return false;
      if ((await orgOf(request)) === null) return true;
      const found = UUID.test(id)
        ? await findTestRun(records, id.toLowerCase())
        : await findTestRunByShortId(records, id);
      return found !== null;
    },
    async scenario(request, slug) {
      if (!SLUG.test(slug)) return false;
      const org = await orgOf(request);
      return org === null || (await findScenario(records, org, slug)) !== null;
    },
    async fix(request, id) {
      if (!UUID.test(id)) return false;
      if ((await orgOf(request)) === null) return true;
      return (await findAttempt(records, id.toLowerCase())) !== null;
    },
    async incident(request, id) {
      if (!UUID.test(id)) return false;
      if ((await orgOf(request)) === null) return true;
      return (await findIncident(records, id.toLowerCase())) !== null;
    },
    async traceOfShortId(request, shortId) {
      if (!SHORT_ID.test(shortId)) return null;
      const org = await orgOf(request);
      const trace = org === null ? null : await findTraceByShortId(records, shortId);
      return trace !== null && trace.org_id === org ? trace.id : null;
    },
  };
}

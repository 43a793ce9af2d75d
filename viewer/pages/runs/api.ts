import type {
  RegionList,
  RunAnswer,
  RunArtifact,
  RunArtifactKind,
  RunSteps,
} from "../../../server/run/runs/model.ts";
import type { ScenarioAnswer } from "../../../server/run/scenarios/model.ts";
import type { CauseAnswer } from "../../../server/trace/causes/model.ts";
import { getJson, postJson, withQuery } from "../../api/request.ts";
import type { Page } from "../../ui/pages.ts";

export type Run = RunAnswer;
export type Scenario = ScenarioAnswer;

/** A place that a run can be made from. */
export type Region = RegionList["items"][number];

/** A line of a run's log. */
export interface LogLine {
  seq: number;
  ts: string;
  level: "info" | "warn" | "error";
  message: string;
  step_id?: string;
}

/** Scenarios to choose from. */
export interface ScenarioChoices {
  items: Scenario[];
  /** Whether there are more. */
  isCut: boolean;
}

const SCENARIO_PAGE = 200;
const MOST_CHOICES = 2000;

export interface RunFilters {
  type?: string;
  status?: string;
  scenario?: string;
}

export const runsApi = {
  list: (filters: RunFilters & { cursor?: string | undefined; limit: number }, signal?: AbortSignal) =>
    getJson<Page<Run>>(withQuery("/v1/runs", filters), signal),
  show: (id: string, signal?: AbortSignal) => getJson<Run>(`/v1/runs/${id}`, signal),
  steps: (id: string, signal?: AbortSignal) => getJson<RunSteps>(`/v1/runs/${id}/steps`, signal),
  artifacts: (id: string, signal?: AbortSignal) =>
    getJson<{ items: (RunArtifact & { kind: RunArtifactKind })[] }>(`/v1/runs/${id}/artifacts`, signal),
  cause: (traceId: string, signal?: AbortSignal) =>
    getJson<CauseAnswer>(`/v1/traces/${traceId}/cause`, signal),
  cancel: (id: string) => postJson<Run>(`/v1/runs/${id}/cancel`),
  begin: (wanted: { scenarioId: string; region?: string; baseUrl?: string; type?: "shadow_diff" }) =>
    postJson<Run>("/v1/runs/manual", wanted),
  regions: (signal?: AbortSignal) => getJson<RegionList>("/v1/runs/regions", signal),
  scenario: (slug: string, signal?: AbortSignal) =>
    getJson<Scenario>(`/v1/scenarios/${encodeURIComponent(slug)}`, signal),
  /** All scenarios, page by page, up to `MOST_CHOICES`. */
  allScenarios: async (signal?: AbortSignal): Promise<ScenarioChoices> => {
    const items: Scenario[] = [];
    let cursor: string | null = null;
    do {
      const query = { limit: SCENARIO_PAGE, cursor };
      const page: Page<Scenario> = await getJson(withQuery("/v1/scenarios", query), signal);
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null && items.length < MOST_CHOICES);
    return { items, isCut: cursor !== null };
  },
  /** Scenarios with a file of which nothing has run yet, the first of them by slug. */
  idleScenarios: async (
    q: string,
    signal?: AbortSignal,
  ): Promise<{ items: Scenario[]; hasMore: boolean }> => {
    const query = { has_run: "false", limit: 200, q: q || undefined };
    const page = await getJson<Page<Scenario>>(withQuery("/v1/scenarios", query), signal);
    const items = page.items.filter(({ compiled, missing }) => compiled !== null && !missing);
    return { items, hasMore: page.next_cursor !== null };
  },
  /** The stream of all that a run tells after what is known of it. */
  liveUrl: (id: string, after: { line: number; picture: number }) =>
    `/v1/runs/${id}/live?after_line=${after.line}&after_picture=${after.picture}`,
};

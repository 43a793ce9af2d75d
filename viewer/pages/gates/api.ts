import type { GateAnswer, GateItem, GateScenario } from "../../../server/gate/gates/model.ts";
import type { PullRequestAnswer, PullRequestDetail } from "../../../server/gate/pull-requests/model.ts";
import type { TraceListItem } from "../../api/answers.ts";
import { getJson, postJson, withQuery } from "../../api/request.ts";
import { memberTrace } from "../../api/trace-source.ts";
import type { Page } from "../../ui/pages.ts";

export type { GateAnswer, GateItem, GateScenario, PullRequestAnswer, PullRequestDetail };

export interface PullRequestFilters {
  state?: string;
  repo?: string;
}

export const gatesApi = {
  list: (
    filters: PullRequestFilters & { cursor?: string | undefined; limit: number },
    signal?: AbortSignal,
  ) => getJson<Page<PullRequestAnswer>>(withQuery("/v1/pull-requests", filters), signal),
  pullRequest: (id: string, signal?: AbortSignal) =>
    getJson<PullRequestDetail>(`/v1/pull-requests/${id}`, signal),
  gate: (id: string, signal?: AbortSignal) => getJson<GateAnswer>(`/v1/gates/${id}`, signal),
  decide: (id: string, decision: "approve" | "reject") =>
    postJson<unknown>(`/v1/gates/${id}/decision`, { decision }),
  rerun: (id: string) => postJson<GateAnswer>(`/v1/gates/${id}/rerun`),
};

/** Where the picture of a trace's end lies; null when none was taken. */
export async function loadPicture(traceId: string, signal: AbortSignal): Promise<string | null> {
  const trace = await getJson<TraceListItem>(`/v1/traces/${traceId}`, signal);
  return trace.final_screenshot ? memberTrace(traceId).blobUrl(trace.final_screenshot) : null;
}

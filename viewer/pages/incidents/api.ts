import type { History } from "../../../server/trace/histories/model.ts";
import type { Explanation, IncidentAnswer, IncidentItem } from "../../../server/watch/incidents/model.ts";
import type { TraceListItem } from "../../api/answers.ts";
import { getJson, postJson, withQuery } from "../../api/request.ts";
import { memberTrace } from "../../api/trace-source.ts";
import type { Page } from "../../ui/pages.ts";

export type { Explanation, IncidentAnswer, IncidentItem };

export interface IncidentFilters {
  status?: string;
  type?: string;
  scenario?: string;
}

export const incidentsApi = {
  list: (filters: IncidentFilters & { cursor?: string | undefined; limit: number }, signal?: AbortSignal) =>
    getJson<Page<IncidentItem>>(withQuery("/v1/incidents", filters), signal),
  show: (id: string, signal?: AbortSignal) => getJson<IncidentAnswer>(`/v1/incidents/${id}`, signal),
  explain: (id: string, signal?: AbortSignal) => getJson<Explanation>(`/v1/incidents/${id}/explain`, signal),
  acknowledge: (id: string) => postJson<IncidentAnswer>(`/v1/incidents/${id}/ack`),
  suppress: (id: string, wanted: { duration_seconds: number; reason: string }) =>
    postJson<IncidentAnswer>(`/v1/incidents/${id}/suppress`, wanted),
};

/** What is told of the failure that an incident is about. */
export async function loadFailure(traceId: string, slug: string, signal: AbortSignal) {
  const source = memberTrace(traceId);
  const [trace, cause, before, history] = await Promise.all([
    getJson<TraceListItem>(`/v1/traces/${traceId}`, signal),
    source.cause(signal),
    getJson<{ baseline: TraceListItem | null }>(`/v1/traces/${traceId}/baseline`, signal),
    getJson<History>(withQuery(`/v1/histories/${slug}`, { until: traceId, limit: 1 }), signal),
  ]);
  const { baseline } = before;
  const pictureOf = (of: TraceListItem | null) =>
    of?.final_screenshot ? memberTrace(of.id).blobUrl(of.final_screenshot) : null;
  return {
    ...{ trace, cause, baseline, regression: history.regression },
    ...{ failed: pictureOf(trace), passed: pictureOf(baseline) },
  };
}
export type Failure = Awaited<ReturnType<typeof loadFailure>>;

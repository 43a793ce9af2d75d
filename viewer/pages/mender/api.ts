import type { AttemptAnswer, Preview } from "../../../server/gate/mender/model.ts";
import type { TraceListItem } from "../../api/answers.ts";
import { getJson, postJson, withQuery } from "../../api/request.ts";
import { memberTrace } from "../../api/trace-source.ts";
import type { Page } from "../../ui/pages.ts";

export type { AttemptAnswer, Preview };

export interface AttemptFilters {
  status?: string;
  scenario?: string;
}

export const menderApi = {
  list: (
    filters: AttemptFilters & { trace?: string; cursor?: string | undefined; limit: number },
    signal?: AbortSignal,
  ) => getJson<Page<AttemptAnswer>>(withQuery("/v1/mender", filters), signal),
  show: (id: string, signal?: AbortSignal) => getJson<AttemptAnswer>(`/v1/mender/${id}`, signal),
  apply: (id: string) => postJson<AttemptAnswer>(`/v1/mender/${id}/apply`),
  reject: (id: string, reason: string) => postJson<AttemptAnswer>(`/v1/mender/${id}/reject`, { reason }),
};

/** A trace's last picture; null where none was taken, or the trace is gone. */
export async function pictureOf(traceId: string | null, signal: AbortSignal): Promise<string | null> {
  if (traceId === null) return null;
  const trace = await getJson<TraceListItem>(`/v1/traces/${traceId}`, signal).catch(() => null);
  return trace?.final_screenshot ? memberTrace(traceId).blobUrl(trace.final_screenshot) : null;
}

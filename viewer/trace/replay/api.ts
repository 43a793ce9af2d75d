import { hasEnded, type TraceStatus } from "../../api/answers.ts";
import { getJson, postJson } from "../../api/request.ts";

/** A request that a source trace made. */
export interface PastCall {
  method: string;
  url: string;
}

/** `GET /v1/replays/{id}` */
export interface Replay {
  id: string;
  status: "queued" | "running" | "succeeded" | "failed";
  from_step: number;
  replay_trace_id: string | null;
  replay_trace_status: TraceStatus | null;
  has_edits: boolean;
  caught_up: { sent: PastCall[]; left_out: PastCall[] };
  error: { reason: string | null; message: string } | null;
  created_at: string;
}

/** `GET /v1/traces/{id}/replays` */
export interface Replays {
  items: Replay[];
  scenario: { path: string; text: string } | null;
  steps: number;
  past: (PastCall & { step: number; is_sent: boolean })[];
  refusal: string | null;
}

export interface ReplayRequest {
  from_step: number;
  edits?: { scenario_diff?: string };
  catch_up?: boolean;
  triggered_via: "viewer";
}

/** The replays of a trace, as their dialog asks for them. */
export const replayApi = {
  list: (traceId: string, signal?: AbortSignal) => getJson<Replays>(`/v1/traces/${traceId}/replays`, signal),
  start: (traceId: string, request: ReplayRequest) =>
    postJson<Replay>(`/v1/traces/${traceId}/replay`, request),
  show: (id: string, signal?: AbortSignal) => getJson<Replay>(`/v1/replays/${id}`, signal),
  cancel: (id: string) => postJson<Replay>(`/v1/replays/${id}/cancel`),
};

/** A replay may be over some time before its trace has been read and has its verdict. */
export const isSettled = (replay: Replay): boolean =>
  isOver(replay) && (replay.replay_trace_status === null || hasEnded({ status: replay.replay_trace_status }));

export const isOver = ({ status }: Replay): boolean => status === "succeeded" || status === "failed";

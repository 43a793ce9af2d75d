import type { Visibility } from "../../api/answers.ts";
import { ApiError, getJson, postJson, send } from "../../api/request.ts";

export interface ShareState {
  short_id: string;
  url: string;
  visibility: Visibility;
  expires_at: string;
  views?: number;
}

/** `GET /v1/traces/{id}/share/views`: who opened the link, each visitor once a day, latest first. */
export interface ShareViews {
  views: number;
  openings: {
    at: string;
    address: string | null;
    agent: string | null;
    is_embedded: boolean;
    /** On that day. */
    times: number;
  }[];
}

/** `GET /v1/traces/{id}/share/check`: what a link would show that nobody should have. */
export interface ShareCheck {
  redaction_count: number;
  headers: { name: string; count: number }[];
  is_complete: boolean;
}

/** The share of a trace, as its dialog asks for it. */
export const shareApi = {
  /** Null when the trace is not shared. */
  show: async (id: string): Promise<ShareState | null> => {
    try {
      return await getJson<ShareState | null>(`/v1/traces/${id}/share`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  },
  set: (id: string, visibility: Visibility, expiresDays: number) =>
    postJson<ShareState>(`/v1/traces/${id}/share`, { visibility, expires_days: expiresDays }),
  views: (id: string, signal?: AbortSignal) => getJson<ShareViews>(`/v1/traces/${id}/share/views`, signal),
  check: (id: string, signal?: AbortSignal) => getJson<ShareCheck>(`/v1/traces/${id}/share/check`, signal),
  withdraw: async (id: string) => {
    await send(`/v1/traces/${id}/share`, { method: "DELETE" });
  },
};

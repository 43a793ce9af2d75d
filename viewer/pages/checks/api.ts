import type { Availability, SloAnswer } from "../../../server/watch/availability/model.ts";
import type { CheckAnswer, CheckUpdate, Fires, NewCheck, Pause } from "../../../server/watch/checks/model.ts";
import type {
  MaintenanceAnswer,
  MaintenanceUpdate,
  NewMaintenance,
} from "../../../server/watch/maintenance/model.ts";
import type { PreflightAnswer, PreflightState } from "../../../server/watch/preflights/model.ts";
import { getJson, postJson, send, withQuery } from "../../api/request.ts";
import type { Page } from "../../ui/pages.ts";
import type { Run } from "../runs/api.ts";

export type Check = CheckAnswer;
export type Maintenance = MaintenanceAnswer;

const CHECKS = "/v1/scheduled_checks";
const WINDOWS = "/v1/maintenance-windows";

async function putJson<T>(path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await send(path, { method: "PUT", headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

export const checksApi = {
  list: (
    filters: { scenario?: string; channel?: string; cursor?: string | undefined; limit: number },
    signal?: AbortSignal,
  ) => getJson<Page<Check>>(withQuery(CHECKS, filters), signal),
  show: (id: string, signal?: AbortSignal) => getJson<Check>(`${CHECKS}/${id}`, signal),
  create: (wanted: NewCheck) => postJson<Check>(CHECKS, wanted),
  update: (id: string, wanted: CheckUpdate) => putJson<Check>(`${CHECKS}/${id}`, wanted),
  pause: (id: string, wanted: Pause) => postJson<Check>(`${CHECKS}/${id}/pause`, wanted),
  async remove(id: string): Promise<void> {
    await send(`${CHECKS}/${id}`, { method: "DELETE" });
  },
  fires: (schedule: { cron: string; timezone: string }, signal?: AbortSignal) =>
    getJson<Fires>(withQuery(`${CHECKS}/fires`, schedule), signal),
  availability: (id: string, days: string, signal?: AbortSignal) =>
    getJson<Availability>(withQuery(`${CHECKS}/${id}/availability`, { days }), signal),
  slo: (id: string, signal?: AbortSignal) => getJson<SloAnswer>(`${CHECKS}/${id}/slo`, signal),
  runs: (check: string, signal?: AbortSignal) =>
    getJson<Page<Run>>(withQuery("/v1/runs", { check, limit: 100 }), signal),
  preflight: (scenario: string, signal?: AbortSignal) =>
    getJson<PreflightState>(`/v1/scenarios/${encodeURIComponent(scenario)}/preflight`, signal),
  runPreflight: (scenario: string) =>
    postJson<PreflightAnswer>(`/v1/scenarios/${encodeURIComponent(scenario)}/preflight`),
  windows: (signal?: AbortSignal) => getJson<{ items: Maintenance[] }>(WINDOWS, signal),
  createWindow: (wanted: NewMaintenance) => postJson<Maintenance>(WINDOWS, wanted),
  updateWindow: (id: string, wanted: MaintenanceUpdate) => putJson<Maintenance>(`${WINDOWS}/${id}`, wanted),
  async removeWindow(id: string): Promise<void> {
    await send(`${WINDOWS}/${id}`, { method: "DELETE" });
  },
};

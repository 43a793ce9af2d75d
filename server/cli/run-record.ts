import { systemClock } from "../platform/clock.ts";
import type { LogLine } from "../run/pool/protocol.ts";
import type { Outcome } from "../run/runner/execution.ts";
import type { RunAnswer } from "../run/runs/model.ts";
import type { RunBegin, RunBegun } from "../run/runs/record-model.ts";
import { callJson } from "./call.ts";
import type { Session } from "./session.ts";

/** The record of a run that this process carries out: begun, followed and ended on the server. */
export interface RunRecord {
  id: string;
  fingerprints: RunBegun["fingerprints"];
  log(line: LogLine): void;
  /** Says which trace the run leaves. */
  leaves(traceId: string): void;
  /** Aborts when somebody cancelled the run elsewhere, or the server went away. */
  stopped: AbortSignal;
  end(outcome: Pick<Outcome, "status" | "error" | "heals" | "fingerprints">): Promise<RunAnswer>;
}

const LOOK_MS = 2000;
/** Between two requests that add to the log: a server takes two writes a second from everybody together. */
const PAUSE_MS = 2000;
const LONGEST_LINE = 10_000;

/** @throws CliError with the server's own sentence */
export async function beginRecord(session: Session, begin: RunBegin): Promise<RunRecord> {
  const { client } = session;
  const { run, fingerprints } = await callJson<RunBegun>(client, "/internal/v1/runs", post(begin));
  const stopped = new AbortController();
  const ended = new AbortController();
  let lines: { ts: number; level: LogLine["level"]; message: string; step_id?: string }[] = [];
  let trace: string | null = null;
  let sending: Promise<void> | null = null;

  /** One request at a time; what comes meanwhile goes with the next. */
  async function send(): Promise<void> {
    while (lines.length > 0 || trace !== null) {
      const body = { lines, ...(trace !== null && { trace_id: trace }) };
      lines = [];
      trace = null;
      const { status } = await callJson<RunAnswer>(
        client,
        `/internal/v1/runs/${run.id}/progress`,
        post(body),
      );
      if (status !== "running") stopped.abort(new Error("The run was cancelled."));
      await systemClock.sleep(PAUSE_MS, ended.signal);
    }
  }
  function soon(): void {
    if (sending) return;
    sending = send().finally(() => {
      sending = null;
    });
    // Whoever ends the record hears of it; until then the run goes on.
    sending.catch((error) => stopped.abort(error));
  }

  async function look(): Promise<void> {
    while (!ended.signal.aborted && !stopped.signal.aborted) {
      await systemClock.sleep(LOOK_MS, ended.signal);
      if (ended.signal.aborted) return;
      const { status } = await callJson<RunAnswer>(client, `/v1/runs/${run.id}`);
      if (status !== "running") stopped.abort(new Error("The run was cancelled."));
    }
  }
  const looking = look().catch((error) => stopped.abort(error));

  return {
    id: run.id,
    fingerprints,
    log({ level, message, stepId }) {
      const step = stepId === null ? {} : { step_id: stepId };
      lines.push({ ts: systemClock.now(), level, message: message.slice(0, LONGEST_LINE), ...step });
      soon();
    },
    leaves(traceId) {
      trace = traceId;
      soon();
    },
    stopped: stopped.signal,
    async end({ status, error, heals, fingerprints: seen }) {
      ended.abort();
      await looking;
      await sending;
      await send();
      const said = error && { reason: error.reason, message: error.message };
      const body = { status, error: said, healed: heals, fingerprints: seen };
      return callJson<RunAnswer>(client, `/internal/v1/runs/${run.id}/end`, post(body));
    },
  };
}

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

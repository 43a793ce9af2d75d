import { signal } from "@preact/signals";
import type { TraceStatus } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { ApiError, errorText, toApiError } from "../../api/request.ts";
import type { SharedRun } from "./reports.ts";

export type UploadState = "waiting" | "sending" | "processing" | "ready" | "failed" | "cancelled";

export interface Upload {
  id: number;
  name: string;
  size: number;
  /** Of the scenario of a trace; null for a report, which makes a test run. */
  slug: string | null;
  state: UploadState;
  sent: number;
  /** Bytes per second, averaged since the start. */
  rate: number;
  traceId: string | null;
  status: TraceStatus | null;
  /** Short id of the test run that a report made. */
  testRun: string | null;
  problem: string | null;
  cancel: (() => void) | null;
}

export const uploads = signal<readonly Upload[]>([]);
/** Files that were dropped or picked and wait for their scenario, each with what is typed for it. */
export const asked = signal<readonly { file: File; slug: string }[]>([]);

const POLL_MS = 400;
let lastId = 0;

function change(id: number, part: Partial<Upload>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...part } : upload));
}

/** A scenario slug from a file name: `checkout-trace (2).zip` is `checkout`; nothing left is `uploads`. */
export function guessSlug(fileName: string): string {
  const base = fileName.toLowerCase().replace(/(\.(tar|zip|zst|tzst|bundle|ndjson))+$/, "");
  const slug = base
    .normalize("NFKD")
    .replace(/\(\d+\)/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^(playwright-)?trace-|-(trace|bundle|chromium|firefox|webkit)(?=-|$)/g, "")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 64)
    .replace(/(?<!-)-+$/, "");
  return slug === "" || slug === "trace" || slug === "bundle" ? "uploads" : slug;
}

/** Asks which scenario these belong to, after those that are asked for already. The guess comes from the file name. */
export function askFor(files: readonly File[]): void {
  asked.value = [...asked.peek(), ...files.map((file) => ({ file, slug: guessSlug(file.name) }))];
}

export const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function untilReady(id: number, traceId: string, onReady: (traceId: string) => void): Promise<void> {
  change(id, { state: "processing", traceId, cancel: null });
  try {
    for (;;) {
      const detail = await api.detail(traceId);
      if (detail.status !== "queued") {
        change(id, { state: "ready", status: detail.status });
        return onReady(traceId);
      }
      await wait(POLL_MS);
    }
  } catch (error) {
    change(id, { state: "failed", problem: errorText(error) });
  }
}

interface Chosen {
  file: File;
  /** Of a trace's scenario; null for a report. */
  slug: string | null;
  /** The run that it is a shard of. */
  run?: SharedRun | null;
}

interface Sent extends Chosen {
  id: number;
}

/** What the server made of a file; null when nothing. */
type Made = { traceId: string } | { testRun: string } | null;

function send({ id, file, slug, run }: Sent, done: (made: Made) => void): void {
  const request = new XMLHttpRequest();
  const startedAt = performance.now();
  const body = new FormData();
  if (slug === null) {
    if (run) {
      body.set("ci", JSON.stringify({ provider: "blob-report", run_id: run.id }));
      body.set("shard", JSON.stringify(run.shard));
    }
    body.set("report", file, file.name);
  } else {
    body.set("scenario_slug", slug);
    body.set("bundle", file, file.name);
  }
  const fail = (error: ApiError): void => {
    change(id, { state: "failed", problem: error.message, cancel: null });
    done(null);
  };
  request.upload.onprogress = (event) => {
    const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
    change(id, { sent: event.loaded, rate: event.loaded / seconds });
  };
  request.onload = () => {
    if (request.status < 200 || request.status > 299)
      return fail(toApiError(request.status, request.responseText));
    const answer: unknown = JSON.parse(request.responseText);
    const known = answer && typeof answer === "object" ? answer : {};
    if ("trace_id" in known) return done({ traceId: String(known.trace_id) });
    if ("test_run_id" in known && "short_id" in known) return done({ testRun: String(known.short_id) });
    fail(new ApiError(request.status, "internal", "The server's answer names no trace."));
  };
  request.onerror = () =>
    fail(
      new ApiError(
        0,
        "unreachable",
        "The connection was lost before the file had arrived. Nothing was stored.",
      ),
    );
  request.onabort = () => {
    change(id, { state: "cancelled", cancel: null });
    done(null);
  };
  request.open("POST", slug === null ? "/v1/test-runs/ingest" : "/v1/traces/ingest");
  change(id, { state: "sending", cancel: () => request.abort() });
  request.send(body);
}

/**
 * Uploads one after the other; each becomes ready on its own. `onReady` is told the address of each page as it does.
 * @param chosen reports have no slug
 */
export async function startUploads(
  chosen: readonly Chosen[],
  onReady: (href: string) => void,
): Promise<void> {
  const queue = chosen.map((one): Sent => {
    lastId += 1;
    return { ...one, id: lastId };
  });
  uploads.value = [
    ...uploads.value,
    ...queue.map(({ id, file, slug }): Upload => {
      const cancel = () => change(id, { state: "cancelled", cancel: null });
      return {
        id,
        name: file.name,
        size: file.size,
        slug,
        state: "waiting",
        sent: 0,
        rate: 0,
        traceId: null,
        status: null,
        testRun: null,
        problem: null,
        cancel,
      };
    }),
  ];
  for (const one of queue) {
    const { id } = one;
    if (uploads.value.find((upload) => upload.id === id)?.state !== "waiting") continue;
    const made = await new Promise<Made>((resolve) => send(one, resolve));
    if (made && "traceId" in made)
      void untilReady(id, made.traceId, (traceId) => onReady(`/traces/${traceId}`));
    if (made && "testRun" in made) {
      change(id, { state: "ready", testRun: made.testRun, cancel: null });
      onReady(`/test-runs/${made.testRun}`);
    }
  }
}

export function clearFinished(): void {
  uploads.value = uploads.value.filter((upload) =>
    ["waiting", "sending", "processing"].includes(upload.state),
  );
}

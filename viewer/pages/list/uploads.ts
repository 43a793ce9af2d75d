import { signal } from "@preact/signals";
import type { TraceStatus } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { ApiError, errorText, toApiError } from "../../api/request.ts";

export type UploadState = "waiting" | "sending" | "processing" | "ready" | "failed" | "cancelled";

export interface Upload {
  id: number;
  name: string;
  size: number;
  slug: string;
  state: UploadState;
  sent: number;
  /** Bytes per second, averaged since the start. */
  rate: number;
  traceId: string | null;
  status: TraceStatus | null;
  problem: string | null;
  cancel: (() => void) | null;
}

export const uploads = signal<readonly Upload[]>([]);
/** Files that were dropped or picked and wait for their scenario. */
export const asked = signal<readonly File[]>([]);

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
    .replace(/^-+|-+$/g, "")
    .slice(0, 64)
    .replace(/-+$/, "");
  return slug === "" || slug === "trace" || slug === "bundle" ? "uploads" : slug;
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

function send(id: number, file: File, slug: string, done: (traceId: string | null) => void): void {
  const request = new XMLHttpRequest();
  const startedAt = performance.now();
  const body = new FormData();
  body.set("scenario_slug", slug);
  body.set("bundle", file, file.name);
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
    const hasId = answer && typeof answer === "object" && "trace_id" in answer;
    if (!hasId) return fail(new ApiError(request.status, "internal", "The server's answer names no trace."));
    done(String(answer.trace_id));
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
  request.open("POST", "/v1/traces/ingest");
  change(id, { state: "sending", cancel: () => request.abort() });
  request.send(body);
}

/** Uploads one after the other; each becomes ready on its own. `onReady` is told the trace ids as they do. */
export async function startUploads(
  chosen: { file: File; slug: string }[],
  onReady: (traceId: string) => void,
): Promise<void> {
  const queue = chosen.map(({ file, slug }) => {
    lastId += 1;
    return { id: lastId, file, slug };
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
        problem: null,
        cancel,
      };
    }),
  ];
  for (const { id, file, slug } of queue) {
    if (uploads.value.find((upload) => upload.id === id)?.state !== "waiting") continue;
    const traceId = await new Promise<string | null>((resolve) => send(id, file, slug, resolve));
    if (traceId) void untilReady(id, traceId, onReady);
  }
}

export function clearFinished(): void {
  uploads.value = uploads.value.filter((upload) =>
    ["waiting", "sending", "processing"].includes(upload.state),
  );
}

import { afterAll, beforeAll } from "bun:test";
import { lines, options } from "../server/trace/format/playwright-harness.ts";
import { makeZip } from "../store/archives/zip-maker.ts";
import type { TestApp } from "./app.ts";
import { closeBrowser } from "./browser.ts";
import { getJson, pathOf } from "./traces.ts";
import { type ViewerApp, viewerApp } from "./viewer.ts";

export interface Snapshot {
  name: string;
  phase: string | null;
  page: string;
  frame: string;
  is_main_frame: boolean;
  url: string;
  viewport: { width: number; height: number } | null;
  html_url: string;
}
export interface DomEvent {
  snapshot: string;
  page: string;
  frame: string;
  phase: string;
  is_main_frame: boolean;
}

/** The server that a test file asks for recorded pages, from its first test to its last. */
export function recordedPages() {
  let viewer: ViewerApp;

  beforeAll(async () => {
    viewer = await viewerApp({
      settings: { auto_pin_failed: false, retention: { hot_days: 2, warm_days: 5, blob_grace_days: 3 } },
    });
  });

  afterAll(async () => {
    await closeBrowser();
    await viewer.close();
  });

  async function snapshotEvents(id: string): Promise<DomEvent[]> {
    const path = `/v1/traces/${id}/events?kind=dom.snapshot&limit=1000`;
    return (await getJson<{ events: DomEvent[] }>(viewer.app, path)).events;
  }

  const pathFor = (id: string, { snapshot, page, frame }: DomEvent) =>
    `/v1/traces/${id}/snapshots/${encodeURIComponent(snapshot)}?${new URLSearchParams({ page, frame })}`;

  /** A snapshot with links that open on the socket. */
  async function show(path: string): Promise<Snapshot> {
    // Requests are counted by the second.
    viewer.app.clock.advance(1000);
    const response = await viewer.app.api(path, { headers: { host: new URL(viewer.base).host } });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Snapshot;
  }

  /** Without a credential, as a sandboxed page asks. */
  const open = (url: string) => viewer.app.api(pathOf(url), { headers: { authorization: "" } });

  const ingestMade = (events: unknown[], resources?: Record<string, string>): Promise<string> =>
    ingestArchive(viewer.app, events, resources);

  return { viewer: () => viewer, snapshotEvents, pathFor, show, open, ingestMade };
}

/** Uploads an archive made of trace lines and resources. */
export async function ingestArchive(
  app: TestApp,
  events: unknown[],
  resources: Record<string, string> = {},
): Promise<string> {
  const members = Object.entries({ "trace.trace": lines({ ...options }, ...events), ...resources });
  const zip = makeZip(members.map(([name, content]) => ({ name, content: Buffer.from(content) })));
  const form = new FormData();
  form.set("scenario_slug", "made");
  form.set("bundle", new File([zip as Uint8Array<ArrayBuffer>], "trace.zip"));
  const response = await app.api("/v1/traces/ingest", { method: "POST", body: form });
  if (response.status !== 200) throw new Error(await response.text());
  await app.runJobs();
  return ((await response.json()) as { trace_id: string }).trace_id;
}

export const textOf = (html: string) =>
  html
    .replace(/<style[\s\S]*?<\/style>/gi, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

export const snapshotLine = (html: unknown, more: Record<string, unknown> = {}) => ({
  type: "frame-snapshot",
  snapshot: {
    callId: "call@1",
    phase: "after",
    pageId: "page@1",
    frameId: "frame@1",
    frameUrl: "http://shop.test/",
    doctype: "html",
    html,
    viewport: { width: 600, height: 400 },
    timestamp: 2000,
    resourceOverrides: [],
    isMainFrame: true,
    ...more,
  },
});
export const resourceLine = (
  url: string,
  file: string,
  mimeType: string,
  more: Record<string, unknown> = {},
) => ({
  type: "resource-snapshot",
  snapshot: {
    _frameref: "frame@1",
    _monotonicTime: 1500,
    startedDateTime: "2023-11-14T22:13:20.000Z",
    time: 1,
    request: { url, method: "GET", headers: [] },
    response: { status: 200, headers: [], content: { _file: file, mimeType, size: 1 } },
    ...more,
  },
});

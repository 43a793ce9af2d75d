import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { moveDown } from "../../../server/trace/tiers/down.ts";
import { restoreTrace } from "../../../server/trace/tiers/restore.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256, zstd } from "../../helpers/bundles.ts";
import { getJson, pathOf, post, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(120_000);

const BODY = JSON.stringify({ total: "needle in a body" });
const VIDEO = Buffer.concat([Buffer.from("1a45dfa3", "hex"), Buffer.alloc(300_000, 3)]);

let app: TestApp;
let id: string;
let other: string;
/** Lines of the log before the test. */
let logged: number;
beforeAll(async () => {
  app = await testApp({ settings: { auto_pin_failed: false } });
  ({ id: other } = await uploadTrace(app));
  await makeTrace();
});
afterAll(() => app.close());
beforeEach(() => {
  logged = app.logged.length;
});
// The next test finds the trace where this one did.
afterEach(async () => {
  openAsEver();
  if ((await getJson(app, `/v1/traces/${id}`)).tier !== "hot") await restored();
});

async function makeTrace(): Promise<void> {
  const lines = eventLines(40, (seq) => {
    const request_id = `r${seq}`;
    if (seq % 4 === 0) return { kind: "network.request", request_id, method: "POST", url: "http://a.test/" };
    if (seq % 4 === 1)
      return {
        kind: "network.response",
        request_id: `r${seq - 1}`,
        url: "http://a.test/",
        status: 500,
        headers: [],
        body: `sha256:${sha256(BODY)}`,
        media_type: "application/json",
      };
    return {};
  });
  const entries = [
    events(lines),
    blob(BODY),
    { name: "rrweb.ndjson.zst", content: zstd(Buffer.from('{"type":4,"timestamp":1,"data":{}}\n')) },
    { name: "video.webm", content: VIDEO },
  ];
  ({ id } = await uploadTrace(app, { entries }));
  await post(app, `/v1/traces/${id}/share`, { visibility: "public-read" });
}

const errors = () => app.logged.slice(logged).filter((line) => line.includes('"level":"error"'));

let openAsEver = (): void => {};
/** Lets something happen between the moment that a read has looked up where files lie and the moment it opens the first. */
function beforeOpening(happen: () => Promise<void>): { hasHappened: () => boolean } {
  const { files, events } = app.deps.store;
  const { tasks } = app.deps;
  const { open, read, stream } = files;
  const openEvents = events.open;
  const run = tasks.run;
  let happening: Promise<void> | null = null;
  openAsEver = () => {
    Object.assign(files, { open, read, stream });
    events.open = openEvents;
    tasks.run = run;
  };
  const once = () => {
    if (happening === null) {
      openAsEver();
      happening = happen();
    }
    return happening;
  };
  files.open = (...given) => once().then(() => open(...given));
  files.read = (...given) => once().then(() => read(...given));
  files.stream = (...given) => {
    let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
    return new ReadableStream({
      async pull(controller) {
        await once();
        reader ??= stream(...given).getReader();
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
  };
  events.open = (...given) => once().then(() => openEvents(...given));
  tasks.run = ((...given: Parameters<typeof run>) => once().then(() => run(...given))) as typeof run;
  return { hasHappened: () => happening !== null };
}

const moved = (to: "warm" | "cold") => async () => {
  await moveDown(app.deps, id, to);
  await app.runJobs();
  expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({ tier: to });
};
const restored = async () => {
  await restoreTrace(app.deps, id, new AbortController().signal);
  await app.runJobs();
  expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({ tier: "hot" });
};

/** Every read of a trace's files, by what it is of. */
async function reads(): Promise<Record<string, string>> {
  const { signed_urls } = await getJson(app, `/v1/traces/${id}`);
  const { headers } = await app.api(`/v1/traces/${id}/blob/${sha256(BODY)}`);
  const { short_id } = await getJson(app, `/v1/traces/${id}`);
  return {
    events: `/v1/traces/${id}/events`,
    "shared events": `/r/${short_id}/events`,
    stream: `/v1/traces/${id}/stream`,
    report: `/v1/traces/${id}/report.md`,
    prompt: `/v1/traces/${id}/prompt.md`,
    har: `/v1/traces/${id}/har`,
    find: `/v1/traces/${id}/find?q=needle`,
    recording: `/v1/traces/${id}/recording`,
    "share check": `/v1/traces/${id}/share/check`,
    diff: `/v1/traces/diff?a=${id}&b=${other}`,
    "diff the other way": `/v1/traces/diff?a=${other}&b=${id}`,
    "event file": pathOf(signed_urls.ndjson!),
    video: pathOf(signed_urls.video!),
    blob: pathOf(headers.get("location")!),
    bundle: `/v1/traces/${id}/export`,
    page: `/v1/traces/${id}/export.html`,
  };
}

const NAMES = [
  ...[
    "events",
    "shared events",
    "stream",
    "report",
    "prompt",
    "har",
    "find",
    "recording",
    "share check",
    "diff",
  ],
  ...["diff the other way", "event file", "video", "blob", "bundle", "page"],
];

/** Without what the moment and the tier put into it. */
async function answer(path: string): Promise<string> {
  const response = await app.api(path, { headers: { accept: "application/json" } });
  const bytes = await response.bytes();
  if (response.status !== 200) return `${response.status} ${Buffer.from(bytes)}`;
  const isBundle = path.endsWith("/export");
  if (isBundle) return `200 ${sha256(Bun.zstdDecompressSync(bytes))}`;
  return path.endsWith(".html") ? `200 ${bytes.length > 100_000}` : `200 ${Buffer.from(bytes)}`;
}

describe("a trace that moves while it is read, between looking up its files and opening them", () => {
  test.each(NAMES)("to warm: %s is what it was", async (name) => {
    // Comparisons are remembered: only the first is read from files.
    const isRemembered = name.startsWith("diff");
    if (isRemembered) await makeTrace();
    const path = (await reads())[name]!;
    const before = isRemembered ? null : await answer(path);
    const move = beforeOpening(moved("warm"));
    const meanwhile = await answer(path);
    expect(move.hasHappened()).toBe(true);
    expect(meanwhile).toStartWith("200 ");
    expect(meanwhile).toBe(before ?? (await answer(path)));
    expect(errors()).toEqual([]);
  });

  test.each(NAMES)("back to hot: %s is what it was", async (name) => {
    const path = (await reads())[name]!;
    const before = await answer(path);
    await moved("warm")();
    beforeOpening(restored);
    expect(await answer(path)).toBe(before);
    expect(errors()).toEqual([]);
  });

  test.each(NAMES)("to cold: %s says so, or is what it was", async (name) => {
    const path = (await reads())[name]!;
    const before = await answer(path);
    await moved("warm")();
    beforeOpening(moved("cold"));
    const after = await answer(path).catch((error: Error) => `cut ${error.name}`);
    if (after !== before) expect(after).toMatch(/^(?:409 .*"not_hot"|404 |200 |cut )/);
    expect(after).not.toMatch(/^50/);
  });
});

test("files that are being sent stay whole when their trace moves and its old files go", async () => {
  for (const name of ["video", "event file", "blob", "bundle", "har"]) {
    const path = (await reads())[name]!;
    const before = await answer(path);
    const response = await app.api(path);
    const reader = response.body!.getReader();
    const first = await reader.read();
    await moved("warm")();
    const chunks = [first.value!];
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    const bytes = Buffer.concat(chunks);
    const whole = name === "bundle" ? sha256(Bun.zstdDecompressSync(bytes)) : bytes.toString();
    expect([name, `200 ${whole}` === before]).toEqual([name, true]);
    await restored();
  }
});

test("a file that is damaged is told as before, once and with its cause in the log", async () => {
  await makeTrace();
  const { video } = await reads();
  await Bun.write(`${app.store.layout.trace(id)}/video.webm`, "short");
  const response = await app.api(video!);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    error: "unavailable",
    message: expect.stringContaining("video.webm"),
  });
  expect(errors()).toHaveLength(1);
});

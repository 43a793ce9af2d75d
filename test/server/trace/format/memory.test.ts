import { fullGC, heapStats } from "bun:jsc";
import { expect, setDefaultTimeout, test } from "bun:test";
import { createRunReader } from "../../../../server/trace/format/cause/run/run-reader.ts";
import { createCoverage } from "../../../../server/trace/format/coverage.ts";
import { createFactReader } from "../../../../server/trace/format/diff/facts.ts";
import { readEvent, type TraceEvent } from "../../../../server/trace/format/event.ts";
import { createSearchText } from "../../../../server/trace/format/search-text.ts";
import { createSummaryBuilder } from "../../../../server/trace/format/summary-builder.ts";
import { createReferences } from "../../../../server/trace/process/references.ts";

setDefaultTimeout(120_000);

const MB = 1_000_000;
/** As long as a text within an event may be. */
const LONG = 256 * 1024;
const LINES = 420;

const long = "x".repeat(LONG - 20);
const many = (count: number) => Array.from({ length: count }, () => long);

/** What somebody may send who means ill: a hundred megabytes of each pack into some kilobytes. */
const SENT: Record<string, (at: number) => Record<string, unknown>> = {
  "params of steps": () => ({ kind: "agent.action", step_id: "s", name: "n", params: { value: long } }),
  "nested params": () => ({
    kind: "agent.action",
    step_id: "s",
    name: "n",
    params: { value: { deep: long } },
  }),
  "words of steps": (at) => ({
    kind: "agent.action",
    step_id: `s${at}`,
    name: `${at} ${long}`,
    title: `${at} ${long}`,
    stack: [{ file: long, line: 1, column: 1, source: long, function: long }],
    log: many(1),
    error: { message: `${at} ${long}`, stack: long },
    page: `${at} ${long}`,
    parent_step_id: `${at} ${long}`,
  }),
  "a passing step's words": (at) => ({ kind: "agent.action", step_id: `s${at}`, name: `${at} ${long}` }),
  "fields of a page": () => ({ kind: "page.dialog", message: long, other: [long] }),
  requests: (at) => ({
    kind: "network.request",
    request_id: `${at}${long}`,
    url: `https://shop/${at}${long}`,
    headers: [{ name: "x-own", value: long }],
  }),
  answers: (at) => ({
    kind: "network.response",
    request_id: `${at}`,
    url: `https://shop/${at}`,
    status: 500,
    error: long,
    headers: [{ name: "location", value: long }],
  }),
  "console lines": (at) => ({ kind: "console.error", text: `${at} ${long}`, stack: long, source: long }),
  "messages of sockets": (at) => ({
    kind: "network.websocket_frame",
    request_id: `${at}${long}`,
    direction: "received",
    text: long,
  }),
  pages: (at) => ({
    kind: "dom.snapshot",
    url: `https://shop/${at}${long}`,
    html: long,
    page: `${at}${long}`,
  }),
  changes: (at) => ({ kind: "dom.mutation", target: `${at}${long}`, text: long, adds: [long] }),
  "stored entries": (at) => ({
    kind: "storage.state",
    cookies: [{ name: `${at}${long}`, domain: long, value: long }],
    origins: [{ origin: long, local_storage: [{ name: long, value: long }] }],
  }),
  clones: (at) => ({
    kind: "clone.state",
    service: `${at}${long}`,
    key: long,
    before: long,
    after: { long },
  }),
  faults: (at) => ({ kind: "error_injection", url: `https://shop/${at}${long}`, status: 500 }),
  references: (at) => ({ kind: "note", blob: `sha256:${String(at).padStart(64, "0")}`, beside: long }),
  pictures: (at) => ({
    kind: "screenshot",
    blob: `sha256:${String(at).padStart(64, "0")}`,
    page: `${at}${long}`,
    width: 1,
    height: 1,
  }),
};

/** Whoever reads the events of a trace from its beginning to its end. */
function readers(): ((event: TraceEvent, line: string) => unknown)[] {
  const [run, facts, search, references, coverage] = [
    createRunReader(),
    createFactReader(),
    createSearchText(),
    createReferences(),
    createCoverage(),
  ];
  const summary = createSummaryBuilder({
    title: "t",
    scenarioSlug: "t",
    claimedStatus: "failed",
    startedAt: null,
    endedAt: null,
    environment: {},
    warnings: [],
    redactionCount: 0,
    finalScreenshot: null,
  });
  return [
    run.add,
    facts.add,
    search.add,
    coverage.add,
    summary.add,
    (event, line) => references.add(line, event),
  ];
}

test.each(Object.keys(SENT))("%s of any size take little memory", (what) => {
  const held = readers();
  fullGC();
  const before = heapStats().heapSize;
  for (let at = 0; at < LINES; at++) {
    const line = JSON.stringify({ seq: at, ts: at, ...SENT[what]!(at) });
    for (const add of held) add(readEvent(line), line);
  }
  fullGC();
  const grown = heapStats().heapSize - before;
  expect(held.length).toBe(6);
  expect(grown).toBeLessThan(100 * MB);
});

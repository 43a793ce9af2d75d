import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TraceEvent } from "../../server/trace/format/event.ts";
import type { EventPage } from "../../viewer/api/answers.ts";
import { withQuery } from "../../viewer/api/request.ts";
import { eventsBetween, memberTrace, type TraceSource } from "../../viewer/api/trace-source.ts";
import { createPagedEvents } from "../../viewer/trace/model/paged.ts";
import { createRows } from "../../viewer/trace/model/rows.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { longLine, traceWithLines } from "../helpers/old-events.ts";
import { getJson } from "../helpers/traces.ts";
import { until } from "../helpers/until.ts";

const COUNT = 12;
const LINE = 3 * 1024 * 1024;

let app: TestApp;
let source: TraceSource;
let asked = 0;
beforeAll(async () => {
  app = await testApp();
  const { id } = await traceWithLines(
    app,
    Array.from({ length: COUNT }, (_, seq) => longLine(seq, LINE)),
  );
  source = {
    ...memberTrace(id),
    events(query) {
      asked += 1;
      return getJson<EventPage>(app, withQuery(`/v1/traces/${id}/events`, query));
    },
  };
}, 60_000);
afterAll(() => app.close());

const all = Array.from({ length: COUNT }, (_, seq) => seq);

test("a list reads on where the server ends a page before its limit", async () => {
  const { events, total } = await eventsBetween(source, {}, { offset: 2, limit: 7 });
  expect([total, ...events.map(({ seq }) => seq)]).toEqual([COUNT, ...all.slice(2, 9)]);
  asked = 0;
  const list = createPagedEvents(source, {});
  await until("the page is there", () => list.version.value > 0 || list.error.value !== null);
  expect(all.map((index) => list.get(index)?.seq)).toEqual(all);
  expect(list.total.value).toBe(COUNT);
  expect(asked).toBe(COUNT / 2);
  list.dispose();
}, 60_000);

test("a table of rows takes every event of its kinds", async () => {
  const seqs: number[] = [];
  const rows = createRows<number>(source, "console.*", () => true, {
    add: (event: TraceEvent) => void seqs.push(event.seq),
    snapshot: () => [...seqs],
  });
  rows.ensure();
  await until("all are read", () => rows.state.value === "ready" || rows.state.value === "error");
  expect(rows.rows.value).toEqual(all);
  expect(rows.progress.value).toEqual({ read: COUNT, total: COUNT });
  rows.dispose();
}, 60_000);

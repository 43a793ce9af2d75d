import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { FindAnswer } from "../../../server/trace/find/model.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { fileNamed } from "../../helpers/trace-files.ts";
import { getJson } from "../../helpers/traces.ts";
import { recorded } from "../../helpers/viewer.ts";
import { makeZip } from "../../store/archives/zip-maker.ts";
import { after, before, lines, options } from "./format/playwright-harness.ts";

setDefaultTimeout(30_000);

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: { reads_per_minute: 100_000 } } });
});
afterAll(() => app.close());

type Found = Omit<FindAnswer, "hits"> & {
  hits: (FindAnswer["hits"][number] & { event: { snapshot?: string; frame?: string } })[];
};
const find = (id: string, query: string) => getJson<Found>(app, `/v1/traces/${id}/find?${query}`);

/** Everything there is, over as many answers as it takes. */
async function findAll(id: string, query: string): Promise<Found[]> {
  const answers: Found[] = [];
  for (let next: string | null = ""; next !== null; next = answers.at(-1)!.next)
    answers.push(await find(id, next ? `${query}&after=${next}` : query));
  return answers;
}

async function upload(archive: Uint8Array | Blob): Promise<string> {
  const form = new FormData();
  form.set("scenario_slug", "made");
  form.set("bundle", new File([archive as Uint8Array<ArrayBuffer>], "trace.zip"));
  const response = await app.api("/v1/traces/ingest", { method: "POST", body: form });
  if (response.status !== 200) throw new Error(await response.text());
  await app.runJobs();
  return ((await response.json()) as { trace_id: string }).trace_id;
}

const page = (callId: string, phase: string, timestamp: number, html: unknown, frame = "frame@1") => ({
  type: "frame-snapshot",
  snapshot: {
    callId,
    phase,
    pageId: "page@1",
    frameId: frame,
    frameUrl: "http://shop.test/",
    html,
    timestamp,
    resourceOverrides: [],
    isMainFrame: frame === "frame@1",
  },
});

const body = (...children: unknown[]) => ["HTML", {}, ["HEAD", {}], ["BODY", {}, ...children]];

describe("a text in the pages of a Playwright archive", () => {
  let id = "";

  beforeAll(async () => {
    const form = [
      "FORM",
      {},
      ["INPUT", { type: "text", placeholder: "Voucher code", __playwright_value_: "ZEBRA-7" }],
      ["INPUT", { type: "password", __playwright_value_: "hunter2zebra" }],
      ["IMG", { src: "data:image/png;base64,zebra", alt: 'Two "zebras" at a lake', "data-lion": "<zebra>" }],
    ];
    const events = [
      before("call@1", 1100),
      page("call@1", "before", 1101, body(["P", {}, "Nothing yet"], ["STYLE", {}, ".zebra{color:red}"])),
      page("call@1", "after", 1150, body(["H1", {}, "A zebra,\n      then another zebra"], form)),
      // What has not changed is only referred to.
      page("call@1", "after", 1151, ["HTML", {}, ["BODY", {}, "framed zebra"]], "frame@2"),
      after("call@1", 1160),
      before("call@2", 1200),
      page(
        "call@2",
        "before",
        1201,
        body(["IMG", { "data-lion": "<zebra>" }], "An element with something new in it"),
      ),
      page("call@2", "after", 1250, body([[2, 5]], ["P", { title: "zebra gone" }, "Ünïcode zebra"])),
      after("call@2", 1260),
    ];
    const text = lines({ ...options }, ...events);
    id = await upload(makeZip([{ name: "trace.trace", content: Buffer.from(text) }]));
  });

  const told = ({ hits }: Found) =>
    hits.map(({ event, field, count }) => [event.snapshot, event.frame, field, count]);

  test("is found where it came, with the step and the moment of that page", async () => {
    const found = await find(id, "q=zebra");
    expect(told(found)).toEqual([
      ["after@call@1", "frame@1", "<h1>", 5],
      ["after@call@1", "frame@2", "<body>", 1],
      ["after@call@2", "frame@1", "<p>", 2],
    ]);
    const { events } = await getJson<{ events: { seq: number; step_id: string; snapshot: string }[] }>(
      app,
      `/v1/traces/${id}/events?kind=dom.snapshot`,
    );
    const event = events.find(({ snapshot }) => snapshot === "after@call@1")!;
    expect(found.hits[0]).toMatchObject({
      event: { seq: event.seq, step_id: event.step_id, phase: "after", page: "page@1", is_main_frame: true },
      reference: null,
      place: null,
      media_type: "text/html",
      excerpt: { before: "A ", match: "zebra", after: ",\n      then another zebra" },
    });
    expect(found).toMatchObject({ pages_searched: 5, pages_total: 5, unreadable: 0, next: null });
  });

  test.each([
    ["white space is one space, as on the screen", "a zebra, then another", "<h1>"],
    ["what was typed into a field is found", "ZEBRA-7", "value"],
    ["an attribute is found by its value", "voucher code", "placeholder"],
    ["quotes and signs of markup are plain text", 'two "zebras" at', "alt"],
    ["and so are these", "<zebra>", "data-lion"],
    ["letters beyond a to z are found", "nïcode zeb", "<p>"],
    ["a capital makes it exact", "Nothing yet", "<p>"],
  ])("%s", async (_, text, field) => {
    const { hits } = await find(id, `q=${encodeURIComponent(text)}`);
    expect(hits.map((hit) => hit.field)).toEqual([field]);
  });

  test.each([
    ["what a password field holds", "hunter2"],
    ["rules of style sheets", "color:red"],
    ["bytes of pictures", "png;base64"],
    ["names of elements and attributes", "data-lion"],
    ["another case than the capital's", "nothing Yet"],
    ["white space alone", "%20%20"],
  ])("%s is not found", async (_, text) => {
    expect((await find(id, `q=${text}`)).hits).toEqual([]);
  });

  test("is passed over when its part of the recording is damaged, which is told", async () => {
    const other = await upload(Bun.file(recorded("v10-failing")));
    const path = fileNamed(app.store.layout.trace(other), TRACE_FILES.snapshots);
    const whole = await find(other, "q=checkout");
    expect(whole.hits.length).toBeGreaterThan(0);
    const bytes = new Uint8Array(await Bun.file(path).arrayBuffer());
    bytes.fill(7, 0, 64);
    await Bun.write(path, bytes);
    expect(await find(other, "q=checkout")).toMatchObject({ unreadable: 1, next: null });
    await Bun.write(path, bytes.subarray(0, 100));
    expect(await find(other, "q=checkout")).toMatchObject({ pages_total: 0, unreadable: 1 });
  });

  test("no place that is none is looked at", async () => {
    for (const after of ["pages.x", "bodies.-1", "elsewhere.1", "1"])
      expect((await app.api(`/v1/traces/${id}/find?q=a&after=${after}`)).status).toBe(400);
    expect((await find(id, "q=zebra&after=pages.99999")).hits).toEqual([]);
  });
});

test("long recordings are searched in parts, each of them once", async () => {
  const padding = "lorem ipsum ".repeat(3000);
  const events = Array.from({ length: 60 }, (_, step) => [
    before(`call@${step}`, 1100 + step * 10),
    page(`call@${step}`, "after", 1105 + step * 10, body(["P", {}, padding], ["B", {}, `needle ${step}`])),
    after(`call@${step}`, 1107 + step * 10),
  ]).flat();
  const text = lines({ ...options }, ...events);
  const id = await upload(makeZip([{ name: "trace.trace", content: Buffer.from(text) }]));
  const answers = await findAll(id, "q=needle&limit=5");
  expect(answers.length).toBeGreaterThan(1);
  expect(answers[0]!.next).toStartWith("pages.");
  const names = answers.flatMap(({ hits }) => hits.map(({ event }) => event.snapshot));
  expect(names).toEqual(Array.from({ length: 60 }, (_, step) => `after@call@${step}`));
  expect(answers.at(-1)).toMatchObject({ pages_searched: 60, pages_total: 60 });
});

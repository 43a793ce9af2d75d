import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

const counted = async (steps: string[]) => {
  const { traceId, status } = await lab.run(steps);
  expect(status).toBe("passed");
  return (await lab.events(traceId))
    .filter(({ kind, target }) => kind === "dom.mutation" && target === "span#count")
    .map(({ adds, step_id }) => ({ adds, step_id }));
};

test("a change belongs to the step in which it happened, not to the one that goes on when it is told", async () => {
  const told = await counted([
    'go to "/"',
    'click testid "add-beans"',
    'expect text "Cart (1)"',
    "wait 300ms",
  ]);
  expect(told).toMatchObject([{ adds: ["1"], step_id: expect.stringMatching(/^s[23]$/) }]);
});

test("a change that a page made just before it was left is recorded", async () => {
  const told = await counted([
    'go to "/"',
    'click testid "add-beans"',
    'expect text "Cart (1)"',
    'go to "/cart"',
  ]);
  expect(told).toMatchObject([{ adds: ["1"] }]);
});

test("the recording of the page has what the last step changed", async () => {
  const html = `<button onclick="document.body.append('Changed')">Change</button>`;
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(html, { headers: { "content-type": "text/html" } }),
  });
  const known = lab.sink((path, init) => lab.app.api(path, init));
  const recordings: string[] = [];
  const sink: CaptureSink = {
    ...known,
    async artifact(kind, bytes) {
      if (kind === "rrweb")
        recordings.push(String(Buffer.from(await Bun.zstdDecompress(await bytes.bytes()))));
      await known.artifact(kind, bytes);
    },
  };
  try {
    // Within a tenth of a second of the end is where changes would be lost.
    for (let run = 0; run < 4; run++)
      await lab.run(['go to "/"', 'click button "Change"'], { baseUrl: site.url.origin, sink });
  } finally {
    await site.stop(true);
  }
  expect(recordings.map((text) => text.includes('"textContent":"Changed"'))).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test("what scripts change without touching the tree is in the recording: values, rules of sheets, late shadow trees", async () => {
  const html = `<style id=sheet></style><input id=name><input id=secret type=password><input id=box type=checkbox><div id=host></div>
    <button onclick="setTimeout(() => {
      document.querySelector('#name').value = 'Set by a script';
      document.querySelector('#secret').value = 'hunt' + 'er2';
      document.querySelector('#box').checked = true;
      document.querySelector('#sheet').sheet.insertRule('.quiet { color: rgb(1, 2, 3); }');
      document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<b>Within the shadow</b>';
    }, 50)">Change</button>`;
  const text = await recordingOf(html, ['go to "/"', "wait 300ms", 'click button "Change"', "wait 500ms"]);
  expect(text).toContain('"text":"Set by a script"');
  expect(text).toContain('"isChecked":true');
  expect(text).toContain(".quiet { color: rgb(1, 2, 3); }");
  expect(text).toContain("Within the shadow");
  expect(text).not.toContain("hunter2");
});

test("the recording begins with the first page that a step opens, not with the blank one before it", async () => {
  const text = await recordingOf("<p>First</p>", ["wait 300ms", 'go to "/"', 'expect text "First"']);
  const begun = text.split("\n").map((line) => JSON.parse(line || "{}").data?.href);
  expect(begun.filter(Boolean)).toEqual([expect.stringMatching(/^http:/)]);
});

/** rrweb's events of a run against a page. */
async function recordingOf(html: string, steps: string[]): Promise<string> {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(html, { headers: { "content-type": "text/html" } }),
  });
  const known = lab.sink((path, init) => lab.app.api(path, init));
  let recording = "";
  const sink: CaptureSink = {
    ...known,
    async artifact(kind, bytes) {
      if (kind === "rrweb") recording = String(Buffer.from(await Bun.zstdDecompress(await bytes.bytes())));
      await known.artifact(kind, bytes);
    },
  };
  try {
    expect((await lab.run(steps, { baseUrl: site.url.origin, sink })).error).toBeNull();
  } finally {
    await site.stop(true);
  }
  return recording;
}

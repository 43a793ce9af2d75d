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

test("a page that calls what takes its recording with anything else does not disturb the run", async () => {
  const html = `<script>
    const mine = Object.getOwnPropertyNames(window).filter((name) => /^_[a-z0-9]{16,}$/i.test(name));
    for (const name of mine) for (const junk of ["", "{", "null", '{"type":3,"data":null,"source":0,', '{"type":2,"data":{"node":5}}'])
      try { window[name](junk); } catch {}
    try { window[mine[0]](1, 2); window[mine[0]]({}); } catch {}
    document.title = "Called " + mine.length;
  </script><p id=state>Home</p><button onclick="state.textContent = 'Changed'">Change</button>`;
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(html, { headers: { "content-type": "text/html" } }),
  });
  try {
    const steps = ['go to "/"', 'expect title "Called 1"', 'click button "Change"', 'expect text "Changed"'];
    const { traceId, error } = await lab.run(steps, { baseUrl: site.url.origin });
    expect(error).toBeNull();
    const changes = (await lab.events(traceId, "&kind=dom.mutation")).map(({ target }) => target);
    expect(changes).toContain("p#state");
  } finally {
    await site.stop(true);
  }
});

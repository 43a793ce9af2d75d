import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../../../server/platform/clock.ts";
import { launchBrowser } from "../../../../server/run/browsers/launch.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";
import { getJson, pathOf } from "../../../helpers/traces.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

const CHECKOUT = [
  'go to "/"',
  'click testid "add-beans"',
  'expect text "Cart (1)"',
  'go to "/checkout"',
  'fill field "Email" with "${synthetic.email}"',
  'fill field "Card number" with "4242424242424242"',
  'press "Tab"',
  'wait for request POST "/payments/tokens"',
  'click button "Pay now"',
];

/** The largest difference between two pictures in one colour of one pixel, of 255. */
async function mostApart(pictures: string[]): Promise<number> {
  const page = await lab.owned.browser.newPage();
  try {
    return await page.evaluate(async (addresses) => {
      const [one, other] = await Promise.all(
        addresses.map(async (address) => {
          const image = new Image();
          image.src = address;
          await image.decode();
          const { width, height } = image;
          const drawing = new OffscreenCanvas(width, height).getContext("2d")!;
          drawing.drawImage(image, 0, 0);
          return drawing.getImageData(0, 0, width, height).data;
        }),
      );
      if (one!.length !== other!.length) return 255;
      return one!.reduce((most, value, at) => Math.max(most, Math.abs(value - other![at]!)), 0);
    }, pictures);
  } finally {
    await page.close();
  }
}

describe("a run", () => {
  test("goes through its steps, in frames too, and leaves a trace with everything that happened", async () => {
    const outcome = await lab.run([
      ...CHECKOUT,
      'expect text "Your order number is"',
      'expect request POST "/api/checkout" status 200',
      'expect title "Order confirmed"',
      'expect url "/orders/"',
      'expect hidden button "Pay now"',
    ]);
    expect(outcome).toMatchObject({ status: "passed", error: null });
    const trace = (await (await lab.app.api(`/v1/traces/${outcome.traceId}`)).json()) as Record<
      string,
      unknown
    >;
    expect(trace).toMatchObject({ status: "passed", source: "manual", scenario_slug: "lab" });
    expect(trace.signed_urls).toMatchObject({ rrweb: expect.any(String), ndjson: expect.any(String) });
    expect(trace.final_screenshot).toMatch(/^sha256:/);
    const events = await lab.events(outcome.traceId);
    const kinds = new Set(events.map(({ kind }) => kind));
    for (const kind of [
      "agent.action",
      "agent.thought",
      "assertion",
      "network.request",
      "network.response",
      "console.log",
      "console.info",
      "dom.snapshot",
      "dom.mutation",
      "screenshot",
      "storage.state",
    ])
      expect(kinds).toContain(kind);
    const stored = events.find(({ kind }) => kind === "storage.state");
    expect(stored).toMatchObject({
      step_id: "s1",
      cookies: [{ name: "shop_visitor", value: "[redacted]", path: "/", http_only: true, same_site: "Lax" }],
    });
    const checkout = events.find(
      ({ kind, url }) => kind === "network.response" && String(url).endsWith("/api/checkout"),
    );
    expect(checkout).toMatchObject({ status: 200, step_id: "s9", media_type: "application/json" });
    const pay = events.find(
      ({ kind, name, step_id }) => kind === "agent.action" && name === "click" && step_id === "s9",
    );
    expect(pay).toMatchObject({ title: 'click button "Pay now"', point: { x: expect.any(Number) } });
    const asked = events.find(
      ({ kind, url }) => kind === "network.request" && String(url) === `${lab.shop.url}/`,
    );
    expect(asked?.headers).toContainEqual({ name: "x-synthetic-source", value: "product-monitor" });
  });

  test("fails at the step that does not hold, with what was expected and what was there", async () => {
    const outcome = await lab.run([
      'go to "/?mode=broken"',
      ...CHECKOUT.slice(1),
      'expect text "We could not place your order"',
      'expect text "Your order number is" within 1s',
    ]);
    expect(outcome.status).toBe("failed");
    expect(outcome.error).toMatchObject({ stepId: "s11", reason: null });
    const summary = (await (await lab.app.api(`/v1/traces/${outcome.traceId}/summary`)).json()) as Record<
      string,
      unknown
    >;
    expect(summary.failure).toMatchObject({
      step_id: "s11",
      expected: 'the text "Your order number is"',
      received: expect.stringContaining("We could not place your order"),
    });
    expect(summary.first_bad_request).toMatchObject({ status: 500 });
  });

  test("says of a page that did not come in time how long it was waited for, and nothing twice", async () => {
    const mute = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) });
    const outcome = await lab.run([`go to "${mute.url.href}" within 300ms`]);
    await mute.stop(true);
    expect(outcome.error?.message).toBe(`go to "${mute.url.href}" within 300ms took longer than 0.3 s`);
  });

  test("says what fits when a target is not clear, and what is missing when nothing does", async () => {
    const several = await lab.run(['go to "/"', 'click button "Add to cart"']);
    expect(several.error?.message).toContain('button "Add to cart" fits 6 elements');
    const none = await lab.run(['go to "/"', 'click button "Buy" within 300ms']);
    expect(none.error?.message).toBe('There is no button "Buy" on the page.');
    const near = await lab.run([
      'go to "/"',
      'click button "Add to cart" near heading "Hand grinder"',
      'expect text "Cart (1)"',
      'go to "/cart"',
      'expect text "Hand grinder"',
    ]);
    expect(near.status).toBe("passed");
  });

  test("keeps secrets and passwords out of everything it leaves", async () => {
    const secret = "m0rnings & <more>";
    const outcome = await lab.run(
      [
        'go to "/signin"',
        'fill field "Email" with "ada@example.com"',
        'fill field "Password" with "${secrets.PASSWORD}"',
        'click button "Sign in"',
        'expect text "Sign in"',
      ],
      {
        values: {
          secrets: { PASSWORD: secret },
          synthetic: { email: "a@b.c", name: "A", region: "r", shard: "1" },
        },
      },
    );
    const text = JSON.stringify(await lab.events(outcome.traceId));
    expect(text).not.toContain("m0rnings");
    const signin = (await lab.events(outcome.traceId)).find(
      ({ kind, method }) => kind === "network.request" && method === "POST",
    );
    expect(signin?.body).toContain("password=[redacted]");
    const summary = (await (await lab.app.api(`/v1/traces/${outcome.traceId}/summary`)).json()) as {
      redaction_count: number;
    };
    expect(summary.redaction_count).toBeGreaterThan(0);
  });

  test.each([
    ["a secret without a value", 'fill field "Email" with "${secrets.NONE}"', "value_missing"],
    ["a file that is not there", 'upload "none.png" to field "Email"', "file_missing"],
  ])("is an error, not a failure, for %s", async (_, step, reason) => {
    const outcome = await lab.run(['go to "/signin"', step], { filesFolder: import.meta.dir });
    expect(outcome).toMatchObject({ status: "error", error: { reason, stepId: "s2" } });
    const steps = await lab.events(outcome.traceId, "&kind=agent.action");
    expect(steps.at(-1)).toMatchObject({ step_id: "s2", error: { message: outcome.error!.message } });
  });

  test.each([
    ["filled in", ['fill field "Email" with "${secrets.CODE}"']],
    ["typed where the focus is", ['click field "Email"', 'type "${secrets.CODE}"']],
  ])("shows dots in its pictures where a secret is %s", async (_, steps) => {
    // On a busy machine the last picture takes longer than a run waits for it, and the film's newest stands in for it.
    const patient = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms * 20, signal),
    };
    const pictures: string[] = [];
    for (const CODE of ["m0rnings-and-more", "evenings-and-less"]) {
      const { traceId, status } = await lab.run(
        [
          'go to "/signin"',
          ...steps,
          'click heading "Sign in"',
          'expect value "${secrets.CODE}" in field "Email"',
        ],
        {
          clock: patient,
          values: {
            secrets: { CODE },
            synthetic: { email: "a@b.c", name: "A", region: "r", shard: "1" },
          },
        },
      );
      expect(status).toBe("passed");
      const { final_screenshot } = await getJson(lab.app, `/v1/traces/${traceId}`);
      expect(final_screenshot).toMatch(/^sha256:/);
      const hash = String(final_screenshot).slice(7);
      const { headers } = await lab.app.api(`/v1/traces/${traceId}/blob/${hash}`);
      const picture = await lab.app.api(pathOf(headers.get("location")!));
      pictures.push(`data:image/jpeg;base64,${Buffer.from(await picture.bytes()).toString("base64")}`);
    }
    // A page that was painted piece by piece differs from one that was painted at once by 3 of 255; a glyph does by 100 and more.
    expect(await mostApart(pictures)).toBeLessThan(16);
  });

  test("sends requests through its region's proxy, also those without the mark of a synthetic user", async () => {
    let asked = 0;
    const proxy = createServer((_, response) => {
      asked += 1;
      response.end("from the proxy");
    });
    proxy.on("connect", (_, socket) => {
      asked += 1;
      socket.end("HTTP/1.1 502 No\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    const region = { proxy: `http://127.0.0.1:${port}` };
    try {
      await lab.run(['request GET "/"'], { region, excludeOrigins: [new URL(lab.shop.url).origin] });
      expect(asked).toBe(1);
    } finally {
      proxy.close();
    }
  });

  test("moves the page's clock, and puts faults between the page and its server", async () => {
    const outcome = await lab.run([
      'inject error 503 on "**/api/recommendations"',
      'go to "/"',
      "advance clock by 2h",
      'expect request "/api/recommendations" status 503',
      "clear injections",
      'request GET "/api/recommendations" status 200',
      'set first to response "/names/0"',
    ]);
    expect(outcome).toMatchObject({ status: "passed" });
    const events = await lab.events(outcome.traceId);
    expect(events.find(({ kind }) => kind === "clock.advance")).toMatchObject({ by_ms: 7_200_000 });
    expect(events.find(({ kind }) => kind === "error_injection")).toMatchObject({ status: 503 });
    expect(events.some(({ kind, text }) => kind === "console.warning" && String(text).includes("503"))).toBe(
      true,
    );
  });

  test("is an error, not a failure, when its browser dies; the trace keeps what happened until then", async () => {
    const other = await lab.run(['go to "/"', "wait 100ms"]);
    expect(other.status).toBe("passed");
    const mortal = await launchBrowser({ executable: null });
    const outcome = await lab.run(['go to "/"', "wait 60s"], {
      browser: mortal.browser,
      onProgress: (progress) => {
        if (progress.type === "step" && progress.step.id === "s2") mortal.kill();
      },
    });
    expect(outcome).toMatchObject({ status: "error", error: { reason: "browser_crashed" } });
    const events = await lab.events(outcome.traceId);
    expect(events.some(({ step_id }) => step_id === "s1")).toBe(true);
  });

  test("ends when it is told to, even if its browser answers nothing at all any more", async () => {
    const stuck = await launchBrowser({ executable: null });
    process.kill(-stuck.pid, "SIGSTOP");
    const stopped = new AbortController();
    const outcome = await lab.run(['go to "/"'], {
      browser: stuck.browser,
      endBrowser: stuck.kill,
      signal: stopped.signal,
      // Its seconds are milliseconds.
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 1000, signal) },
      onProgress: ({ type }) => {
        if (type === "started") stopped.abort(new Error("The run was cancelled."));
      },
    });
    expect(outcome).toMatchObject({ status: "aborted", error: { reason: "aborted" } });
    await until("its browser is gone", () => !stuck.browser.isConnected());
  });

  test("ends when its recording is lost, even if its browser answers nothing at all any more", async () => {
    const stuck = await launchBrowser({ executable: null });
    const outcome = await lab.run(['go to "/"', 'go to "/cart"'], {
      browser: stuck.browser,
      endBrowser: stuck.kill,
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 1000, signal) },
      sink: lab.sink(async (path, init) => {
        if (!path.includes("/chunks")) return lab.app.api(path, init);
        process.kill(-stuck.pid, "SIGSTOP");
        return Response.json({ error: "internal", message: "The disk is full." }, { status: 507 });
      }),
    });
    expect(outcome).toMatchObject({ status: "error", error: { reason: "recording_lost" } });
    await until("its browser is gone", () => !stuck.browser.isConnected());
  });

  test("fails when its target cannot be reached, but is an error when it is this host that is cut off", async () => {
    const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
    const address = `http://127.0.0.1:${gone.port}/`;
    await gone.stop(true);
    const refused = await lab.run([`go to "${address}"`]);
    expect(refused).toMatchObject({ status: "failed", error: { reason: null } });
    expect(refused.error?.message).toContain("ERR_CONNECTION_REFUSED");
    const asked: string[] = [];
    const offline = await lab.run([`go to "${address}"`], {
      isOnline: async (target) => {
        asked.push(target.href);
        return false;
      },
    });
    expect(asked).toEqual([address]);
    expect(offline).toMatchObject({ status: "error", error: { reason: "offline", stepId: "s1" } });
  });
});

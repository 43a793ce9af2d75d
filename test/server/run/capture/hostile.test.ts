import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { launchBrowser } from "../../../../server/run/browsers/launch.ts";
import { startHostile } from "../../../helpers/hostile.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
let site: ReturnType<typeof startHostile>;
beforeAll(async () => {
  lab = await runLab();
  site = startHostile();
});
afterAll(async () => {
  await site.stop();
  await lab.close();
});

const run = (steps: string[], more: Parameters<RunLab["run"]>[1] = {}) =>
  lab.run(steps, { baseUrl: site.url, ...more });
const ofKind = (traceId: string, kind: string) => lab.events(traceId, `&kind=${kind}`);
const said = async (traceId: string) =>
  (await ofKind(traceId, "agent.thought")).map(({ text }) => String(text)).join("\n");

describe("a page that floods the recording", () => {
  test("with ten thousand console lines a second is heard in part, and it is said what was left out", async () => {
    const { status, traceId, durationMs } = await run(['go to "/console"', "wait 2s"]);
    expect(status).toBe("passed");
    const trace = (await (await lab.app.api(`/v1/traces/${traceId}`)).json()) as { event_count: number };
    expect(trace.event_count).toBeLessThan(500 * (durationMs / 1000 + 2));
    const warnings = await ofKind(traceId, "console.warning");
    expect(
      warnings.some(({ text }) => /\d+ console lines of one second were left out/.test(String(text))),
    ).toBe(true);
  });

  test("with changes to its document is recorded in part", async () => {
    const { status, traceId, durationMs } = await run(['go to "/mutations"', "wait 2s"]);
    expect(status).toBe("passed");
    expect((await ofKind(traceId, "dom.mutation")).length).toBeLessThan(100 * (durationMs / 1000 + 2));
    expect(await said(traceId)).toMatch(/\d+ changes of the page within one second are not listed/);
  });

  test("with requests is recorded in part, and steps see them all", async () => {
    const { status, traceId, durationMs, error } = await run([
      'go to "/asking"',
      'wait for request POST "**/last" within 20s',
      'expect request POST "**/last" status 200 within 20s',
    ]);
    expect([status, error]).toEqual(["passed", null]);
    const requests = await ofKind(traceId, "network.request");
    expect(requests.length).toBeLessThan(Math.min(1000, 500 * (durationMs / 1000 + 1)));
    const listed = new Set(requests.map(({ request_id }) => request_id));
    const answers = await ofKind(traceId, "network.response");
    expect(answers.filter(({ request_id }) => !listed.has(request_id))).toEqual([]);
    const notes = (await said(traceId)).match(/\d+ requests are not listed: only the first 500/g);
    expect(notes?.map((note) => Number.parseInt(note, 10))).toEqual([1002 - requests.length]);
  });

  test("with a hundred megabytes, packed or not, is told of by size; they are not read", async () => {
    const before = process.memoryUsage.rss();
    for (const [path, file] of [
      ["/big", "/big.bin"],
      ["/bomb", "/bomb.txt"],
    ]) {
      const { status, traceId } = await run([`go to "${path}"`, 'expect text "Loaded" within 20s']);
      expect(status).toBe("passed");
      const answer = (await ofKind(traceId, "network.response")).find(({ url }) =>
        String(url).endsWith(file!),
      );
      expect(answer).toMatchObject({ status: 200 });
      expect(answer).not.toHaveProperty("body");
      if (path === "/big") expect(answer?.body_size).toBeGreaterThanOrEqual(100 << 20);
    }
    // The server of the test lives in this process too, and packs a hundred megabytes.
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 << 20);
  });
});

describe("a page that looks for its recorder", () => {
  test("finds nothing of it: not in its window, nor in frames and windows that it opens", async () => {
    const { traceId, error } = await run([
      'go to "/searching"',
      'expect title "Found 0:"',
      'click button "Change"',
      'expect text "Changed"',
    ]);
    expect(error).toBeNull();
    const changes = await ofKind(traceId, "dom.mutation");
    expect(changes.map(({ target }) => target)).toContain("p#p");
    expect(JSON.stringify(changes)).not.toContain("forged");
  });

  test("and replaces what records are made with forges none, and does not end its run", async () => {
    const { traceId, error } = await run([
      'go to "/poisoned"',
      'click button "Change"',
      'expect text "Changed"',
      "wait 300ms",
    ]);
    expect(error).toBeNull();
    const events = await lab.events(traceId);
    const changes = events.filter(({ kind }) => kind === "dom.mutation");
    expect(changes.map(({ target }) => target)).toContain("p#p");
    expect(JSON.stringify(changes)).not.toContain("forged");
    const now = Date.now();
    for (const { ts } of events) expect(Math.abs(now - ts)).toBeLessThan(120_000);
    expect(events.filter(({ kind }) => kind === "dom.snapshot").length).toBeGreaterThan(0);
  });

  test("and keeps more than a line of the recording may hold is told of in part", async () => {
    const { traceId, status } = await run(['go to "/hoarding" within 60s', 'expect text "Home" within 60s']);
    expect(status).toBe("passed");
    const [kept] = await ofKind(traceId, "storage.state");
    expect(kept).toMatchObject({ is_shortened: true });
    expect(JSON.stringify(kept).length).toBeLessThan(1 << 20);
  });
});

describe("a page that uses its run up", () => {
  test("with a console line of 60 MB is heard in part", async () => {
    const { traceId, status } = await run(['go to "/long-line" within 60s', 'expect text "Loud" within 60s']);
    expect(status).toBe("passed");
    const [line] = await ofKind(traceId, "console.log");
    expect(String(line?.text)).toHaveLength(16 * 1024);
    const trace = (await (await lab.app.api(`/v1/traces/${traceId}`)).json()) as { total_size_bytes: number };
    expect(trace.total_size_bytes).toBeLessThan(4 << 20);
  });

  test("with such lines without end fails the step that it keeps from an answer, in time", async () => {
    const outcome = await run(['go to "/shouting"', "wait 500ms", 'expect text "Loud" within 2s']);
    expect(outcome).toMatchObject({ status: "failed", error: { stepId: "s3" } });
    expect(outcome.durationMs).toBeLessThan(60_000);
  });

  test("by hanging while its clock is asked fails that step in time", async () => {
    const outcome = await run([
      'go to "/acts"',
      'click button "Hang" within 1s',
      "advance clock by 1h within 1s",
    ]);
    expect(outcome.status).toBe("failed");
    expect(outcome.durationMs).toBeLessThan(45_000);
  });
});

describe("a page that does not end", () => {
  test("an answer without end is told of as far as it came", async () => {
    const { status, traceId } = await run([
      'go to "/stream"',
      'expect text "First news"',
      'expect request GET "/events" status 200',
    ]);
    expect(status).toBe("passed");
    const answer = (await ofKind(traceId, "network.response")).find(({ url }) =>
      String(url).endsWith("/events"),
    );
    expect(answer).toMatchObject({ status: 200, media_type: "text/event-stream", is_cut: true });
  });

  test("redirects without end fail their step", async () => {
    expect(await run(['go to "/circle"'])).toMatchObject({
      status: "failed",
      error: { stepId: "s1", message: expect.stringContaining("ERR_TOO_MANY_REDIRECTS") },
    });
  });

  test("a page that never loads fails its step in time", async () => {
    const outcome = await run(['go to "/never" within 1s']);
    expect(outcome).toMatchObject({ status: "failed", error: { stepId: "s1" } });
    // A step that names no limit of its own has 30 s.
    expect(outcome.durationMs).toBeLessThan(25_000);
  });

  test("a page that hangs fails the step after it, and its run ends", async () => {
    const outcome = await run([
      'go to "/acts"',
      'click button "Hang" within 1s',
      'expect text "Ready" within 1s',
    ]);
    expect(outcome).toMatchObject({ status: "failed" });
    expect(outcome.durationMs).toBeLessThan(45_000);
    expect((await run(['go to "/acts"', 'expect text "Ready"'])).status).toBe("passed");
  });

  test("a question that comes again and again fails its step, and is not repeated without end", async () => {
    const outcome = await run(['go to "/acts"', 'click button "Pester" within 1s']);
    expect(outcome.status).toBe("failed");
    expect((await ofKind(outcome.traceId, "agent.thought")).length).toBeLessThan(150);
  });
});

describe("what a page does that nobody asked for", () => {
  test("questions are dismissed, downloads are not taken, and both are told of", async () => {
    const { status, traceId } = await run([
      'go to "/acts"',
      'click button "Ask"',
      'expect text "Answered false null"',
      'click link "Download"',
      'click button "Guard"',
      'go to "/"',
      'expect text "Home"',
    ]);
    expect(status).toBe("passed");
    const told = await said(traceId);
    for (const part of ["(alert): “Sure?”", "(confirm)", "(prompt)", "(beforeunload)", "a download, a.csv"])
      expect(told).toContain(part);
  });

  test("the steps follow into a window that opens, and back when it closes itself", async () => {
    const { status, traceId } = await run([
      'go to "/acts"',
      'click button "Open"',
      'expect text "Popup"',
      'click button "Close"',
      'expect text "Ready"',
    ]);
    expect(status).toBe("passed");
    expect(await said(traceId)).toContain("The page closed; the steps go on in the one before.");

    // One that is open when the run is over is closed by the run, and no steps go on.
    const left = await run(['go to "/acts"', 'click button "Open"', 'expect text "Popup"']);
    expect(await said(left.traceId)).not.toContain("The page closed");
  });
});

describe("what breaks under a run", () => {
  test("a page whose process dies makes the run an error", async () => {
    const running = run(['go to "/"', "wait 60s"]);
    const shown = () =>
      lab.owned.browser
        .contexts()
        .flatMap((context) => context.pages())
        .find((page) => page.url().startsWith(site.url));
    await until("the page is shown", () => shown() !== undefined);
    const session = await shown()!.context().newCDPSession(shown()!);
    // It never answers.
    void session.send("Page.crash").catch(() => {});
    expect(await running).toMatchObject({ status: "error", error: { reason: "page_crashed" } });
  });

  test("a browser that dies at any moment makes the run an error, and the trace keeps what was before", async () => {
    const steps = ['go to "/acts"', 'click button "Ask"', 'expect text "Answered"', "screenshot"];
    for (const moment of [null, "s1", "s2", "s3", "s4"]) {
      const mortal = await launchBrowser({ executable: null });
      const outcome = await run([...steps, "wait 20s"], {
        browser: mortal.browser,
        endBrowser: mortal.kill,
        onProgress: (progress) => {
          if (progress.type === "step" ? progress.step.id === moment : progress.type === "started" && !moment)
            mortal.kill();
        },
      });
      expect([moment, outcome.status, outcome.error?.reason]).toEqual([moment, "error", "browser_crashed"]);
      const trace = (await (await lab.app.api(`/v1/traces/${outcome.traceId}`)).json()) as { status: string };
      expect(trace.status).toBe("error");
    }
  });

  test("a store that takes nothing more ends the run as an error, in the store's own words", async () => {
    const { api } = lab.app;
    let isFull = false;
    const outcome = await run(['go to "/acts"', "wait 5m"], {
      sink: lab.sink((path, init) => {
        if (path.endsWith("/artifacts/summary") || !isFull) return api(path, init);
        return Promise.resolve(
          Response.json({ error: "insufficient_storage", message: "The disk is full." }, { status: 507 }),
        );
      }),
      onProgress: (progress) => {
        isFull ||= progress.type === "step" && progress.step.id === "s2";
      },
    });
    expect(outcome).toMatchObject({
      status: "error",
      error: { reason: "recording_lost", message: "The recording was refused: The disk is full." },
    });
    expect(outcome.durationMs).toBeLessThan(100_000);
  });
});

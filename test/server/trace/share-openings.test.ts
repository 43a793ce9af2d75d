import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeAgent, shortAddress } from "../../../server/trace/share/visitors.ts";
import { KEPT_SHARE_VIEWS, TOLD_SHARE_VIEWS } from "../../../store/records/share.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { getJson, post, runPeriodic, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(30_000);

const DAY = 86_400_000;

let app: TestApp;
let id: string;
let shortId: string;

beforeAll(async () => {
  app = await testApp();
  ({ id, shortId } = await uploadTrace(app));
  await post(app, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 365 });
});
afterAll(() => app.close());

interface Views {
  views: number;
  openings: { at: string; agent: string | null; is_embedded: boolean }[];
}
const views = () => getJson<Views>(app, `/v1/traces/${id}/share/views`);
const open = (path = "", headers: Record<string, string> = {}) =>
  app.api(`/r/${shortId}${path}`, { headers: { authorization: "", ...headers } });

describe("openings of a shared page", () => {
  test("are listed latest first; the oldest are only counted, old ones forgotten, and all go with the trace", async () => {
    for (let at = 0; at < KEPT_SHARE_VIEWS + 5; at++) {
      app.clock.advance(1000);
      await open(at === KEPT_SHARE_VIEWS + 4 ? "/embed" : "", { "user-agent": `curl/8.${at}` });
    }
    const { views: total, openings } = await views();
    expect(total).toBe(KEPT_SHARE_VIEWS + 5);
    expect(openings).toHaveLength(KEPT_SHARE_VIEWS);
    expect(openings[0]).toMatchObject({
      at: new Date(app.clock.now()).toISOString(),
      agent: "curl",
      is_embedded: true,
    });
    expect(openings.filter((opening) => opening.is_embedded)).toHaveLength(1);
    app.clock.advance(91 * DAY);
    await open();
    await runPeriodic(app, "openings of shares");
    expect((await views()).openings).toHaveLength(1);
    expect((await getJson<Views>(app, `/v1/traces/${id}/share`)).views).toBe(KEPT_SHARE_VIEWS + 6);
    const other = await uploadTrace(app);
    await post(app, `/v1/traces/${other.id}/share`, { visibility: "public-read" });
    await app.api(`/r/${other.shortId}`, { headers: { authorization: "" } });
    await runPeriodic(app, "new openings of shares");
    expect((await app.api(`/v1/traces/${other.id}`, { method: "DELETE" })).status).toBe(204);
    const left = await app.store.records.selectFrom("share_totals").select("trace_id").execute();
    expect(left).toEqual([{ trace_id: id }]);
  });

  test("are written together, and past 10,000 of a share only their number is kept", async () => {
    const other = await uploadTrace(app);
    await post(app, `/v1/traces/${other.id}/share`, { visibility: "public-read", expires_days: 365 });
    const visit = (agent: string) =>
      app.api(`/r/${other.shortId}/embed`, { headers: { authorization: "", "user-agent": agent } });
    const rows = async (table: "share_views" | "share_totals") =>
      (
        await app.store.records
          .selectFrom(table)
          .select("trace_id")
          .where("trace_id", "=", other.id)
          .execute()
      ).length;
    for (let at = 0; at < 150; at++) await visit(`curl/8.${at}`);
    expect(await rows("share_totals")).toBe(0);
    await runPeriodic(app, "new openings of shares");
    expect(await rows("share_totals")).toBe(1);
    await app.store.records
      .updateTable("share_totals")
      .set({ views: TOLD_SHARE_VIEWS - 2 })
      .where("trace_id", "=", other.id)
      .execute();
    await app.store.records.deleteFrom("share_views").where("trace_id", "=", other.id).execute();
    for (let at = 0; at < 250; at++) {
      app.clock.advance(1000);
      await visit(`curl/9.${at}`);
    }
    const told = await getJson<Views>(app, `/v1/traces/${other.id}/share/views`);
    expect([told.views, told.openings.length]).toEqual([TOLD_SHARE_VIEWS + 248, 2]);
  });

  test("are there after the server has stopped, and hold up nothing when their trace is gone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tracedeck-openings-"));
    const first = await testApp({ dataDir: folder });
    const [kept, gone] = [await uploadTrace(first), await uploadTrace(first)];
    for (const { id: of } of [kept, gone])
      await post(first, `/v1/traces/${of}/share`, { visibility: "public-read" });
    for (const { shortId: of } of [gone, kept])
      await first.api(`/r/${of}`, { headers: { authorization: "" } });
    await first.api(`/v1/traces/${gone.id}`, { method: "DELETE" });
    await first.close();
    const second = await testApp({ dataDir: folder });
    const { views: count } = await getJson<Views>(second, `/v1/traces/${kept.id}/share/views`);
    expect(count).toBe(1);
    await second.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("whoever comes again the same day is counted, not listed anew; another day, program or frame is told apart", async () => {
    const other = await uploadTrace(app);
    await post(app, `/v1/traces/${other.id}/share`, { visibility: "public-read", expires_days: 365 });
    const visit = (path: string, agent: string) =>
      app.api(`/r/${other.shortId}${path}`, { headers: { authorization: "", "user-agent": agent } });
    const told = async () => {
      const answer = await getJson<{ views: number; openings: { agent: string; times: number }[] }>(
        app,
        `/v1/traces/${other.id}/share/views`,
      );
      return [answer.views, ...answer.openings.map(({ agent, times }) => `${agent} ${times}`)];
    };
    app.clock.set(Date.parse("2026-07-01T08:00:00Z"));
    await visit("", "Wget/1.2");
    for (let time = 0; time < 30; time++) {
      app.clock.advance(60_000);
      await visit("/embed", "curl/8.9");
    }
    app.clock.advance(1000);
    await visit("", "curl/8.9");
    expect(await told()).toEqual([32, "curl 1", "curl 30", "Wget 1"]);
    app.clock.set(Date.parse("2026-07-02T00:00:00Z"));
    await visit("", "curl/8.9");
    await visit("", "curl/8.9");
    expect(await told()).toEqual([34, "curl 2", "curl 1", "curl 30", "Wget 1"]);
  });

  test("many at the same instant are no more than those that are kept", async () => {
    await Promise.all(Array.from({ length: 30 }, () => open()));
    const { openings } = await views();
    expect(openings.length).toBeLessThanOrEqual(KEPT_SHARE_VIEWS);
    expect((await views()).views).toBe(KEPT_SHARE_VIEWS + 36);
  });

  test.each([
    ["203.0.113.77", "203.0.113.×"],
    ["::ffff:203.0.113.77", "203.0.113.×"],
    ["127.0.0.1", "this machine"],
    ["::1", "this machine"],
    ["2001:db8:85a3::8a2e:370:7334", "2001:db8:85a3:×"],
    ["fe80::1%eth0", "fe80:0:0:×"],
    ["2001:db8::42", "2001:db8:0:×"],
    ["2001::1:2:3:4:5:6", "2001:0:1:×"],
    ["nonsense", null],
    [null, null],
  ])("an address is told in part: %p", (ip, told) => {
    expect(shortAddress(ip)).toBe(told);
  });

  test.each([
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0",
      "Firefox 131 on Windows",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
      "Safari 18 on macOS",
    ],
    [
      "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
      "Chrome 131 on Android",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
      "Edge 131 on Windows",
    ],
    ["Slackbot-LinkExpanding 1.0", "Robot"],
    ["curl/8.9.1", "curl"],
    ["<script>", null],
    [null, null],
  ])("a program is told by its name: %p", (agent, told) => {
    expect(describeAgent(agent)).toBe(told);
  });
});

describe("a trace as text, for readers without a browser", () => {
  const report = async () => await (await app.api(`/v1/traces/${id}/report.md`)).text();

  test("the shared page answers .md, and whoever accepts Markdown, with the report; and names it", async () => {
    for (const response of [await open(".md"), await open("", { accept: "text/markdown, */*;q=0.5" })]) {
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toStartWith("text/markdown");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.text()).toBe(await report());
    }
    for (const accept of ["text/html", "*/*", "text/markdown;q=0, text/html"])
      expect((await open("", { accept })).headers.get("content-type")).toStartWith("text/html");
    expect((await open("")).headers.get("link")).toContain(
      `</r/${shortId}.md>; rel="alternate"; type="text/markdown"`,
    );
    expect((await app.api("/r/unknownShort.md", { headers: { authorization: "" } })).status).toBe(404);
    await post(app, `/v1/traces/${id}/share`, { visibility: "org-only" });
    expect((await open(".md")).status).toBe(302);
    expect((await app.api(`/r/${shortId}.md`)).status).toBe(200);
    await post(app, `/v1/traces/${id}/share`, { visibility: "public-read" });
  });

  test("a member's page leads to the report, which asks for a credential itself", async () => {
    for (const response of [
      await app.api(`/traces/${id}.md`, { headers: { authorization: "" } }),
      await app.api(`/traces/${id}`, { headers: { accept: "text/markdown" } }),
    ]) {
      expect(response.status).toBe(302);
      expect(response.headers.get("location")).toBe(`/v1/traces/${id}/report.md`);
    }
    expect((await app.api(`/v1/traces/${id}/report.md`, { headers: { authorization: "" } })).status).toBe(
      401,
    );
    const page = await app.api(`/traces/${id}`);
    expect(page.headers.get("content-type")).toStartWith("text/html");
    expect(page.headers.get("link")).toContain('rel="alternate"; type="text/markdown"');
    expect((await app.api("/traces/nonsense.md")).headers.get("content-type")).toStartWith("text/html");
  });
});

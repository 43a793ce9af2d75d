import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { recordedPages, type Snapshot } from "../../helpers/recorded-pages.ts";
import { getJson, otherOrg, post, runPeriodic } from "../../helpers/traces.ts";

setDefaultTimeout(120_000);

const DAY = 86_400_000;
const pages = recordedPages();
const { snapshotEvents, pathFor, show, open } = pages;

describe("access to recorded pages", () => {
  let id = "";
  let path = "";
  beforeAll(async () => {
    ({ id } = await pages.viewer().ingest("v10-failing"));
    path = pathFor(id, (await snapshotEvents(id)).at(-1)!);
  });

  test("needs the right to read the trace", async () => {
    expect((await pages.viewer().app.api(path, { headers: { authorization: "" } })).status).toBe(401);
    const other = await otherOrg(pages.viewer().app);
    expect((await other.api(path)).status).toBe(403);
  });

  test("by a link ends when the link does, and holds for that trace alone", async () => {
    const { html_url } = await show(path);
    const { id: otherId } = await pages.viewer().ingest("v9-passing");
    expect((await open(html_url)).status).toBe(200);
    expect((await open(html_url.replace(id, otherId))).status).toBe(403);
    expect((await open(html_url.replace(/\.[\w-]{4}/, ".AAAA"))).status).toBe(403);
    expect((await open(html_url.replace(/\/(\d+)\./, (_, at) => `/${Number(at) + 60}.`))).status).toBe(403);
    pages
      .viewer()
      .app.clock.advance(pages.viewer().app.deps.config.settings.signed_url_seconds * 1000 + 1000);
    expect((await open(html_url)).status).toBe(403);
    expect((await open((await show(path)).html_url)).status).toBe(200);
  });

  test("is refused in words for what is not there", async () => {
    const missing = await pages.viewer().app.api(`/v1/traces/${id}/snapshots/before@nowhere`);
    expect(missing.status).toBe(404);
    const { html_url } = await show(path);
    const root = html_url.slice(0, html_url.indexOf("/d/"));
    for (const part of ["d/0/9999", "d/99/0", "c/0/0/9999", "r/9999"])
      expect([part, (await open(`${root}/${part}`)).status]).toEqual([part, 404]);
    for (const part of ["d/0/x", "d/-1/0", "r/1e3"])
      expect([part, (await open(`${root}/${part}`)).status]).toEqual([part, 400]);
  });

  test("works through a share link, and ends with it", async () => {
    const shared = (await (
      await post(pages.viewer().app, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 })
    ).json()) as { short_id: string };
    const publicPath = path.replace(`/v1/traces/${id}`, `/r/${shared.short_id}`);
    const answer = await pages.viewer().app.api(publicPath, { headers: { authorization: "" } });
    expect(answer.status).toBe(200);
    const { html_url } = (await answer.json()) as Snapshot;
    expect((await open(html_url)).status).toBe(200);
    await post(pages.viewer().app, `/v1/traces/${id}/share`, { visibility: "org-only", expires_days: 1 });
    expect((await open(html_url)).status).toBe(403);
    await pages.viewer().app.api(`/v1/traces/${id}/share`, { method: "DELETE" });
    expect((await pages.viewer().app.api(publicPath, { headers: { authorization: "" } })).status).toBe(404);
  });

  test("is the same from a pack, refused from the cold, and back after a restore", async () => {
    const { id: ageing } = await pages.viewer().ingest("v8-failing");
    const mains = (await snapshotEvents(ageing)).filter(({ is_main_frame }) => is_main_frame);
    const own = pathFor(ageing, mains.find(({ snapshot }) => snapshot.startsWith("after@"))!);
    const all = async () => {
      const { html_url } = await show(own);
      const html = await (await open(html_url)).text();
      const root = html_url.slice(0, html_url.indexOf("/d/"));
      const parts = [...html.matchAll(/\.\.\/\.\.\/([cr]\/[\d/]+)/g)].map(([, part]) => part!);
      const bodies = await Promise.all(parts.map(async (part) => (await open(`${root}/${part}`)).text()));
      return { html, bodies };
    };
    const hot = await all();
    expect(hot.bodies.length).toBeGreaterThan(0);
    const age = async (days: number) => {
      pages.viewer().app.clock.advance(days * DAY + 1);
      await runPeriodic(pages.viewer().app, "tiers");
    };
    await age(2);
    expect((await getJson(pages.viewer().app, `/v1/traces/${ageing}`)).tier).toBe("warm");
    expect(await all()).toEqual(hot);
    const { html_url } = await show(own);
    await age(5);
    expect((await getJson(pages.viewer().app, `/v1/traces/${ageing}`)).tier).toBe("cold");
    const refused = await pages.viewer().app.api(own);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([409, "not_hot"]);
    expect((await open(html_url)).status).toBe(403);
    await post(pages.viewer().app, `/v1/traces/${ageing}/restore`);
    await pages.viewer().app.runJobs();
    expect(await all()).toEqual(hot);
  });
});

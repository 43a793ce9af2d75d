import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { memberAccess } from "../../../server/trace/access.ts";
import { traceReads } from "../../../server/trace/reads.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { otherOrg, post, uploadTrace } from "../../helpers/traces.ts";

let app: TestApp;
let id: string;
let shortId: string;
/** Paths below the prefix, with the one blob and a page's name put in. */
let reads: string[];

beforeAll(async () => {
  app = await testApp();
  const hash = sha256("shared");
  const lines = eventLines(5, (seq) => (seq === 2 ? { body: `sha256:${hash}` } : {}));
  const recording = { name: "rrweb.ndjson", content: '{"type":3,"timestamp":1767323045000,"data":{}}\n' };
  ({ id, shortId } = await uploadTrace(app, { entries: [events(lines), blob("shared"), recording] }));
  await post(app, `/v1/traces/${id}/share`, { visibility: "public-read" });
  reads = traceReads(app.deps, { prefix: "", access: memberAccess(app.deps) })
    .routes.map(({ path }) => path.replace(":sha256", hash).replace(":name", "before@call@7"))
    .map((path) => (path === "/find" ? "/find?q=shared" : path));
});
afterAll(() => app.close());

const asMember = (read: string) => app.api(`/v1/traces/${id}${read}`);
const byLink = (read: string) => app.api(`/r/${shortId}${read}`, { headers: { authorization: "" } });

describe("the reads of a trace", () => {
  test("are those that the viewer of a shared trace needs", () => {
    const paths = reads.map((read) => read.split(/[?]|(?<=\w)\//)[0]!).sort();
    const named = "blob cause events find recording report.md snapshots stream summary";
    expect(paths).toEqual(named.split(" ").map((name) => `/${name}`));
  });

  test("answer whoever has the link what they answer a member", async () => {
    for (const read of reads) {
      const [member, link] = [await asMember(read), await byLink(read)];
      expect([read, link.status]).toEqual([read, member.status]);
      if (member.ok) expect([read, await link.text()]).toEqual([read, await member.text()]);
    }
  });

  test("hand out links that end with the share to whoever has the link, and to nobody else", async () => {
    const read = `/blob/${sha256("shared")}`;
    const [member, link] = [await asMember(read), await byLink(read)];
    expect(new URL(member.headers.get("location")!).searchParams.get("share")).toBeNull();
    expect(member.headers.get("cache-control")).toStartWith("private, max-age=");
    expect(new URL(link.headers.get("location")!).searchParams.get("share")).toBe("public-read");
    expect(link.headers.get("cache-control")).toBe("no-store");
  });

  test("are refused without a credential below the one prefix, and with a foreign id below either", async () => {
    const foreign = await otherOrg(app);
    for (const read of reads) {
      const nobody = await app.api(`/v1/traces/${id}${read}`, { headers: { authorization: "" } });
      expect([read, nobody.status]).toEqual([read, 401]);
      expect([read, (await foreign.api(`/v1/traces/${id}${read}`)).status]).toEqual([read, 403]);
      expect([read, (await app.api(`/r/${id}${read}`)).status]).toEqual([read, 404]);
    }
  });
});

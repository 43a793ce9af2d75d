import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Summary } from "../../../server/trace/format/summary.ts";
import { type Opened, unpackOpened } from "../../../viewer/api/opened.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events } from "../../helpers/bundles.ts";
import { getJson, otherOrg, post, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(30_000);

/** What ends a script, opens a comment, breaks a line of a script, leaves an attribute and looks like a style. */
const EVIL = `</script><script>1</script><!--<script>\u2028\u2029"' style="x:url(//h)" onload=1 {{}} $& $\` é\u202e`;
const SECRET = "the-ledger-is-away";

let app: TestApp;
let id: string;
let shortId: string;

beforeAll(async () => {
  app = await testApp();
  ({ id, shortId } = await uploadTrace(app, {
    manifest: { status: "failed", scenario: { slug: "checkout", title: EVIL } },
    entries: [events(eventLines(6, hostile))],
  }));
});
afterAll(() => app.close());

function hostile(seq: number): Record<string, unknown> {
  const step = { step_id: `s${seq}${EVIL}`, title: `${EVIL}${seq}`, duration_ms: 5 };
  if (seq < 3) return { kind: "agent.action", name: "click", ...step };
  if (seq === 3) return { kind: "console.error", text: `${SECRET}${EVIL}` };
  if (seq === 4)
    return { kind: "network.response", request_id: "1", method: EVIL, url: `http://h/${EVIL}`, status: 500 };
  const message = `${SECRET}\n${EVIL}\nExpected: "${EVIL}"\nReceived: "${EVIL}"`;
  return { kind: "assertion", ...step, passed: false, expected: EVIL, received: EVIL, error: { message } };
}

interface PageFacts {
  response: Response;
  html: string;
  /** Of every element of the page. */
  attributes: string[];
  scripts: string[];
  opened: Opened | null;
}

/** The page as a parser of HTML understands it. */
async function read(path: string, init: RequestInit = {}, api: TestApp["api"] = app.api): Promise<PageFacts> {
  const response = await api(path, init);
  const html = await response.clone().text();
  const attributes = new Set<string>();
  const scripts: string[] = [];
  const rewriter = new HTMLRewriter()
    .on("*", {
      element(element) {
        for (const [name] of element.attributes) attributes.add(name);
      },
    })
    .on("script", {
      element() {
        scripts.push("");
      },
      text({ text }) {
        scripts.push((scripts.pop() ?? "") + text);
      },
    });
  await rewriter.transform(new Response(html)).text();
  const json = scripts.find((text) => text.startsWith("{"));
  return {
    response,
    html,
    attributes: [...attributes],
    scripts,
    opened: json ? unpackOpened(JSON.parse(json)) : null,
  };
}

interface UnsignedKeys {
  signed_urls?: unknown;
  playwright_viewer_url?: unknown;
}

/** Signed links differ by the moment they are made at. */
const unsigned = ({ signed_urls: _, playwright_viewer_url: __, ...rest }: object & UnsignedKeys) => rest;

describe("a trace's page comes with its first screen", () => {
  test("the failed step and its cause are in the markup, and the data is what the API answers", async () => {
    const { html, opened } = await read(`/traces/${id}`);
    const markup = html.slice(html.indexOf('<div id="app"'), html.indexOf("<script"));
    expect(markup).toContain('role="treeitem"');
    expect(markup).toContain('aria-label="Failure"');
    expect(markup).toContain(SECRET);
    expect(opened?.id).toBe(id);
    expect(opened?.summary).toEqual(await getJson<Summary>(app, `/v1/traces/${id}/summary`));
    const detail = await getJson<Record<string, unknown>>(app, `/v1/traces/${id}`);
    expect(unsigned(opened!.detail)).toEqual(unsigned(detail));
    expect(Object.keys(opened!.detail).sort()).toEqual(Object.keys(detail).sort());
  });

  test("captured text stays text: two scripts of ours and no attribute that styles or runs", async () => {
    for (const path of [`/traces/${id}`, `/traces/${id}?step=${encodeURIComponent(`s1${EVIL}`)}&tab=call`]) {
      const { html, scripts, attributes } = await read(path);
      expect(scripts.length).toBe(2);
      expect(attributes.filter((name) => name === "style" || name.startsWith("on"))).toEqual([]);
      expect(html).not.toContain(EVIL);
      expect(html.match(/<!--/g)).toBeNull();
    }
  });

  test("the policy lets in what it names by hash and nothing else, and nobody keeps the page", async () => {
    const { response, html } = await read(`/traces/${id}`);
    const policy = response.headers.get("content-security-policy")!;
    const directive = (name: string) => policy.split("; ").find((one) => one.startsWith(name))!;
    expect(directive("script-src")).toMatch(/^script-src 'self' 'sha256-[\w+/]{43}='$/);
    expect(directive("style-src")).toMatch(/^style-src 'self'( 'sha256-[\w+/]{43}=')+$/);
    expect(policy).toContain("frame-ancestors 'none'");
    const hash = (text: string) => `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
    for (const [, style] of html.matchAll(/<style>([\s\S]*?)<\/style>/g))
      expect(directive("style-src")).toContain(hash(style!));
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("etag")).toBeNull();
    expect(response.headers.get("link")).toContain("report.md");
  });

  test("packed where the browser takes that", async () => {
    const packed = await app.api(`/traces/${id}`, { headers: { "accept-encoding": "gzip, zstd" } });
    expect(packed.headers.get("content-encoding")).toBe("zstd");
    expect(Bun.zstdDecompressSync(await packed.bytes()).toString()).toContain(SECRET);
    const plain = await app.api(`/traces/${id}`, { headers: { "accept-encoding": "gzip" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
  });

  test("laid out as the browser was last, or for its kind", async () => {
    const layout = async (headers: Record<string, string>) =>
      / data-layout="(\w+)"/.exec((await read(`/traces/${id}`, { headers })).html)?.[1];
    expect(await layout({})).toBe("right");
    expect(await layout({ cookie: "a=b; tracedeck_layout=bottom" })).toBe("bottom");
    expect(await layout({ cookie: 'tracedeck_layout="><x' })).toBe("right");
    expect(await layout({ "sec-ch-ua-mobile": "?1" })).toBe("narrow");
    expect(await layout({ "user-agent": "Mozilla/5.0 (iPhone) Mobile/15E148" })).toBe("narrow");
  });
});

describe("the plain page, that knows nothing of the trace, is for", () => {
  async function expectPlain(path: string, init: RequestInit = {}, api: TestApp["api"] = app.api) {
    const { html, response, opened } = await read(path, init, api);
    expect(response.status).toBe(200);
    expect(opened).toBeNull();
    expect(html).not.toContain(SECRET);
    expect(html).toContain('<div id="app"></div>');
    expect(response.headers.get("cache-control")).toBe("no-cache");
  }

  test("a visitor without a session, or with one that has ended", async () => {
    await expectPlain(`/traces/${id}`, { headers: { authorization: "" } });
    await expectPlain(`/traces/${id}`, { headers: { authorization: "", cookie: "product_session=gone" } });
  });

  test("another org", async () => {
    const other = await otherOrg(app);
    await expectPlain(`/traces/${id}`, {}, other.api);
  });

  test("a credential that may not read traces", async () => {
    const made = await post(app, "/v1/api-keys", { name: "runs", scopes: ["runs:read"] });
    expect(made.status).toBe(201);
    const { key } = (await made.json()) as { key: string };
    await expectPlain(`/traces/${id}`, { headers: { authorization: `Bearer ${key}` } });
  });

  test("a trace that is still read, and one whose summary is damaged, which the log tells", async () => {
    const own = await testApp();
    const { id: damaged } = await uploadTrace(own, { entries: [events(eventLines(3))] });
    const { path } = await own.store.records
      .selectFrom("artifacts")
      .select("path")
      .where("kind", "=", "summary")
      .executeTakeFirstOrThrow();
    await Bun.write(`${own.dataDir}/${path}`, "{");
    await expectPlain(`/traces/${damaged}`, {}, own.api);
    expect(own.logged.join("\n")).toContain("first screen");
    await own.close();
  });

  test("an org that has asked too much for now", async () => {
    const own = await testApp({ settings: { rate_limits: { reads_per_minute: 1 } } });
    const { id: read_ } = await uploadTrace(own, { entries: [events(eventLines(3))] });
    expect((await read(`/traces/${read_}`, {}, own.api)).opened?.id).toBe(read_);
    await expectPlain(`/traces/${read_}`, {}, own.api);
    await own.close();
  });
});

describe("a shared page comes with its first screen", () => {
  const anonymous = { headers: { authorization: "" } };
  const share = (visibility: string) => post(app, `/v1/traces/${id}/share`, { visibility, expires_days: 1 });

  test("with what the link shows and nothing that only members see", async () => {
    await share("public-read");
    for (const path of [`/r/${shortId}`, `/r/${shortId}/embed`]) {
      const { response, html, opened, scripts } = await read(path, anonymous);
      const shown = await (await app.api(`/r/${shortId}/trace`, anonymous)).json();
      expect(opened?.id).toBe(shortId);
      expect(unsigned(opened!.detail)).toEqual(unsigned(shown as Record<string, unknown>));
      expect(html).toContain(SECRET);
      expect(html).not.toContain(`/v1/traces/${id}`);
      expect(scripts.length).toBe(2);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-security-policy")).toContain(
        path.endsWith("embed") ? "frame-ancestors *" : "frame-ancestors 'none'",
      );
    }
  });

  test("for members only where the link is, and for nobody once it has ended", async () => {
    await share("org-only");
    const stranger = await app.api(`/r/${shortId}`, anonymous);
    expect(stranger.status).toBe(302);
    expect(await stranger.text()).not.toContain(SECRET);
    expect((await read(`/r/${shortId}`)).html).toContain(SECRET);
    await app.api(`/v1/traces/${id}/share`, { method: "DELETE" });
    const gone = await app.api(`/r/${shortId}`);
    expect(gone.status).toBe(404);
    expect(await gone.text()).not.toContain(SECRET);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import fc from "fast-check";
import { servedType } from "../../../server/trace/files/media-types.ts";
import { parseRange } from "../../../server/trace/files/range.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { getJson, pathOf, uploadTrace } from "../../helpers/traces.ts";

const PAGE = "<!doctype html><script>alert(1)</script><p>captured</p>";
const ABSENT = sha256("never uploaded");

let app: TestApp;
let base: string;
let id: string;
let other: string;

beforeAll(async () => {
  app = await testApp();
  base = await app.listen();
  const reference = (text: string, media_type: string) => ({ body: `sha256:${sha256(text)}`, media_type });
  const lines = eventLines(4, (seq) => {
    const common = {
      kind: "network.response",
      request_id: `r${seq}`,
      status: 200,
      url: "http://x/",
      headers: [],
    };
    if (seq === 0) return { ...common, ...reference(PAGE, "text/html") };
    if (seq === 1) return { ...common, ...reference("alert(2)", "application/javascript") };
    if (seq === 2) return { ...common, ...reference("plain", "text/plain") };
    return { ...common, body: `sha256:${ABSENT}` };
  });
  ({ id } = await uploadTrace(app, {
    entries: [events(lines), blob(PAGE), blob("alert(2)"), blob("plain")],
  }));
  ({ id: other } = await uploadTrace(app, {
    entries: [events(eventLines(1, () => ({ body: `sha256:${sha256("elsewhere")}` }))), blob("elsewhere")],
  }));
});
afterAll(() => app.close());

const blobPath = (hash: string, trace = id) => `/v1/traces/${trace}/blob/${hash}`;

/** The signed path of a blob. */
async function signed(hash: string): Promise<string> {
  const response = await app.api(blobPath(hash));
  expect(response.status).toBe(302);
  return pathOf(response.headers.get("location")!);
}

describe("GET /v1/traces/{id}/blob/{sha256}", () => {
  test("302 to a link that needs no credential", async () => {
    const link = await app.api(blobPath(sha256("plain")));
    expect(link.headers.get("cache-control")).toBe("private, max-age=1800");
    const path = await signed(sha256("plain"));
    const response = await app.api(path, { headers: { authorization: "" } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("plain");
  });

  test("another form of the hash is 400", async () => {
    const hash = sha256("plain");
    for (const bad of [hash.toUpperCase(), `sha256:${hash}`, hash.slice(1), `${hash}0`, "..%2f..%2fetc"]) {
      const response = await app.api(blobPath(bad));
      expect([bad, response.status]).toEqual([bad, 400]);
    }
  });

  test("a blob that only another trace names, or whose bytes never came, is 404", async () => {
    expect((await app.api(blobPath(sha256("elsewhere")))).status).toBe(404);
    expect((await app.api(blobPath(sha256("elsewhere"), other))).status).toBe(302);
    expect((await app.api(blobPath(ABSENT))).status).toBe(404);
    expect((await app.api(blobPath("0".repeat(64)))).status).toBe(404);
  });
});

describe("signed links", () => {
  test("an altered or expired link, and a link to another file, are 403", async () => {
    const path = await signed(sha256("plain"));
    const altered = [
      path.replace(/signature=./, (text) => (text.endsWith("A") ? "signature=B" : "signature=A")),
      path.replace(/expires=(\d+)/, (_, at: string) => `expires=${Number(at) + 1}`),
      path.replace(sha256("plain"), sha256(PAGE)),
      path.replace(id, other),
      `${path}&share=1`,
      path.split("?")[0]!,
    ];
    for (const bad of altered) {
      const response = await app.api(bad);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: "signature_invalid" });
    }
    app.clock.advance(3_599_000);
    expect((await app.api(path)).status).toBe(200);
    app.clock.advance(2000);
    expect((await app.api(path)).status).toBe(403);
  });

  test("a picture that nobody gave a type is served as what it is", async () => {
    const picture = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(40)]);
    const { id: shown } = await uploadTrace(app, {
      entries: [events(eventLines(1, () => ({ blob: `sha256:${sha256(picture)}` }))), blob(picture)],
    });
    await app.store.records
      .updateTable("trace_blobs")
      .set({ media_type: null })
      .where("trace_id", "=", shown)
      .execute();
    const link = await app.api(blobPath(sha256(picture), shown));
    const response = await app.api(pathOf(link.headers.get("location")!));
    expect(response.headers.get("content-type")).toBe("image/jpeg");
  });

  test("the links of a detail lead to the stored bytes", async () => {
    const { signed_urls } = await getJson(app, `/v1/traces/${id}`);
    const response = await app.api(pathOf(signed_urls.ndjson!));
    expect(response.headers.get("content-type")).toBe("application/zstd");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="events.ndjson.zst"');
    const bytes = await response.bytes();
    expect(response.headers.get("etag")).toBe(`"${sha256(bytes)}"`);
    expect(Buffer.from(Bun.zstdDecompressSync(bytes)).toString()).toStartWith('{"seq":0');
  });

  test("captured markup and scripts are served so that nothing of them can run", async () => {
    const page = await app.api(await signed(sha256(PAGE)));
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toStartWith("sandbox; default-src 'none';");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(page.headers.get("content-security-policy")).not.toContain("script");
    const script = await app.api(await signed(sha256("alert(2)")));
    expect(script.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    for (const response of [page, script])
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("over a socket: ranges, entity tags and lengths are those of the content", async () => {
    const url = `${base}${await signed(sha256(PAGE))}`;
    const ask = (headers: Record<string, string> = {}, method = "GET") => fetch(url, { headers, method });
    const whole = await ask();
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-length")).toBe(String(PAGE.length));
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    expect(await whole.text()).toBe(PAGE);
    const etag = whole.headers.get("etag")!;
    expect(etag).toBe(`"${sha256(PAGE)}"`);

    const part = await ask({ range: "bytes=2-8" });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 2-8/${PAGE.length}`);
    expect(part.headers.get("content-length")).toBe("7");
    expect(await part.text()).toBe(PAGE.slice(2, 9));
    expect(await (await ask({ range: "bytes=-4" })).text()).toBe(PAGE.slice(-4));
    expect(await (await ask({ range: `bytes=${PAGE.length - 3}-` })).text()).toBe(PAGE.slice(-3));

    const outside = await ask({ range: `bytes=${PAGE.length}-` });
    expect(outside.status).toBe(416);
    expect(outside.headers.get("content-range")).toBe(`bytes */${PAGE.length}`);
    expect(await outside.json()).toMatchObject({ error: "range_not_satisfiable" });

    for (const ignored of ["bytes=0-1,4-5", "bytes=5-2", "lines=1-2", "bytes=x"]) {
      const response = await ask({ range: ignored });
      expect([ignored, response.status, await response.text()]).toEqual([ignored, 200, PAGE]);
    }
    expect((await ask({ range: "bytes=0-1", "if-range": etag })).status).toBe(206);
    const changed = await ask({ range: "bytes=0-1", "if-range": '"other"' });
    expect([changed.status, await changed.text()]).toEqual([200, PAGE]);

    for (const tag of [etag, `"x", W/${etag}`, "*"]) {
      const known = await ask({ "if-none-match": tag });
      expect([tag, known.status, await known.text()]).toEqual([tag, 304, ""]);
    }
    expect((await ask({ "if-none-match": '"other"' })).status).toBe(200);
    const head = await ask({}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(PAGE.length),
      "",
    ]);
  });

  test("a blob whose file is gone or cut short says so, without a path of this machine", async () => {
    const { id: broken } = await uploadTrace(app, {
      entries: [events(eventLines(1, () => ({ body: `sha256:${sha256("cut me")}` }))), blob("cut me")],
    });
    const response = await app.api(blobPath(sha256("cut me"), broken));
    const path = pathOf(response.headers.get("location")!);
    await Bun.write(loosePath(app.store, sha256("cut me")), "cut");
    const refused = await app.api(path);
    expect(refused.status).toBe(503);
    const { message } = (await refused.json()) as { message: string };
    expect(message).toContain(sha256("cut me"));
    expect(message).not.toContain(app.dataDir);
  });

  test("a page whose file is gone says so, and does not begin as if it were there", async () => {
    const text = "<!doctype html><p>soon gone</p>";
    const { id: broken } = await uploadTrace(app, {
      entries: [
        events(eventLines(1, () => ({ body: `sha256:${sha256(text)}`, media_type: "text/html" }))),
        blob(text),
      ],
    });
    const response = await app.api(`${blobPath(sha256(text), broken)}?as=page`);
    const path = pathOf(response.headers.get("location")!);
    expect(await (await app.api(path)).text()).toBe(text);
    await rm(loosePath(app.store, sha256(text)));
    expect((await app.api(path)).status).toBe(503);
  });
});

describe("the parts of a file answer", () => {
  test("a range is what taking every byte's word for it gives", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(30), fc.nat(30), (size, first, last) => {
        const bytes = Array.from({ length: size }, (_, index) => index);
        const range = parseRange(`bytes=${first}-${last}`, size);
        const wanted = bytes.filter((index) => index >= first && index <= last);
        if (last < first) expect(range).toBeNull();
        else if (first >= size) expect(range).toBe("unsatisfiable");
        else expect(range).toEqual({ start: wanted[0]!, end: wanted.at(-1)! + 1 });
        const tail = parseRange(`bytes=-${last}`, size);
        const end = last === 0 ? [] : bytes.slice(-last);
        if (end.length === 0) expect(tail).toBe("unsatisfiable");
        else expect(tail).toEqual({ start: end[0]!, end: size });
      }),
    );
  });

  test.each([
    ["image/png", "image/png", true],
    ["IMAGE/PNG; foo=bar", "image/png", true],
    ["text/html", "text/html; charset=utf-8", false],
    ["text/html; charset=ISO-8859-1", "text/html; charset=iso-8859-1", false],
    ["image/svg+xml", "image/svg+xml; charset=utf-8", false],
    ["text/xml", "text/plain; charset=utf-8", true],
    ["application/xml", "text/plain; charset=utf-8", true],
    ["application/xhtml+xml", "application/octet-stream", false],
    ["application/json", "application/json; charset=utf-8", true],
    ["text/javascript; charset=utf-8", "text/plain; charset=utf-8", true],
    ["application/wasm", "application/octet-stream", false],
    ["application/x-shockwave-flash", "application/octet-stream", false],
    ["multipart/x-mixed-replace", "application/octet-stream", false],
    ["text/html\r\nx: y", "application/octet-stream", false],
    ["text/plain; charset=a\r\nb", "text/plain; charset=utf-8", true],
    [null, "application/octet-stream", false],
  ])("recorded as %j it is served as %j", (recorded, contentType, isInline) => {
    expect(servedType(recorded)).toEqual({ contentType, isInline });
  });
});

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { type TestApp, testApp } from "../../helpers/app.ts";
import {
  blob,
  bundle,
  eventLines,
  events,
  manifest,
  pax,
  playwrightZip,
  sha256,
  type TarEntry,
  tar,
  tarMember,
  uploadForm,
  zip,
  zstd,
} from "../../helpers/bundles.ts";
import { leftovers } from "../../helpers/leftovers.ts";

const CAP = 1_000_000;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    settings: { upload_cap_bytes: CAP, rate_limits: { ingests_per_minute: 100_000 } },
  });
});
afterAll(() => app.close());
afterEach(async () => expect(await leftovers(app)).toEqual([]));

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  app.api("/v1/traces/ingest", { method: "POST", body, headers });

async function refused(file: Uint8Array, error: string, ...words: string[]): Promise<void> {
  const response = await post(uploadForm(file));
  const body = (await response.json()) as { error: string; message: string };
  expect([body.error, body.message]).toEqual([error, expect.anything()]);
  expect(response.status).toBe(error === "bundle_too_large" ? 413 : 400);
  for (const word of words) expect(body.message).toContain(word);
}

const good = (...more: TarEntry[]) => [manifest(), events(eventLines(2)), ...more];

test("a file that is neither form is refused saying what it is", async () => {
  await refused(new Uint8Array(0), "bundle_unreadable", "empty file");
  await refused(Buffer.from("ab"), "bundle_unreadable", "6162");
  await refused(gzipSync(tar(good())), "bundle_unreadable", "gzip");
  await refused(tar(good()), "bundle_unreadable", "not compressed");
  await refused(Buffer.from('{"a":1}'), "bundle_unreadable", "JSON");
  await refused(Buffer.from("<!doctype html>"), "bundle_unreadable", "HTML");
  await refused(zstd(Buffer.from("no tar ".repeat(200))), "bundle_unreadable", "no tar archive");
  await refused(zip([{ name: "a.txt", content: "x" }]), "bundle_unreadable", ".trace");
});

test("a tar.zst that ends early is refused wherever it was cut", async () => {
  const whole = bundle(good(blob(crypto.getRandomValues(new Uint8Array(60_000)))));
  for (const share of [0.001, 0.3, 0.7, 0.999])
    await refused(whole.subarray(0, Math.floor(whole.length * share) + 4), "bundle_unreadable", "early");
  const archive = tar(good());
  await refused(zstd(archive.subarray(0, archive.length - 1024)), "bundle_unreadable", "early");
  await refused(Buffer.concat([whole, Buffer.from("junk behind the end")]), "bundle_unreadable");
});

test("a bundle without events and without an archive is refused", async () => {
  await refused(bundle([manifest()]), "bundle_unreadable", "events.ndjson", "playwright.zip");
});

test("a manifest that is not right is refused naming the field", async () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ version: 2 }, "newer"],
    [{ version: "1" }, "version"],
    [{ scenario: [] }, "scenario"],
    [{ scenario: { slug: "NO" } }, "scenario.slug"],
    [{ status: "great" }, "status"],
    [{ status: "queued" }, "status"],
    [{ started_at: "yesterday" }, "started_at"],
    [{ ended_at: 5 }, "ended_at"],
    [{ source: "elsewhere" }, "source"],
    [{ pr_number: -1 }, "pr_number"],
    [{ run_id: "" }, "run_id"],
    [{ env: "linux" }, "env"],
  ];
  for (const [change, word] of cases)
    await refused(bundle([manifest(change), events("")]), "bundle_unreadable", word);
  await refused(
    bundle([{ name: "manifest.json", content: "{" }, events("")]),
    "bundle_unreadable",
    "not JSON",
  );
  await refused(
    bundle([{ name: "manifest.json", content: " ".repeat(1024 * 1024 + 1) }, events("")]),
    "bundle_unreadable",
    "larger",
  );
  const nested = `{"version":1,"env":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
  await refused(
    bundle([{ name: "manifest.json", content: nested }, events("")]),
    "bundle_unreadable",
    "deeper than 64",
  );
});

test("a bad line of the events is refused naming it", async () => {
  const line = (fields: Record<string, unknown>) =>
    `${JSON.stringify({ seq: 9, ts: 1, kind: "a", ...fields })}\n`;
  const cases: [string, string][] = [
    ["[1]\n", "object"],
    ["null\n", "object"],
    ["{broken}\n", "JSON"],
    [line({ seq: undefined }), "seq"],
    [line({ seq: "9" }), "seq"],
    [line({ seq: 1.5 }), "seq"],
    [line({ seq: 2 }), "rise"],
    [line({ seq: 1 }), "rise"],
    [line({ ts: undefined }), "ts"],
    [line({ ts: 0.5 }), "ts"],
    [line({ kind: 7 }), "kind"],
    [line({ kind: "" }), "kind"],
    ['{"seq":9,"ts":1,"kind":"\xff"}\n', "UTF-8"],
    ['{"seq":9,"ts":1,"kind":"a\0"}\n', "NUL"],
  ];
  for (const [bad, word] of cases) {
    const content = Buffer.concat([
      Buffer.from(line({ seq: 1 }) + line({ seq: 2 })),
      Buffer.from(bad, "latin1"),
    ]);
    await refused(
      bundle([manifest(), { name: "events.ndjson", content }]),
      "bundle_unreadable",
      "ine 3",
      word,
    );
  }
});

test("members that are no files, or would leave the folder, are refused by name", async () => {
  await refused(
    bundle(good({ name: "blobs/x", type: "2", link: "/etc/passwd" })),
    "bundle_unreadable",
    "blobs/x",
  );
  await refused(
    bundle(good({ name: "blobs/x", type: "1", link: "manifest.json" })),
    "bundle_unreadable",
    "hard link",
  );
  await refused(bundle(good({ name: "dev", type: "3" })), "bundle_unreadable", "device");
  await refused(bundle(good({ name: "../../escape", content: "x" })), "bundle_unreadable", "escape");
  await refused(bundle(good({ name: "/etc/cron.d/x", content: "x" })), "bundle_unreadable", "absolute");
  await refused(bundle(good(pax({ path: "blobs/\0" }), { name: "x" })), "bundle_unreadable");
  await refused(bundle(good({ name: "notes" }, { name: "notes" })), "bundle_unreadable", "two members");
  await refused(
    bundle(good({ name: "events.ndjson.zst", content: zstd(Buffer.from("")) })),
    "bundle_unreadable",
    "another member",
  );
});

test("a blob must be named by its hash, in lower-case hex", async () => {
  await refused(bundle(good({ name: `blobs/${sha256("a")}`, content: "b" })), "blob_mismatch", sha256("b"));
  const upper = sha256("a").toUpperCase();
  await refused(bundle(good({ name: `blobs/${upper}`, content: "a" })), "bundle_unreadable", upper);
  await refused(bundle(good({ name: "blobs/sub/x", content: "a" })), "bundle_unreadable", "blobs/sub/x");
});

test("what unpacks to more than 20 times the cap is a bomb, at any depth of nesting", async () => {
  const zeros = (size: number) => Buffer.alloc(size);
  await refused(bundle(good({ name: "video.webm", content: zeros(CAP * 20) })), "bundle_bomb", "unpacks");
  const inner = zstd(zeros(CAP * 21));
  await refused(bundle([manifest(), { name: "events.ndjson.zst", content: inner }]), "bundle_bomb");
  await refused(bundle(good({ name: "rrweb.ndjson.zst", content: inner })), "bundle_bomb");
  const archive = playwrightZip({ resources: [{ name: "resources/big", content: zeros(CAP * 21) }] });
  await refused(archive, "bundle_bomb");
  await refused(bundle(good({ name: "playwright.zip", content: archive })), "bundle_bomb");
  const half = zstd(zeros(CAP * 11));
  await refused(
    bundle(
      good({ name: "rrweb.ndjson.zst", content: half }, { name: "video.webm", content: zeros(CAP * 10) }),
    ),
    "bundle_bomb",
  );
});

test("a path of nine parts and a million members are bombs", async () => {
  await refused(bundle(good({ name: "a/b/c/d/e/f/g/h/i", content: "x" })), "bundle_bomb", "deep");
  const many = Buffer.concat(Array.from({ length: 5000 }, (_, at) => tarMember({ name: `m${at}` })));
  // The same 5,000 folders over and over: nothing is written for them, so that only the count can stop it.
  const folders = Buffer.alloc(many.length);
  for (let at = 0; at < 5000; at++) tarMember({ name: `d${at}/`, type: "5" }).copy(folders, at * 512);
  const frames = Array.from({ length: 41 }, () => zstd(folders));
  const big = await testApp({ settings: { upload_cap_bytes: CAP * 10 } });
  try {
    const response = await big.api("/v1/traces/ingest", {
      method: "POST",
      body: uploadForm(Buffer.concat(frames)),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "bundle_bomb", message: expect.stringContaining("200000 members") },
    ]);
    expect(await leftovers(big)).toEqual([]);
  } finally {
    await big.close();
  }
});

test("a declared size that lies is refused", async () => {
  const lying = Buffer.concat([
    tar(good()).subarray(0, -1024),
    tarMember({ name: "video.webm", size: 8 ** 10 }),
  ]);
  await refused(zstd(lying), "bundle_unreadable", "video.webm");
});

test.each([
  ["garbage", "first line"],
  ["\n\r\n[1]\n", "first line"],
  ["\u0000\u0001\u0002", "first line"],
  ["", "is empty"],
  ["\n\n", "is empty"],
  ['{"type":"context-options","version":"8"}\n', "positive whole number"],
  ['{"type":"context-options","version":0}\n', "positive whole number"],
  ['{"type":"context-options","version":7.5}\n', "positive whole number"],
  ['{"type":"context-options","version":null}\n', "positive whole number"],
  ['{"type":"context-options","version":-1}\n', "positive whole number"],
])(
  "a Playwright archive whose trace is %j is refused at upload, alone and in a bundle",
  async (content, words) => {
    const archive = zip([{ name: "trace.trace", content }]);
    await refused(archive, "bundle_unreadable", "trace.trace", words);
    const within = bundle([manifest(), { name: "playwright.zip", content: archive }]);
    await refused(within, "bundle_unreadable", "trace.trace", words);
  },
);

test("an archive of a newer Playwright is refused at upload, alone and in a bundle", async () => {
  const archive = playwrightZip({ version: 99 });
  await refused(archive, "bundle_unreadable", "version 99", "newer Playwright");
  await refused(bundle(good({ name: "playwright.zip", content: archive })), "bundle_unreadable", "99");
  await refused(bundle(good({ name: "playwright.zip", content: "no zip" })), "bundle_unreadable");
});

test("a file over the cap is 413, whether its length is declared or only comes", async () => {
  const file = crypto.getRandomValues(new Uint8Array(65_536));
  const large = Buffer.concat(Array.from({ length: 20 }, () => file));
  await refused(large, "bundle_too_large", String(CAP));
  const declared = await post(uploadForm(Buffer.concat([large, large])), { "content-length": "99999999999" });
  expect([declared.status, ((await declared.json()) as { error: string }).error]).toEqual([
    413,
    "bundle_too_large",
  ]);
});

test("form fields that are missing, repeated or wrong are refused by name", async () => {
  const file = bundle(good());
  const form = (change: (form: FormData) => void) => {
    const made = uploadForm(file);
    change(made);
    return made;
  };
  const cases: [FormData, string][] = [
    [form((f) => f.delete("scenario_slug")), "`scenario_slug` is missing"],
    [form((f) => f.delete("bundle")), "`bundle` is missing"],
    [form((f) => f.append("scenario_slug", "twice")), "`scenario_slug` is given more than once"],
    [form((f) => f.append("bundle", new File(["x"], "second"))), "`bundle` is given more than once"],
    [form((f) => f.set("bundle", "text")), "`bundle` must be a file"],
    [form((f) => f.set("scenario_slug", "Not A Slug")), "`scenario_slug`"],
    [form((f) => f.set("scenario_slug", `a${"-".repeat(64)}`)), "`scenario_slug`"],
    [form((f) => f.set("source", "nowhere")), "`source`"],
    [form((f) => f.set("pr_number", "7.5")), "`pr_number`"],
    [form((f) => f.set("scenario_title", "")), "`scenario_title`"],
    [form((f) => f.set("scenario_title", "x".repeat(1001))), "`scenario_title`"],
    [form((f) => f.set("env", "[1]")), "`env`"],
    [form((f) => f.set("env", "{nonsense")), "`env`"],
    [form((f) => f.set("env", `{"a":${"[".repeat(600)}${"]".repeat(600)}}`)), "`env`"],
    [form((f) => f.set("commit_sha", "two words")), "`commit_sha`"],
    [form((f) => f.set("scenario_slug", "x".repeat(100_000))), "`scenario_slug` is longer"],
  ];
  for (const [body, words] of cases) {
    const response = await post(body);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "invalid_request", message: expect.stringContaining(words) },
    ]);
  }
});

test("a body that is not multipart is 415, one without a boundary 400", async () => {
  for (const type of ["application/zip", "application/x-www-form-urlencoded", "application/json", ""]) {
    const response = await post(new Uint8Array(bundle(good())), { "content-type": type });
    expect([type, response.status, ((await response.json()) as { error: string }).error]).toEqual([
      type,
      415,
      "unsupported_media_type",
    ]);
  }
  const response = await post("x", { "content-type": "multipart/form-data" });
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    400,
    "invalid_request",
  ]);
});

test("without traces:write there is no ingest: 401, also with a key that lacks only the scope", async () => {
  const { key } = (await (
    await app.api("/v1/api-keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "reader", scopes: ["traces:read"] }),
    })
  ).json()) as { key: string };
  for (const authorization of ["", "Bearer product_sk_wrong", `Bearer ${key}`])
    for (const path of ["/v1/traces/ingest", "/v1/trace/traces/ingest"]) {
      const response = await app.api(path, {
        method: "POST",
        body: uploadForm(bundle(good())),
        headers: { authorization },
      });
      expect([authorization, response.status]).toEqual([authorization, 401]);
    }
});

test("a bundle with flipped bytes is a clear refusal or a trace, and a refusal leaves nothing", async () => {
  const plain = tar(good(blob("content"), { name: "playwright.zip", content: playwrightZip() }));
  const packed = zstd(plain);
  const other = await testApp({ settings: { rate_limits: { ingests_per_minute: 100_000 } } });
  try {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        async (isInside, flips) => {
          const bytes = Buffer.from(isInside ? plain : packed);
          for (const [at, value] of flips) bytes[at % bytes.length] = value;
          const response = await other.api("/v1/traces/ingest", {
            method: "POST",
            body: uploadForm(isInside ? zstd(bytes) : bytes),
          });
          const body = (await response.json()) as { error?: string };
          if (response.status === 200) taken++;
          else expect([response.status, body.error]).toEqual([400, expect.stringMatching(/^(bundle|blob)_/)]);
          const { count } = await other.store.records
            .selectFrom("traces")
            .select((select) => select.fn.countAll<number>().as("count"))
            .executeTakeFirstOrThrow();
          expect(count).toBe(taken);
        },
      ),
      { numRuns: 150 },
    );
    const left = (await leftovers(other)).filter(
      (name) => name.startsWith("tmp/") || name.startsWith("traces/"),
    );
    expect(left).toHaveLength(taken);
  } finally {
    await other.close();
  }
});

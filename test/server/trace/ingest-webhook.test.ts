import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, playwrightZip } from "../../helpers/bundles.ts";
import { leftovers } from "../../helpers/leftovers.ts";
import { until } from "../../helpers/until.ts";

const TOKEN = "an-internal-token";
const FILE = bundle([manifest(), events(eventLines(2))]);

let app: TestApp;
let folder: string;
let files: ReturnType<typeof Bun.serve>;
let made = 0;

beforeAll(async () => {
  app = await testApp({
    settings: {
      internal_service_token: TOKEN,
      upload_cap_bytes: 100_000,
      notifications: { allow_private_addresses: true },
    },
  });
  folder = mkdtempSync(join(tmpdir(), "tracedeck-webhook-"));
  files = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/good": () => new Response(new Uint8Array(FILE)),
      "/archive": () => new Response(new Uint8Array(playwrightZip())),
      "/large": () => new Response(new Uint8Array(200_000)),
      "/gone": () => new Response("no", { status: 404 }),
      "/away": () => Response.redirect("/good"),
      "/slow": () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(FILE).subarray(0, 10)),
          }),
        ),
    },
  });
});
afterAll(async () => {
  await files.stop(true);
  await app.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  const rows = await app.store.records.selectFrom("traces").select("id").execute();
  expect(rows).toHaveLength(made);
  expect((await leftovers(app)).filter((name) => name.startsWith("tmp/"))).toEqual([]);
});

async function hook(
  body: Record<string, unknown>,
  headers: Record<string, string> = { internal_service_token: TOKEN },
) {
  const response = await app.api("/internal/v1/ingest-webhook", {
    method: "POST",
    body: JSON.stringify({ scenario_slug: "nightly", ...body }),
    headers: { "content-type": "application/json", authorization: "", ...headers },
  });
  const answer = (await response.json()) as { error?: string; trace_id?: string; message?: string };
  if (response.status === 200) made++;
  return { status: response.status, ...answer };
}

test("a file by its absolute path is ingested with its fields", async () => {
  const path = join(folder, "bundle.tar.zst");
  writeFileSync(path, FILE);
  const answer = await hook({ bundle_path: path, source: "schedule", pr_number: 4, commit_sha: "abc" });
  expect(answer.status).toBe(200);
  const row = await app.store.records
    .selectFrom("traces")
    .selectAll()
    .where("id", "=", answer.trace_id!)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ scenario_slug: "nightly", source: "schedule", pr_number: 4, code_sha: "abc" });
});

test("a file by its URL is fetched and ingested", async () => {
  for (const name of ["good", "archive"])
    expect(await hook({ bundle_url: `${files.url}${name}` })).toMatchObject({ status: 200 });
});

test("a URL that gives no file within the cap is refused", async () => {
  const large = await hook({ bundle_url: `${files.url}large` });
  expect([413, 400]).toContain(large.status);
  for (const name of ["gone", "away"])
    expect(await hook({ bundle_url: `${files.url}${name}` })).toMatchObject({ status: 400 });
  expect((await hook({ bundle_url: "file:///etc/passwd" })).status).toBe(400);
});

test("only absolute paths of regular files within the cap are read", async () => {
  const link = join(folder, "link");
  const large = join(folder, "large");
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "target"), FILE);
  symlinkSync(join(folder, "target"), link);
  writeFileSync(large, new Uint8Array(100_001));
  for (const path of ["relative.tar.zst", join(folder, "missing"), join(folder, "sub"), link, "/dev/zero"])
    expect(await hook({ bundle_path: path })).toMatchObject({ status: 400, error: "invalid_request" });
  expect(await hook({ bundle_path: large })).toMatchObject({ status: 413, error: "bundle_too_large" });
});

test("one of path and URL must be given, and the fields must be right", async () => {
  const path = join(folder, "target");
  for (const body of [
    {},
    { bundle_path: path, bundle_url: "http://x.example/" },
    { bundle_path: path, scenario_slug: "NO" },
    { bundle_path: path, pr_number: "5" },
  ])
    expect(await hook(body)).toMatchObject({ status: 400, error: "invalid_request" });
});

test("the token opens the webhook under either header and nothing else", async () => {
  const path = join(folder, "target");
  expect((await hook({ bundle_path: path }, { "x-internal-token": TOKEN })).status).toBe(200);
  expect((await hook({ bundle_path: path }, { internal_service_token: "wrong" })).status).toBe(401);
  expect((await hook({ bundle_path: path }, {})).status).toBe(401);
  const elsewhere = await app.api("/v1/traces/ingest", {
    method: "POST",
    headers: { authorization: "", internal_service_token: TOKEN },
  });
  expect(elsewhere.status).toBe(401);
});

test("a key may have a URL fetched, but no file of this machine read", async () => {
  const key = { authorization: `Bearer ${app.apiKey}` };
  expect((await hook({ bundle_url: `${files.url}good` }, key)).status).toBe(200);
  for (const path of [join(folder, "target"), join(folder, "missing"), "/etc/passwd"])
    expect(await hook({ bundle_path: path }, key)).toMatchObject({ status: 403, error: "forbidden" });
});

test("an address that stalls is given up after a minute, by the server's clock", async () => {
  let answer: Awaited<ReturnType<typeof hook>> | null = null;
  void hook({ bundle_url: `${files.url}slow` }).then((given) => {
    answer = given;
  });
  await until("the download has begun", async () => (await leftovers(app)).length > 0);
  await until("it is given up", () => {
    app.clock.advance(60_000);
    return answer !== null;
  });
  expect(answer).toMatchObject({
    status: 400,
    error: "invalid_request",
    message: expect.stringMatching(/^`bundle_url` brought fewer than .* and was given up\.$/),
  } as never);
});

import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { request as playwrightRequest } from "playwright-core";
import {
  type CodeRequest,
  curlCode,
  fetchCode,
  playwrightCode,
} from "../../viewer/trace/model/request-code.ts";

interface Arrived {
  method: string;
  path: string;
  headers: Headers;
  body: Buffer;
}

let arrived: Arrived | null = null;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    arrived = { method: request.method, path: pathname + search, headers: request.headers, body };
    return new Response("ok");
  },
});
const base = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

async function inShell(shell: string, code: string): Promise<void> {
  const child = Bun.spawn([shell, "-c", code], { stdout: "ignore", stderr: "pipe" });
  const complaint = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(complaint);
}
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<unknown>;
const context = await playwrightRequest.newContext();
afterAll(() => context.dispose());

const RUNS: [name: string, send: (request: CodeRequest) => Promise<unknown>][] = [
  ["cURL in sh", (request) => inShell("/bin/sh", curlCode(request))],
  ["cURL in bash", (request) => inShell("bash", curlCode(request))],
  ["fetch", (request) => new AsyncFunction(fetchCode(request))()],
  ["Playwright", (request) => new AsyncFunction("request", playwrightCode(request))(context)],
];

const NASTY = `it's "quoted" $HOME \`id\` $(id) \\n \\' !! %PATH% ^& \t| > ; # {a,b} [1-3] é 🎉 \u2028 </script>`;

async function arrives(send: (request: CodeRequest) => Promise<unknown>, request: CodeRequest) {
  arrived = null;
  await send(request);
  if (!arrived) throw new Error("Nothing arrived.");
  return arrived as Arrived;
}

for (const [name, send] of RUNS) {
  test(`${name}: method, address, headers and a text with quotes and line breaks arrive as they were`, async () => {
    const body = `${NASTY}\r\nsecond line\n\n'`;
    const got = await arrives(send, {
      method: "PATCH",
      url: `${base}/api/{a}/[1]?q=it's&b=%22`,
      headers: [
        ["Content-Type", "application/json"],
        ["X-Quotes", `it's "so" $HOME \`id\` \\ !`],
        ["Content-Length", "3"],
        ["Host", "elsewhere.test"],
        [":authority", "elsewhere.test"],
        ["@/etc/passwd", "x"],
      ],
      body,
    });
    expect(got.method).toBe("PATCH");
    const { pathname, searchParams } = new URL(got.path, base);
    expect(decodeURIComponent(pathname)).toBe("/api/{a}/[1]");
    expect([...searchParams]).toEqual([
      ["q", "it's"],
      ["b", '"'],
    ]);
    expect(got.headers.get("content-type")).toBe("application/json");
    expect(got.headers.get("x-quotes")).toBe(`it's "so" $HOME \`id\` \\ !`);
    expect(got.body.toString()).toBe(body);
  });

  test(`${name}: bytes that are no text arrive as they were`, async () => {
    const body = Uint8Array.from({ length: 20_000 }, (_, at) => (at * 7) % 256);
    const headers = [["content-type", "application/octet-stream"]] as const;
    const got = await arrives(send, { method: "POST", url: `${base}/bytes`, headers, body });
    expect(got.body.equals(body)).toBe(true);
    const withNul = await arrives(send, { method: "PUT", url: `${base}/nul`, headers, body: "a\0b'" });
    expect(withNul.body.toString()).toBe("a\0b'");
  });

  test(`${name}: a request without headers and body is a plain one`, async () => {
    const got = await arrives(send, { method: "GET", url: `${base}/plain`, headers: [], body: null });
    expect([got.method, got.path, got.body.length]).toEqual(["GET", "/plain", 0]);
    const head = await arrives(send, { method: "HEAD", url: `${base}/head`, headers: [], body: null });
    expect(head.method).toBe("HEAD");
  });
}

test("a body that begins with @ is no file, and curl adds no type of its own", async () => {
  const got = await arrives((one) => inShell("/bin/sh", curlCode(one)), {
    method: "POST",
    url: `${base}/at`,
    headers: [],
    body: "@/etc/hostname",
  });
  expect(got.body.toString()).toBe("@/etc/hostname");
  expect(got.headers.get("content-type")).toBeNull();
});

test("whatever a field holds, the script is one that compiles and the shell runs only curl", async () => {
  const wild = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom(NASTY, "'; false; '", "\0"),
  );
  await fc.assert(
    fc.asyncProperty(wild, wild, wild, wild, async (method, url, value, body) => {
      const request = { method, url, headers: [["x-a", value]] as const, body };
      new AsyncFunction(fetchCode(request));
      new AsyncFunction("request", playwrightCode(request));
      // A function of that name stands for the program: it gets the words, and nothing else runs.
      await inShell(
        "/bin/sh",
        `set -eu; PATH=/usr/bin:/bin; curl() { cat >/dev/null </dev/null; }; ${curlCode(request)}`,
      );
    }),
    { numRuns: 40 },
  );
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { type TestApp, testApp } from "../../helpers/app.ts";

let t: TestApp;
let base: string;
beforeAll(async () => {
  t = await testApp({ flags: { publicUrl: "https://traces.example.com" } });
  base = t.listen();
});
afterAll(() => t.close());

async function errorOf(response: Response) {
  return ((await response.json()) as { error: string }).error;
}

/** The answer to bytes sent as they are: for requests that no client library would send. */
function raw(lines: string[]): Promise<string> {
  const { port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

describe("the Host guard", () => {
  test.each([
    "localhost",
    "localhost:9",
    "LOCALHOST:4173",
    "127.0.0.1",
    "[::1]",
    "[::1]:4173",
    "traces.example.com",
  ])("answers to %p", async (host) => {
    expect((await t.api("/health", { headers: { host } })).status).toBe(200);
  });

  test.each([
    "evil.example",
    "localhost.evil.example",
    "evil.localhost",
    "localhost.",
    "127.0.0.2",
    "2130706433",
    "a@localhost:80",
    "localhost@evil.example",
    "localhost:80:80",
    "localhost, evil.example",
    "localhost/..",
    "xlocalhost",
  ])("refuses %p with 421", async (host) => {
    const response = await t.api("/health", { headers: { host } });
    expect(response.status).toBe(421);
    expect(await errorOf(response)).toBe("misdirected_request");
  });

  test("refuses two Host headers, whichever is first", async () => {
    for (const hosts of [
      ["localhost", "evil.example"],
      ["evil.example", "localhost"],
      ["localhost", "localhost"],
    ]) {
      const answer = await raw([
        "GET /health HTTP/1.1",
        ...hosts.map((host) => `Host: ${host}`),
        "Connection: close",
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 4(00|21) /);
    }
  });

  test("survives a Host that makes the request's URL unreadable", async () => {
    const answer = await raw(["GET /health HTTP/1.1", "Host: a@b:c", "Connection: close"]);
    expect(answer).toMatch(/^HTTP\/1\.1 4(00|21) /);
    expect((await fetch(`${base}/health`)).status).toBe(200);
  });

  test("holds for pages and files as well", async () => {
    for (const path of ["/", "/assets/notice.css", "/openapi.json", "/metrics"])
      expect((await t.api(path, { headers: { host: "evil.example" } })).status).toBe(421);
  });
});

describe("every answer", () => {
  test("carries an x-request-id of its own, and nosniff", async () => {
    const answers = await Promise.all(["/health", "/nope", "/v1/api-keys"].map((path) => t.api(path)));
    const ids = answers.map((answer) => answer.headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain(null);
    for (const answer of answers) expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("to HEAD has no body and the status of GET", async () => {
    const response = await fetch(`${base}/v1/api-keys`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${t.apiKey}` },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });

  test("to HEAD says no length rather than a wrong one (RFC 9110, section 8.6)", async () => {
    for (const path of ["/health", "/openapi.json", "/nope", "/v1/traces"]) {
      const ask = (method: string) =>
        fetch(`${base}${path}`, { method, headers: { authorization: `Bearer ${t.apiKey}` } });
      const [head, get] = [await ask("HEAD"), await ask("GET")];
      expect([path, head.status]).toEqual([path, get.status]);
      expect([null, get.headers.get("content-length")]).toContain(head.headers.get("content-length"));
      expect((await head.bytes()).length).toBe(0);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      await get.body?.cancel();
    }
  });
});

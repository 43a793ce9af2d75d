import { afterEach, describe, expect, test } from "bun:test";
import { listenEarly, takeEarlySocket } from "../../server/early.ts";

const HOST = "127.0.0.1";
let stop = async () => {};
afterEach(() => stop());

/** A port that was free a moment ago. */
function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: HOST, fetch: () => new Response() });
  const { port } = probe;
  void probe.stop(true);
  return port!;
}

function take(port: number) {
  const server = takeEarlySocket(
    HOST,
    port,
    (request) => new Response(`program ${new URL(request.url).pathname}`),
  );
  if (server) stop = () => server.stop(true);
  return server;
}

describe("the early socket", () => {
  test("answers health before there is a program, and lets everything else wait for it", async () => {
    const port = freePort();
    const base = `http://${HOST}:${port}`;
    await listenEarly(["serve", "--port", String(port)], {});
    const health = await fetch(`${base}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: "ok" });
    expect(health.headers.get("x-request-id")).not.toBeNull();
    const waiting = [
      fetch(`${base}/v1/traces`),
      fetch(`${base}/health`, { headers: { host: "evil.example" } }),
    ];
    expect(take(port)?.port).toBe(port);
    const answers = await Promise.all((await Promise.all(waiting)).map((answer) => answer.text()));
    expect(answers).toEqual(["program /v1/traces", "program /health"]);
    expect(await (await fetch(`${base}/health`)).text()).toBe("program /health");
  });

  test("takes host and port from options and environment as the program will", async () => {
    const [one, two] = [freePort(), freePort()];
    await listenEarly(["serve", `--port=${one}`, "--host", HOST], { TRACEDECK_PORT: String(two) });
    expect(take(one)?.port).toBe(one);
    await stop();
    await listenEarly(["serve"], { TRACEDECK_PORT: String(two) });
    expect(take(two)?.port).toBe(two);
  });

  test("is closed when the program wants another address", async () => {
    const [port, other] = [freePort(), freePort()];
    await listenEarly(["serve", "--port", String(port)], {});
    expect(take(other)).toBeNull();
    expect(fetch(`http://${HOST}:${port}/health`)).rejects.toThrow();
  });

  test.each([
    [["traces", "list"]],
    [["serve", "--help"]],
    [["serve", "--port", "x"]],
    [["serve", "--port", "99999"]],
    [[]],
  ])("is not opened for %p", async (args) => {
    await listenEarly(args, {});
    expect(take(4173)).toBeNull();
  });

  test("leaves a port in use to the program to tell", async () => {
    const other = Bun.serve({ port: 0, hostname: HOST, reusePort: false, fetch: () => new Response() });
    stop = () => other.stop(true);
    await listenEarly(["serve", "--port", String(other.port)], {});
    expect(takeEarlySocket(HOST, other.port!, () => new Response())).toBeNull();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createNet, isPublicAddress, NetError } from "../../../server/platform/net.ts";

let server: ReturnType<typeof Bun.serve>;
let hits = 0;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      hits++;
      const { pathname } = new URL(request.url);
      if (pathname === "/redirect") return Response.redirect("http://127.0.0.1:1/", 302);
      if (pathname === "/missing") return new Response("", { status: 404 });
      if (pathname === "/endless")
        return new Response(
          new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65536)) }),
        );
      return new Response(`hello ${request.headers.get("host")}`);
    },
  });
});
afterAll(() => server.stop(true));

const net = createNet({ allowPrivate: false });
const open = createNet({ allowPrivate: true });
const options = () => ({ signal: new AbortController().signal, maxBytes: 1_000_000 });
const at = (path: string, host = "127.0.0.1") => `http://${host}:${server.port}${path}`;

async function refusal(promise: Promise<Response>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(NetError);
  return (error as NetError).kind;
}

describe("outgoing requests", () => {
  test.each([
    "127.0.0.1",
    "localhost",
    "localhost.",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "0",
    "[::1]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "10.0.0.1",
    "192.168.1.1",
    "172.31.255.255",
    "169.254.169.254",
    "100.64.0.1",
    "[fd00::1]",
    "[fe80::1]",
    "255.255.255.255",
  ])("do not reach %p", async (host) => {
    hits = 0;
    // Not every system resolves a name with a dot at its end.
    const kinds = host === "localhost." ? ["url_not_allowed", "invalid_request"] : ["url_not_allowed"];
    expect(kinds).toContain(await refusal(net.get(at("/", host), options())));
    expect(hits).toBe(0);
  });

  test.each([
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:1",
    "nonsense",
    "",
    "http://u:p@example.com/",
  ])("refuse %p", async (url) => {
    expect(await refusal(net.get(url, options()))).toBe("url_not_allowed");
  });

  test("tell of a name that does not exist", async () => {
    expect(await refusal(net.get("http://no-such-host.invalid/", options()))).toBe("invalid_request");
  });

  test("reach private addresses when settings allow it, and say the name that was asked for", async () => {
    const response = await open.get(at("/", "localhost"), options());
    expect(await response.text()).toBe(`hello localhost:${server.port}`);
  });

  test("follow no redirect, and take no failure for an answer", async () => {
    expect(await refusal(open.get(at("/redirect"), options()))).toBe("url_not_allowed");
    expect(await refusal(open.get(at("/missing"), options()))).toBe("invalid_request");
    expect(await refusal(open.get("http://127.0.0.1:1/", options()))).toBe("invalid_request");
  });

  test("read no more than they are allowed to", async () => {
    expect(await refusal(open.get(at("/"), { ...options(), maxBytes: 3 }))).toBe("body_too_large");
    const endless = await open.get(at("/endless"), options());
    expect(endless.arrayBuffer()).rejects.toThrow("more than 1000000 bytes");
  });

  test("end with their signal", async () => {
    const abort = new AbortController();
    abort.abort(new Error("stopped"));
    expect(open.get(at("/"), { signal: abort.signal, maxBytes: 1 })).rejects.not.toBeInstanceOf(NetError);
  });
});

test("public addresses are told from special ones", () => {
  for (const address of ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::1"])
    expect(isPublicAddress(address)).toBe(true);
  for (const address of ["0.0.0.0", "192.0.2.1", "198.18.0.1", "224.0.0.1", "::", "2001:db8::1", "ff02::1"])
    expect(isPublicAddress(address)).toBe(false);
});

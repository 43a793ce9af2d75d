import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callJson } from "../../server/cli/call.ts";
import { CliError, UsageError } from "../../server/cli/output.ts";
import { clientAt, namedServer } from "../../server/cli/server-client.ts";

/** What is not Tracedeck: a page that is not there, a proxy that leads elsewhere, one whose server is away. */
let stranger: Bun.Server<undefined>;
beforeAll(() => {
  stranger = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/moved")
        return new Response("", {
          status: 301,
          headers: { location: "https://traces.example/moved" },
        });
      return new Response("<h1>No</h1>", { status: pathname === "/away" ? 502 : 404 });
    },
  });
});
afterAll(() => stranger.stop(true));

const said = async (path: string, url = stranger.url.origin): Promise<CliError> => {
  const error = await callJson(clientAt({ url, apiKey: "k" }), path).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CliError)) throw new Error(`It threw ${String(error)}.`);
  return error;
};

describe("a server that --server names", () => {
  test("is told by its address when nothing listens there", async () => {
    const { message, code } = await said("/v1/traces", "http://127.0.0.1:1");
    expect([code, message]).toEqual([
      "unavailable",
      "The server at http://127.0.0.1:1 cannot be reached: nothing listens there.",
    ]);
  });

  test("is asked after when it answers as no Tracedeck does", async () => {
    const { message } = await said("/v1/traces");
    expect(message).toContain(`${stranger.url.origin} answered 404 Not Found`);
    expect(message).toContain("is the address right?");
  });

  test("that leads elsewhere is told with the address to give in its place", async () => {
    expect((await said("/moved")).message).toContain("leads to https://traces.example: give that address");
  });

  test("whose proxy says that it is away is not called the wrong one", async () => {
    expect((await said("/away")).message).toBe(`${stranger.url.origin} answered 502 Bad Gateway.`);
  });

  test("keeps the word of whoever gives up: that is no fault of the server", async () => {
    const aborted = new AbortController();
    aborted.abort();
    const asked = clientAt({ url: stranger.url.origin, apiKey: "k" }).request("/", {
      signal: aborted.signal,
    });
    await expect(asked).rejects.toThrow("abort");
  });
});

describe("--server and --api-key", () => {
  test("are both absent, or both there", () => {
    expect(namedServer({}, "traces:write")).toBeNull();
    const both = { server: "https://traces.example", apiKey: "k" };
    expect(namedServer(both, "traces:write")).toEqual({ url: "https://traces.example", apiKey: "k" });
    expect(() => namedServer({ apiKey: "k" }, "traces:write")).toThrow("goes with --server");
    expect(() => namedServer({ server: "https://a" }, "traces:write")).toThrow("traces:write");
  });

  test("an empty key, as a CI has it for a fork, is a wrong use and says where it comes from", () => {
    for (const apiKey of ["", " ", "\n"]) {
      const use = () => namedServer({ server: "https://a", apiKey }, "runs:write");
      expect(use).toThrow(UsageError);
      expect(use).toThrow("--api-key is empty: it must be a key with runs:write.");
    }
  });
});

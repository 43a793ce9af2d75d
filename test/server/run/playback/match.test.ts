import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Exchange } from "../../../../server/run/playback/exchanges.ts";
import { createMatcher } from "../../../../server/run/playback/match.ts";
import { createRedactor, MASK } from "../../../../server/run/redaction/redact.ts";

const SITE = "http://shop.test:4180";

function exchange(method: string, path: string, answer: string, body: string | null = null): Exchange {
  return {
    method,
    url: `${SITE}${path}`,
    body,
    response: { status: 200, headers: [], body: answer, bodySize: answer.length, error: null },
  };
}

function matcher(exchanges: Exchange[], blobs: Record<string, string> = {}) {
  const redactor = createRedactor({ secrets: {}, headers: [], patterns: [] });
  const made = createMatcher(exchanges, {
    redactor,
    baseUrl: SITE,
    textOf: async (reference) => blobs[reference] ?? null,
  });
  return async (method: string, path: string, ...rest: (string | null | undefined)[]) =>
    (await made.take({ method, url: `${SITE}${path}`, body: rest.length === 0 ? null : rest[0] }))?.response
      ?.body ?? null;
}

describe("recorded answers", () => {
  test("go to the same method, address and body, each in its order", async () => {
    const take = matcher([
      exchange("GET", "/cart", "empty"),
      exchange("POST", "/cart", "one", '{"item":"beans"}'),
      exchange("POST", "/cart", "two", '{"item":"kettle"}'),
      exchange("GET", "/cart", "full"),
    ]);
    expect(await take("GET", "/cart")).toBe("empty");
    expect(await take("POST", "/cart", '{"item":"kettle"}')).toBe("two");
    expect(await take("GET", "/cart#top")).toBe("full");
    expect(await take("DELETE", "/cart")).toBeNull();
    expect(await take("GET", "/basket")).toBeNull();
  });

  test("go to what differs in ids, times and values of the query when nothing is the same", async () => {
    const take = matcher([
      exchange("GET", "/feed?at=1700000000000", "first"),
      exchange("GET", "/orders/8f14e45f-ceea-467f-a1b2-9b1de6d0a1b2", "order"),
      exchange("POST", "/track", "noted", '{"session":"a81f","page":"cart"}'),
    ]);
    expect(await take("GET", "/feed?at=1800000000000")).toBe("first");
    expect(await take("GET", "/orders/11111111-2222-3333-4444-555555555555")).toBe("order");
    expect(await take("POST", "/track", '{"session":"77c0","page":"checkout"}')).toBeNull();
    expect(await take("POST", "/track", '{"session":"77c0","page":"cart"}')).toBe("noted");
  });

  test("are given again, the last one, when a request comes more often than it was recorded", async () => {
    const take = matcher([exchange("GET", "/status", "waiting"), exchange("GET", "/status", "done")]);
    expect([
      await take("GET", "/status"),
      await take("GET", "/status"),
      await take("GET", "/status"),
    ]).toEqual(["waiting", "done", "done"]);
  });

  test("are found for bodies that hold what recordings mask", async () => {
    const take = matcher([
      exchange("POST", "/signin", "in", `email=ada%40x.io&password=${MASK}`),
      exchange("POST", "/pay", "paid", '{"card":"tok_77","total":3}'),
    ]);
    expect(await take("POST", "/signin", "email=ada%40x.io&password=mornings")).toBe("in");
    expect(await take("POST", "/pay", `{"card":"${MASK}","total":4}`)).toBeNull();
    expect(await take("POST", "/pay", `{"card":"${MASK}","total":3}`)).toBe("paid");
  });

  test("are found for long bodies, forms with files and bodies that the browser does not tell", async () => {
    const long = JSON.stringify({ note: "x".repeat(5000), at: "2026-01-01T10:00:00Z" });
    const hash = `sha256:${new Bun.CryptoHasher("sha256").update(long).digest("hex")}`;
    const form = (boundary: string) => `--${boundary}\r\nname="a"\r\n\r\n1\r\n--${boundary}--\r\n`;
    const take = matcher(
      [
        exchange("POST", "/notes", "kept", hash),
        exchange("POST", "/notes", "again", hash),
        exchange("POST", "/form", "sent", form("----WebKitFormBoundaryAAAAAAAAAAAAAAAA")),
        exchange("PUT", "/file", "stored", "bytes"),
      ],
      { [hash]: long },
    );
    expect(await take("POST", "/notes", long)).toBe("kept");
    expect(await take("POST", "/notes", long.replace("2026-01-01T10", "2027-05-05T11"))).toBe("again");
    expect(await take("POST", "/form", form("----WebKitFormBoundarybbbbbbbbbbbbbbbb"))).toBe("sent");
    expect(await take("PUT", "/file", undefined)).toBe("stored");
  });

  test("come back whole for any recording that is asked for in its own order", async () => {
    const one = fc.record({
      method: fc.constantFrom("GET", "POST"),
      path: fc.constantFrom("/", "/a", "/a?x=1", "/b/12"),
      body: fc.option(fc.string({ maxLength: 12 }), { nil: null }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 12 }), async (asked) => {
        const take = matcher(
          asked.map(({ method, path, body }, at) => exchange(method, path, `answer ${at}`, body)),
        );
        for (const [at, { method, path, body }] of asked.entries())
          expect(await take(method, path, body)).toBe(`answer ${at}`);
      }),
      { numRuns: 60 },
    );
  });
});

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:http";
import { syntheticFiles } from "../../../../server/run/synthetic/templates.ts";
import { runProgram, scratchFolder } from "../../../helpers/program.ts";

setDefaultTimeout(120_000);

const files = syntheticFiles(["postgres", "mysql", "mongodb", "dynamodb", "redis"]);
const scratch = scratchFolder();
afterAll(scratch.remove);

interface Middleware {
  parseSyntheticAddress(address: unknown, options?: object): object | null;
  isSynthetic(who: object, options?: object): boolean;
  objectKey(synthetic: boolean, key: string): string;
  synthetic(options?: object): (req: object, res: object, next: () => void) => void;
  syntheticHook(options?: object): (request: object) => Promise<void>;
  syntheticHono(options?: object): (c: object, next: () => Promise<void>) => Promise<void>;
  withSynthetic(
    handler: (request: Request, made: Marked) => Response,
    options?: object,
  ): (r: Request) => Response;
}
interface Marked {
  synthetic: boolean;
  services: Record<string, unknown>;
}

const MARKED = { "x-synthetic-source": "product-monitor" };
const ADDRESS = "synthetic+eu-west-1+checkout+k3f9@example.invalid";
const SERVICES = {
  payments: { live: "sk_live", test: "sk_test" },
  telephony: { live: "dial" },
  email: { live: "smtp", test: "sink" },
};
const TEST_SIDE = { payments: "sk_test", telephony: null, email: "sink" };
const LIVE_SIDE = { payments: "sk_live", telephony: "dial", email: "smtp" };

let middleware: Middleware;
beforeAll(async () => {
  await Bun.write(scratch.at("middleware.mjs"), files["middleware.mjs"]!);
  middleware = (await import(scratch.at("middleware.mjs"))) as Middleware;
});

describe("the middleware", () => {
  test("knows the tagged address, and no address that merely looks like it", () => {
    expect(middleware.parseSyntheticAddress(ADDRESS)).toEqual({
      region: "eu-west-1",
      scenario: "checkout",
      shard: "k3f9",
    });
    const real = [
      "",
      "ada@example.com",
      "synthetic@example.invalid",
      "synthetic+a+b@example.invalid",
      null,
      7,
      "synthetic+a+b+c@evil.test",
      "x+a+b+c@example.invalid",
      "synthetic+a+b+c+d@example.invalid",
      "synthetic+a+b+c@example.invalid@evil.test",
      "synthetic+++@example.invalid",
      `${"a".repeat(400)}@example.invalid`,
    ];
    for (const address of real) expect(middleware.parseSyntheticAddress(address)).toBeNull();
    expect(
      middleware.parseSyntheticAddress("bot+r+s+1@qa.test", { prefix: "bot", domain: "qa.test" }),
    ).not.toBeNull();
  });

  test("keeps synthetic requests from money in Node's servers, in Fastify, in Hono and in handlers of Request", async () => {
    const use = middleware.synthetic({ services: SERVICES });
    const server = createServer((req, res) =>
      use(req, res, () => {
        const { synthetic, services } = req as unknown as Marked;
        res.end(JSON.stringify({ synthetic, services }));
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const ask = async (headers: Record<string, string>) =>
      (await (await fetch(`http://127.0.0.1:${port}/`, { headers })).json()) as Marked;
    expect(await ask(MARKED)).toEqual({ synthetic: true, services: TEST_SIDE });
    expect(await ask({})).toEqual({ synthetic: false, services: LIVE_SIDE });
    expect(await ask({ "x-synthetic-source": "somebody" })).toEqual({
      synthetic: false,
      services: LIVE_SIDE,
    });
    server.close();

    const request = { headers: {}, user: { email: ADDRESS } } as Partial<Marked>;
    await middleware.syntheticHook({ services: SERVICES })(request);
    expect([request.synthetic, request.services]).toEqual([true, TEST_SIDE]);

    const set = new Map<string, unknown>();
    const c = {
      req: { raw: new Request("http://x/", { headers: MARKED }) },
      get: (key: string) => set.get(key),
      set: (key: string, value: unknown) => set.set(key, value),
    };
    await middleware.syntheticHono({ services: SERVICES })(c, async () => {});
    expect([set.get("synthetic"), set.get("services")]).toEqual([true, TEST_SIDE]);

    const handler = middleware.withSynthetic((_, made) => Response.json(made), { services: SERVICES });
    const answer = await handler(new Request("http://x/", { headers: MARKED })).json();
    expect(answer).toEqual({ synthetic: true, services: TEST_SIDE });
    expect(middleware.isSynthetic({ user: { is_synthetic: true } })).toBe(true);
    expect(middleware.objectKey(true, "/a/b.png")).toBe("synthetic/a/b.png");
    expect(middleware.objectKey(false, "/a/b.png")).toBe("/a/b.png");
  });
});

describe("synthetic init", () => {
  test("writes what was asked for, and over nothing", async () => {
    const out = scratch.at("out");
    const made = await runProgram(["synthetic", "init", "--db", "postgres,redis", "--out", out]);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const names = [...new Bun.Glob("*").scanSync(out)].sort();
    expect(names).toEqual([
      "README.md",
      "analytics.js",
      "middleware.mjs",
      "object-store.json",
      "postgres.sql",
      "redis.lua",
    ]);
    expect(await Bun.file(`${out}/README.md`).text()).toContain("synthetic_cleanup(7)");
    const lifecycle = (await Bun.file(`${out}/object-store.json`).json()) as { Rules: object[] };
    expect(lifecycle.Rules).toMatchObject([{ Filter: { Prefix: "synthetic/" }, Expiration: { Days: 7 } }]);
    const again = await runProgram(["synthetic", "init", "--out", out]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")]);
    const wrong = await runProgram(["synthetic", "init", "--db", "oracle", "--out", out]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("one of postgres, mysql")]);
  });
});

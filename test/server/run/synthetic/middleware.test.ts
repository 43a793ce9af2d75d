import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Request as ExpressRequest, type NextFunction, type Response as Reply } from "express";
import fastify from "fastify";
import { type Context, Hono } from "hono";
import { runProgram, scratchFolder } from "../../../helpers/program.ts";

setDefaultTimeout(60_000);

interface User {
  email?: string;
  is_synthetic?: boolean;
}
interface Marked {
  synthetic: boolean;
  services: Record<string, unknown>;
}
interface Asked extends Marked {
  /** Where an upload of this request would go. */
  key: string;
}

/** What the file that `synthetic init` writes gives to a product. */
interface Middleware {
  parseSyntheticAddress(address: unknown, options?: object): object | null;
  isSynthetic(who: { headers?: unknown; user?: User }, options?: object): boolean;
  objectKey(synthetic: boolean, key: string): string;
  synthetic(options?: object): (req: object, res: object, next: () => void) => void;
  syntheticHook(options?: object): (request: object) => Promise<void>;
  syntheticHono(options?: object): (c: Context, next: () => Promise<void>) => Promise<void>;
  withSynthetic(
    handler: (request: Request, made: Marked) => Response,
    options?: object,
  ): (request: Request) => Response;
}

const ADDRESS = "synthetic+eu-west-1+checkout+k3f9@example.invalid";
const SERVICES = {
  payments: { live: "sk_live", test: "sk_test" },
  telephony: { live: "dial" },
  email: { live: "smtp", test: "sink" },
};
const TEST_SIDE: Asked = {
  synthetic: true,
  services: { payments: "sk_test", telephony: null, email: "sink" },
  key: "synthetic/a/b.png",
};
const LIVE_SIDE: Asked = {
  synthetic: false,
  services: { payments: "sk_live", telephony: "dial", email: "smtp" },
  key: "/a/b.png",
};

const scratch = scratchFolder();
afterAll(scratch.remove);
let middleware: Middleware;
beforeAll(async () => {
  const { stderr } = await runProgram(["synthetic", "init", "--db", "postgres", "--out", scratch.at("out")]);
  expect(stderr).toBe("");
  middleware = (await import(scratch.at("out/middleware.mjs"))) as Middleware;
});

interface Served {
  port: number;
  stop(): unknown;
}

/** Who is signed in, as far as these servers care: the header stands in for a session. */
const userOf = (header: unknown): User | undefined =>
  typeof header === "string" ? (JSON.parse(header) as User) : undefined;
const answerOf = ({ synthetic, services }: Marked): Asked => ({
  synthetic,
  services,
  key: middleware.objectKey(synthetic, "/a/b.png"),
});

function onNode(listener: Parameters<typeof createServer>[1]): Promise<Served> {
  const server = createServer(listener);
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve({ port: (server.address() as AddressInfo).port, stop: () => server.close() }),
    ),
  );
}

const onBun = (fetch: (request: Request) => Response | Promise<Response>): Served => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  return { port: server.port!, stop: () => server.stop(true) };
};

/** Each set up as the file says, with a sign-in before it where the framework has users. */
const SERVERS: Record<string, (options: object) => Served | Promise<Served>> = {
  Express(options) {
    const app = express();
    app.use((req: ExpressRequest & { user?: User }, _reply: Reply, next: NextFunction) => {
      req.user = userOf(req.headers["x-user"]);
      next();
    });
    app.use(middleware.synthetic(options));
    app.get("/", (req, reply) => void reply.json(answerOf(req as unknown as Marked)));
    return onNode(app);
  },
  async Fastify(options) {
    const app = fastify();
    app.addHook("onRequest", async (request) => {
      Object.assign(request, { user: userOf(request.headers["x-user"]) });
    });
    app.addHook("preHandler", middleware.syntheticHook(options));
    app.get("/", async (request) => answerOf(request as unknown as Marked));
    await app.listen({ host: "127.0.0.1", port: 0 });
    return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() };
  },
  Hono(options) {
    const app = new Hono<{ Variables: Marked & { user?: User } }>();
    app.use(async (c, next) => {
      c.set("user", userOf(c.req.header("x-user")));
      await next();
    });
    app.use(middleware.syntheticHono(options));
    app.get("/", (c) => c.json(answerOf({ synthetic: c.get("synthetic"), services: c.get("services") })));
    return onBun((request) => app.fetch(request));
  },
};

describe("the middleware that synthetic init writes", () => {
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
  });

  test.each(Object.keys(SERVERS))("keeps synthetic requests from money in %s", async (name) => {
    const { port, stop } = await SERVERS[name]!({ services: SERVICES });
    const ask = async (headers: Record<string, string>): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers })).json();
    const as = (user: User) => ask({ "x-user": JSON.stringify(user) });
    try {
      expect(await ask({ "X-Synthetic-Source": "product-monitor" })).toEqual(TEST_SIDE);
      expect(await ask({})).toEqual(LIVE_SIDE);
      expect(await ask({ "x-synthetic-source": "somebody" })).toEqual(LIVE_SIDE);
      expect(await as({ email: ADDRESS })).toEqual(TEST_SIDE);
      expect(await as({ email: "ada@example.com", is_synthetic: true })).toEqual(TEST_SIDE);
      expect(await as({ email: "ada@example.com", is_synthetic: false })).toEqual(LIVE_SIDE);
      // One after another on one server: nothing of a marked request stays for the next.
      expect(await ask({})).toEqual(LIVE_SIDE);
    } finally {
      await stop();
    }
  });

  test.each(Object.keys(SERVERS))("takes the prefix and the domain of the settings in %s", async (name) => {
    const { port, stop } = await SERVERS[name]!({ services: SERVICES, prefix: "bot", domain: "qa.test" });
    const as = async (email: string): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-user": JSON.stringify({ email }) } })).json();
    try {
      expect(await as("bot+r+s+1@qa.test")).toEqual(TEST_SIDE);
      expect(await as(ADDRESS)).toEqual(LIVE_SIDE);
    } finally {
      await stop();
    }
  });

  test("keeps them from it in Node's own servers and in handlers of Request, which have no users", async () => {
    const use = middleware.synthetic({ services: SERVICES });
    const onRequest = middleware.withSynthetic((_, made) => Response.json(answerOf(made)), {
      services: SERVICES,
    });
    const servers = [
      await onNode((req, res) =>
        use(req, res, () => void res.end(JSON.stringify(answerOf(req as unknown as Marked)))),
      ),
      onBun(onRequest),
    ];
    for (const { port, stop } of servers) {
      const ask = async (headers: Record<string, string>): Promise<unknown> =>
        (await fetch(`http://127.0.0.1:${port}/`, { headers })).json();
      expect(await ask({ "x-synthetic-source": "product-monitor" })).toEqual(TEST_SIDE);
      expect(await ask({})).toEqual(LIVE_SIDE);
      await stop();
    }
  });
});

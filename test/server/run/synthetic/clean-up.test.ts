import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { AddressInfo } from "node:net";
import { createContext, runInContext } from "node:vm";
import { PGlite } from "@electric-sql/pglite";
import dynalite from "dynalite";
import { Query } from "mingo";
import { syntheticFiles } from "../../../../server/run/synthetic/templates.ts";
import { type Database, startMariaDb, startRedis } from "../../../helpers/databases.ts";
import { scratchFolder } from "../../../helpers/program.ts";

setDefaultTimeout(120_000);

const files = syntheticFiles(["postgres", "mysql", "mongodb", "dynamodb", "redis"]);
const scratch = scratchFolder();
beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) await Bun.write(scratch.at(name), text);
});
afterAll(scratch.remove);

const DAY_MS = 86_400_000;

describe("the nightly clean-up", () => {
  test("of PostgreSQL removes old synthetic users with what is theirs, in portions, and nobody else", async () => {
    const db = new PGlite();
    await db.exec(`create table users (id serial primary key, created_at timestamptz not null default now());
      create table orders (id serial primary key, user_id integer references users on delete cascade);
      insert into users default values;`);
    await db.exec(files["postgres.sql"]!);
    // Again, as a deployment would.
    await db.exec(files["postgres.sql"]!);
    await db.exec(`insert into users (is_synthetic, created_at) select true, now() - interval '8 days' from generate_series(1, 25);
      insert into users (is_synthetic, created_at) values (true, now() - interval '6 days'), (false, now() - interval '1 year');
      insert into orders (user_id) select id from users;`);
    const clean = async (call: string) =>
      (await db.query<{ gone: number }>(`select ${call}::integer as gone`)).rows[0]!.gone;
    const left = async () =>
      (
        await db.query<{ users: number; orders: number }>(
          "select (select count(*) from users)::integer as users, (select count(*) from orders)::integer as orders",
        )
      ).rows[0];
    expect(await clean("synthetic_cleanup(7, 10)")).toBe(25);
    expect(await left()).toEqual({ users: 3, orders: 3 });
    expect(await clean("synthetic_cleanup()")).toBe(0);
    expect(await clean("synthetic_cleanup(5)")).toBe(1);
    await expect(clean("synthetic_cleanup(-1)")).rejects.toThrow("retention_days must be 0 or more");
    await db.close();
  });

  test("of MySQL does so as its procedure and event, in portions, and can be set up again", async () => {
    const db: Database = await startMariaDb(scratch.at("mariadb"));
    try {
      await db.client(
        [
          "-e",
        ].concat(`create table users (id int auto_increment primary key, created_at timestamp not null default now());
          create table orders (id int auto_increment primary key, user_id int, foreign key (user_id) references users (id) on delete cascade);
          insert into users () values ();`),
      );
      await db.client([], files["mysql.sql"]);
      await db.client([], files["mysql.sql"]);
      // More than two portions.
      await db.client([
        "-e",
        `insert into users (is_synthetic, created_at) select true, now() - interval 8 day from seq_1_to_2100;
         insert into users (is_synthetic, created_at) values (true, now() - interval 6 day), (false, now() - interval 1 year);
         insert into orders (user_id) select id from users;`,
      ]);
      const left = () =>
        db.client(["-e", "select (select count(*) from users), (select count(*) from orders)"]);
      await db.client(["-e", "call synthetic_cleanup(7)"]);
      expect(await left()).toBe("3\t3");
      await db.client(["-e", "call synthetic_cleanup(5)"]);
      expect(await left()).toBe("2\t2");
      expect(db.client(["-e", "call synthetic_cleanup(-1)"])).rejects.toThrow(
        "retention_days must be 0 or more",
      );
      expect(db.client(["-e", "call synthetic_cleanup(null)"])).rejects.toThrow("retention_days must be 0");
      const events = await db.client([
        "-e",
        "select event_name, status, interval_value from information_schema.events",
      ]);
      expect(events).toBe("synthetic_cleanup_nightly\tENABLED\t1");
    } finally {
      await db.stop();
    }
  });

  test("of Redis gives synthetic keys that have none an end, call after call until it answers 0", async () => {
    const db = await startRedis(scratch.at("redis"));
    try {
      const keys = Array.from({ length: 2500 }, (_, at) => `SET synthetic:${at} x`);
      await db.client(
        [],
        [...keys, "SET synthetic:soon x EX 60", "SET real:1 x", "SET unsynthetic:1 x"].join("\n"),
      );
      const clean = (seconds: string) => db.client(["--eval", scratch.at("redis.lua"), ",", seconds]);
      let calls = 1;
      for (; (await clean("604800")) !== "0"; calls++) expect(calls).toBeLessThan(50);
      expect(calls).toBeGreaterThan(1);
      const ends = async (...names: string[]) =>
        (await db.client([], names.map((name) => `TTL ${name}`).join("\n"))).split("\n").map(Number);
      expect(await ends("real:1", "unsynthetic:1")).toEqual([-1, -1]);
      const synthetic = await ends(...keys.map((key) => key.split(" ")[1]!));
      expect(Math.min(...synthetic)).toBeGreaterThan(604_700);
      expect(Math.max(...(await ends("synthetic:soon")))).toBeLessThanOrEqual(60);
      expect(await db.client(["exists", "synthetic-cleanup:cursor"])).toBe("0");
      expect(await clean("0").catch(String)).toContain("the retention must be 1 second or more");
    } finally {
      await db.stop();
    }
  });

  test("of DynamoDB is the item's own end, and its sparse index finds synthetic items alone", async () => {
    const { withSyntheticMark, isOver } = (await import(scratch.at("dynamodb.mjs"))) as {
      withSyntheticMark(item: object, options: object): Record<string, unknown>;
      isOver(item: object, now: number): boolean;
    };
    const now = Date.UTC(2026, 0, 1);
    const since = now / 1000;
    const marked = withSyntheticMark({ id: "1" }, { isSynthetic: true, now });
    expect(marked).toEqual({
      id: "1",
      is_synthetic: true,
      synthetic_since: since,
      expires_at: since + 7 * 86_400,
    });
    const real = withSyntheticMark({ id: "2" }, { isSynthetic: false, now });
    expect(real).toEqual({ id: "2", is_synthetic: false });
    expect([isOver(marked, now), isOver(marked, now + 7 * DAY_MS)]).toEqual([false, true]);
    expect([isOver(real, now), isOver({}, now)]).toEqual([false, false]);
    expect(() => withSyntheticMark({}, { isSynthetic: true, retentionDays: -1 })).toThrow("0 or more");

    const server = dynalite({ createTableMs: 0 });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const ask = createDynamoClient((server.address() as AddressInfo).port);
    try {
      await ask("CreateTable", {
        TableName: "users",
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [
          { AttributeName: "id", AttributeType: "S" },
          { AttributeName: "synthetic_since", AttributeType: "N" },
        ],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
        GlobalSecondaryIndexes: [
          {
            IndexName: "synthetic",
            KeySchema: [{ AttributeName: "synthetic_since", KeyType: "HASH" }],
            Projection: { ProjectionType: "ALL" },
          },
        ],
      });
      const status = async () => (await ask("DescribeTable", { TableName: "users" })).Table?.TableStatus;
      while ((await status()) !== "ACTIVE") await Bun.sleep(10);
      for (const item of [marked, real])
        await ask("PutItem", { TableName: "users", Item: toAttributes(item) });
      const found = await ask("Scan", { TableName: "users", IndexName: "synthetic" });
      expect(found.Items).toEqual([toAttributes(marked)]);
      const over = await ask("Scan", {
        TableName: "users",
        FilterExpression: "expires_at <= :now",
        ExpressionAttributeValues: { ":now": { N: String(since + 7 * 86_400) } },
      });
      expect(over.Items).toEqual([toAttributes(marked)]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("of MongoDB asks for old synthetic users alone, and takes what is theirs first, in portions", () => {
    const users = [
      ...Array.from({ length: 1100 }, (_, _id) => ({ _id, is_synthetic: true, created_at: daysAgo(8) })),
      { _id: -1, is_synthetic: true, created_at: daysAgo(6) },
      { _id: -2, is_synthetic: false, created_at: daysAgo(365) },
      { _id: -3, created_at: daysAgo(365) },
    ];
    const orders = users.map(({ _id }) => ({ user_id: _id }));
    const sessions = [{ user_id: 0 }, { user_id: -3 }];
    const { run, collections, removed, printed } = mongoShell({ users, orders, sessions });
    run(files["mongodb.js"]!, { RETENTION_DAYS: "7" });
    expect(printed).toEqual(["1100 synthetic users removed"]);
    expect(collections.users?.map(({ _id }) => _id)).toEqual([-1, -2, -3]);
    expect(collections.orders?.map(({ user_id }) => user_id)).toEqual([-1, -2, -3]);
    expect(collections.sessions).toEqual([{ user_id: -3 }]);
    expect(removed.slice(0, 3)).toEqual(["orders 1000", "sessions 1", "users 1000"]);
    run(files["mongodb.js"]!, {});
    expect(printed.at(-1)).toBe("0 synthetic users removed");
    expect(() => run(files["mongodb.js"]!, { RETENTION_DAYS: "-1" })).toThrow("0 or more");
    expect(() => run(files["mongodb.js"]!, { RETENTION_DAYS: "soon" })).toThrow("0 or more");
  });
});

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

interface Answer {
  Items?: object[];
  Table?: { TableStatus: string };
}

/** DynamoDB's JSON over HTTP; this server looks at no signature. */
function createDynamoClient(port: number) {
  return async (operation: string, body: object): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `DynamoDB_20120810.${operation}`,
        "x-amz-date": "20260101T000000Z",
        authorization:
          "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
    return response.json() as Promise<Answer>;
  };
}

/** Values as DynamoDB names them. */
const toAttributes = (item: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      typeof value === "boolean"
        ? { BOOL: value }
        : { [typeof value === "number" ? "N" : "S"]: String(value) },
    ]),
  );

type Documents = Record<string, unknown>[];

/**
 * What the template uses of MongoDB's shell, with MongoDB's queries on documents in memory: no server that speaks its
 * protocol can be installed from npm or Debian.
 */
function mongoShell(collections: Record<string, Documents>) {
  const printed: string[] = [];
  const removed: string[] = [];
  const collection = (name: string) => ({
    createIndex: () => name,
    find: (filter: object, projection: Record<string, number>) => ({
      limit: (count: number) => ({
        toArray: () => {
          const query = new Query(filter);
          const found = (collections[name] ?? []).filter((one) => query.test(one)).slice(0, count);
          return found.map((one) =>
            Object.fromEntries(Object.keys(projection).map((key) => [key, one[key]])),
          );
        },
      }),
    }),
    deleteMany: (filter: object) => {
      const query = new Query(filter);
      const before = collections[name] ?? [];
      collections[name] = before.filter((one) => !query.test(one));
      const deletedCount = before.length - collections[name].length;
      removed.push(`${name} ${deletedCount}`);
      return { deletedCount };
    },
  });
  const db = new Proxy({}, { get: (_, name) => collection(String(name)) });
  return {
    collections,
    printed,
    removed,
    run: (script: string, env: Record<string, string>) =>
      runInContext(
        script,
        createContext({ db, Date, Error, process: { env }, print: (text: string) => printed.push(text) }),
      ),
  };
}

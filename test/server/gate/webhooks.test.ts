import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import examples from "@octokit/webhooks-examples";
import fc from "fast-check";
import type { InboundDelivery } from "../../../server/gate/inbound-deliveries/model.ts";
import { happenedAt } from "../../../server/gate/webhooks/age.ts";
import { isKnownEvent, readEvent } from "../../../server/gate/webhooks/read-event.ts";
import { isSigned } from "../../../server/gate/webhooks/signature.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { example, type Payload, signedHeaders } from "../../helpers/host-api/host-api.ts";

setDefaultTimeout(60_000);

const SECRET = "It's a Secret to Everybody";
const MAX_BYTES = 26_214_400;
const MINUTE_MS = 60_000;
/** Of the published examples. */
const REPOSITORY = "Codertocat/Hello-World";
const APP_ID = 29310;
const US = { repository: REPOSITORY, appId: String(APP_ID) };
const code_host = { app_id: APP_ID, webhook_secret: SECRET, repository: REPOSITORY };

let t: TestApp;
let base: string;
let start: number;
beforeAll(async () => {
  t = await testApp({
    settings: { code_host, rate_limits: { writes_per_minute: 1, reads_per_minute: 10_000 } },
  });
  base = t.listen();
  start = t.clock.now();
});
afterAll(() => t.close());
beforeEach(() => t.clock.set(start));

interface Answer {
  status: number;
  body: { status?: string; delivery_id?: string; reason?: string; error?: string; message?: string };
}

async function send(body: string | Uint8Array, headers: Record<string, string>): Promise<Answer> {
  const response = await t.api("/v1/webhooks/github", {
    method: "POST",
    body: body as BodyInit,
    headers: { authorization: "", ...headers },
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}
const deliver = (event: string, payload: Payload, guid?: string) => {
  const body = JSON.stringify(payload);
  return send(body, signedHeaders(event, body, guid));
};

const listed = async (query = "") =>
  ((await (await t.api(`/v1/inbound-deliveries${query}`)).json()) as { items: InboundDelivery[] }).items;
const newest = async () => (await listed("?limit=1"))[0]!;

/** An opened pull request that was changed just now. */
function opened(changes: Payload = {}): Payload {
  const payload = example("pull_request", "opened");
  const updated_at = new Date(t.clock.now()).toISOString();
  return { ...payload, pull_request: { ...(payload.pull_request as Payload), updated_at, ...changes } };
}

const FOLLOWED: Record<string, string[]> = {
  pull_request: ["opened", "reopened", "synchronize", "ready_for_review", "converted_to_draft", "closed"],
  check_run: ["rerequested", "requested_action"],
  check_suite: ["requested", "rerequested"],
  installation: ["created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"],
  installation_repositories: ["added", "removed"],
  pull_request_review: ["submitted", "dismissed"],
  merge_group: ["checks_requested"],
};

describe("every published example", () => {
  const all = examples
    .filter(({ name }) => isKnownEvent(name))
    .flatMap(({ name, examples: some }) =>
      some.map((payload, i) => ({ name, i, payload: payload as unknown as Payload })),
    );

  test("of every event that we follow is taken at its own time, queued where something follows", async () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(9);
    for (const { name, i, payload } of all) {
      t.clock.set(happenedAt(name, payload) ?? start);
      const { status, body } = await deliver(name, payload);
      const place = `${name} ${i} ${String(payload.action)}`;
      expect({ place, status, body }).toMatchObject({ status: 200 });
      const isOurs = (payload.repository as Payload | undefined)?.full_name ?? REPOSITORY;
      const app = ((payload[name] as Payload | undefined)?.app as Payload | undefined)?.id ?? APP_ID;
      const follows =
        isOurs === REPOSITORY &&
        app === APP_ID &&
        (name === "push" || (FOLLOWED[name] ?? []).includes(String(payload.action)));
      expect({ place, status: body.status }).toEqual({ place, status: follows ? "queued" : "ignored" });
    }
  });

  test("is refused when one byte of it is another one, and when it is unsigned", async () => {
    for (const { name, payload } of all) {
      const text = JSON.stringify(payload);
      const at = Math.floor(text.length / 2);
      const changed = `${text.slice(0, at)}${text[at] === "x" ? "y" : "x"}${text.slice(at + 1)}`;
      expect(await send(changed, signedHeaders(name, text))).toMatchObject({
        status: 401,
        body: { error: "signature_invalid" },
      });
    }
    const { "x-hub-signature-256": _, ...unsigned } = signedHeaders("push", "{}");
    for (const signature of [{}, { "x-hub-signature-256": "sha256=" }, { "x-hub-signature": "sha1=00" }])
      expect((await send("{}", { ...unsigned, ...(signature as Record<string, string>) })).status).toBe(401);
  });

  test("that was mutilated is read, ignored or named as unreadable, and never throws", () => {
    const holes = fc.constantFrom(null, undefined, "", 0, -1, [], {}, "x".repeat(5000), true);
    const spot = fc.record({
      which: fc.nat(all.length - 1),
      path: fc.array(fc.nat(50), { maxLength: 4 }),
      hole: holes,
    });
    fc.assert(
      fc.property(spot, ({ which, path, hole }) => {
        const { name, payload } = structuredClone(all[which]!);
        let node: Record<string, unknown> = payload;
        for (const [depth, step] of path.entries()) {
          const keys = Object.keys(node);
          if (keys.length === 0) break;
          const key = keys[step % keys.length]!;
          const next = node[key];
          if (depth === path.length - 1 || typeof next !== "object" || next === null) node[key] = hole;
          else node = next as Record<string, unknown>;
        }
        const read = readEvent(name, JSON.parse(JSON.stringify(payload)) as Payload, US);
        expect(["event", "ignored", "unreadable"]).toContain(read.kind);
        if (read.kind === "event") expect(JSON.stringify(read.event).length).toBeLessThan(16 * 1024);
      }),
      { numRuns: 500 },
    );
  });
});

describe("what a payload is read as", () => {
  const read = (name: string, payload: Payload) => readEvent(name, payload, US);

  test("a fork, a fork that was deleted, a draft and a merged one are told apart", () => {
    const pull = example("pull_request", "opened").pull_request as Payload;
    const head = pull.head as Payload;
    const eve = { ...head, repo: { ...(head.repo as Payload), full_name: "eve/Hello-World" } };
    const of = (changes: Payload) =>
      read("pull_request", { ...opened(), pull_request: { ...pull, ...changes } });
    expect(of({})).toMatchObject({ subject: "#2", event: { isFork: false, headRepository: REPOSITORY } });
    expect(of({ head: eve, draft: true })).toMatchObject({ event: { isFork: true, isDraft: true } });
    expect(of({ head: { ...head, repo: null } })).toMatchObject({
      event: { isFork: true, headRepository: null },
    });
    expect(of({ user: null, merged: true })).toMatchObject({ event: { author: null, isMerged: true } });
    expect(of({ head: null })).toMatchObject({ kind: "unreadable" });
  });

  test("an edit follows only when the base changed", () => {
    const edited = { ...opened(), action: "edited" };
    expect(read("pull_request", { ...edited, changes: { title: { from: "x" } } }).kind).toBe("ignored");
    expect(read("pull_request", { ...edited, changes: { base: { ref: { from: "x" } } } }).kind).toBe("event");
  });

  test("a branch that was deleted has no commit, a tag is no branch, an installation may be absent", () => {
    const push = example("push", null);
    const none = "0".repeat(40);
    const deleted = { ...push, ref: "refs/heads/old", deleted: true, after: none, head_commit: null };
    expect(read("push", deleted)).toMatchObject({
      subject: "old",
      event: { afterSha: null, isDefaultBranch: false },
    });
    const main = { ...push, ref: "refs/heads/master", before: none, installation: undefined };
    expect(read("push", main)).toMatchObject({ event: { beforeSha: null, isDefaultBranch: true } });
  });

  test("checks of other apps and other repositories are ignored, whatever case the name is written in", () => {
    const repository = example("check_run", "completed").repository as Payload;
    const given = example("check_run", "rerequested");
    const run = {
      ...given,
      check_run: { ...(given.check_run as Payload), app: { id: APP_ID } },
      repository: { ...repository, full_name: REPOSITORY },
    };
    const of = (app: unknown) =>
      read("check_run", { ...run, check_run: { ...(run.check_run as Payload), app } });
    expect(of({ id: 1 })).toMatchObject({ kind: "ignored", reason: "It is about another app's check." });
    expect(of(null)).toMatchObject({ kind: "ignored" });
    expect(readEvent("check_run", run, { ...US, repository: REPOSITORY.toUpperCase() }).kind).toBe("event");
    expect(readEvent("check_run", run, { ...US, repository: "acme/shop" })).toMatchObject({
      reason: "It is about Codertocat/Hello-World; settings.json names acme/shop.",
    });
    expect(readEvent("check_run", run, { ...US, repository: null })).toMatchObject({ kind: "ignored" });
  });

  test("a deployment is followed when it succeeded, has an address and is no production", () => {
    const given = example("deployment_status", null);
    const of = (status: Payload, deployment: Payload = {}) =>
      read("deployment_status", {
        ...given,
        deployment_status: { ...(given.deployment_status as Payload), environment: "preview", ...status },
        deployment: { ...(given.deployment as Payload), environment: "preview", ...deployment },
      });
    const good = { state: "success", environment_url: "https://pr-2.preview.example" };
    expect(of(good)).toMatchObject({ kind: "event", event: { url: good.environment_url } });
    expect(of({ ...good, state: "pending" }).kind).toBe("ignored");
    expect(of({ ...good, environment_url: "" }).kind).toBe("ignored");
    expect(of({ ...good, environment_url: "javascript:alert(1)" }).kind).toBe("ignored");
    expect(of({ ...good, environment: "Production" }).kind).toBe("ignored");
    expect(of(good, { production_environment: true }).kind).toBe("ignored");
  });
});

describe("the body", () => {
  test("the host's published vector is signed as it says", () => {
    const header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    expect(isSigned(Buffer.from("Hello, World!"), header, SECRET)).toBe(true);
    expect(isSigned(Buffer.from("Hello, World!"), header, "another")).toBe(false);
    expect(isSigned(Buffer.from("Hello, World"), header, SECRET)).toBe(false);
  });

  test("emoji count as the bytes that they are, in JSON and in a form", async () => {
    const payload = opened({ title: "🙂 Ünïcode “quoted” \ud83d\udc69\u200d\ud83d\ude80" });
    expect((await deliver("pull_request", payload)).status).toBe(200);
    const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect(await send(form, { ...signedHeaders("pull_request", form), ...type })).toMatchObject({
      status: 200,
      body: { status: "queued" },
    });
    // Signed as JSON, sent as a form: the bytes are others.
    expect(
      (await send(form, { ...signedHeaders("pull_request", JSON.stringify(payload)), ...type })).status,
    ).toBe(401);
  });

  test("what is no JSON object, no UTF-8 or nests without end is 422, though it is signed", async () => {
    const bodies: (string | Uint8Array)[] = ["", "{", "[]", "null", "7", "[".repeat(100_000)];
    bodies.push(new Uint8Array([0x7b, 0xff, 0x7d]), "\ufeff{}x");
    for (const body of bodies)
      expect(await send(body, signedHeaders("push", body))).toMatchObject({
        status: 422,
        body: { error: "validation_failed" },
      });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect((await send("a=1", { ...signedHeaders("push", "a=1"), ...type })).body.message).toContain(
      '"payload"',
    );
  });

  test("headers that are missing or are none are 422", async () => {
    const body = JSON.stringify(opened());
    const good = signedHeaders("pull_request", body);
    for (const broken of [
      { "x-github-event": "" },
      { "x-github-delivery": "" },
      { "x-github-event": "../x" },
    ])
      expect((await send(body, { ...good, ...broken } as Record<string, string>)).status).toBe(422);
  });

  test("25 MB are taken and one byte more is not, with a length and in chunks without", async () => {
    const text = JSON.stringify(opened());
    const whole = new Uint8Array(MAX_BYTES + 1).fill(0x20);
    whole.set(Buffer.from(text));
    for (const [size, status] of [
      [MAX_BYTES, 200],
      [MAX_BYTES + 1, 413],
    ] as const) {
      const body = whole.subarray(0, size);
      const headers = signedHeaders("pull_request", body);
      const chunked = new ReadableStream({
        start(controller) {
          for (let i = 0; i < size; i += 1024 * 1024) controller.enqueue(body.subarray(i, i + 1024 * 1024));
          controller.close();
        },
      });
      for (const sent of [body, chunked]) {
        const response = await fetch(`${base}/v1/webhooks/github`, {
          method: "POST",
          body: sent as BodyInit,
          headers: { ...headers, "x-github-delivery": randomUUID() },
        });
        const answer = (await response.json()) as { error?: string };
        expect({ size, status: response.status, error: answer.error }).toEqual({
          size,
          status,
          error: status === 413 ? "body_too_large" : undefined,
        } as never);
      }
    }
  });

  test("a body that does not come to its end is given up", async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
    });
    const asked = t.api("/v1/webhooks/github", {
      method: "POST",
      body,
      headers: { authorization: "", ...signedHeaders("push", "{}") },
    });
    await Bun.sleep(0);
    t.clock.advance(31_000);
    expect((await asked).status).toBe(408);
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    const cut = await t.api("/v1/webhooks/github", {
      method: "POST",
      body: broken,
      headers: { authorization: "", ...signedHeaders("push", "{}") },
    });
    expect(cut.status).toBe(408);
  });
});

describe("age", () => {
  const at = (offsetMs: number) => opened({ updated_at: new Date(t.clock.now() + offsetMs).toISOString() });

  test("ten minutes old and five ahead are taken; a second more is 422, kept, and can be replayed", async () => {
    expect((await deliver("pull_request", at(-10 * MINUTE_MS))).status).toBe(200);
    expect((await deliver("pull_request", at(5 * MINUTE_MS))).status).toBe(200);
    for (const offset of [-10 * MINUTE_MS - 1000, 5 * MINUTE_MS + 1000, -86_400_000])
      expect(await deliver("pull_request", at(offset))).toMatchObject({
        status: 422,
        body: { error: "delivery_stale" },
      });
    expect(await newest()).toMatchObject({ state: "stale", event: "pull_request", can_be_replayed: true });
  });

  test("a time is the action's own, in seconds or in words; an action without one is taken and marked", async () => {
    const seconds = { ...example("push", null) };
    const repository = seconds.repository as Payload;
    const pushed = (pushed_at: unknown) => ({ ...seconds, repository: { ...repository, pushed_at } });
    const now = t.clock.now();
    expect((await deliver("push", pushed(Math.floor(now / 1000)))).status).toBe(200);
    expect((await newest()).happened_at).toBe(new Date(now).toISOString());
    expect((await deliver("push", pushed(new Date(now).toISOString()))).status).toBe(200);
    expect((await deliver("push", pushed(Math.floor(now / 1000) - 700))).status).toBe(422);
    expect((await deliver("push", pushed("yesterday"))).status).toBe(200);
    expect((await newest()).happened_at).toBeNull();
    expect((await deliver("merge_group", example("merge_group", null))).status).toBe(200);
    expect(await newest()).toMatchObject({ event: "merge_group", happened_at: null });
  });

  test("what nothing follows is never late: it is ignored", async () => {
    expect(await deliver("pull_request", { ...at(-86_400_000), action: "labeled" })).toMatchObject({
      status: 200,
      body: { status: "ignored" },
    });
  });
});

describe("an id", () => {
  test("that comes again within a day gets the first answer, also when ten come at once, and is done once", async () => {
    const guid = randomUUID();
    const payload = opened();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliver("pull_request", payload, guid)),
    );
    const [first] = answers;
    expect(first).toMatchObject({ status: 200, body: { status: "queued" } });
    for (const one of answers) expect(one).toEqual(first!);
    expect((await listed("?limit=200")).filter((one) => one.guid === guid)).toHaveLength(1);
    t.clock.advance(86_400_000 - 1000);
    expect(await deliver("pull_request", payload, guid)).toEqual(first!);
    t.clock.advance(2000);
    expect(await deliver("pull_request", payload, guid)).toMatchObject({ status: 422 });
    const fresh = await deliver("pull_request", opened(), guid);
    expect(fresh.body.status).toBe("queued");
    expect(fresh.body.delivery_id).not.toBe(first!.body.delivery_id);
  });

  test("of a delivery that was not taken is not remembered", async () => {
    const guid = randomUUID();
    const stale = opened({ updated_at: new Date(t.clock.now() - 3_600_000).toISOString() });
    expect((await deliver("pull_request", stale, guid)).status).toBe(422);
    const broken = { ...opened(), pull_request: {} };
    expect((await deliver("pull_request", broken, guid)).body.message).toContain("pull_request.title");
    expect(await newest()).toMatchObject({ state: "unreadable", can_be_replayed: false });
    expect((await deliver("pull_request", opened(), guid)).body.status).toBe("queued");
  });
});

describe("what is answered", () => {
  test("an unknown event is ignored, a ping gets a pong, both told apart in the list", async () => {
    expect(await deliver("star", { action: "created" })).toMatchObject({
      status: 200,
      body: { status: "ignored" },
    });
    expect(await newest()).toMatchObject({
      event: "star",
      state: "ignored",
      outcome: 'Nothing here follows "star".',
    });
    expect(await deliver("ping", example("ping", null))).toEqual({ status: 200, body: { status: "pong" } });
  });

  test("no org's limit swallows a delivery, and no credential is asked for", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => deliver("pull_request", opened())));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  });

  test("deliveries are counted by event and outcome, strangers' events together", async () => {
    const { body } = await t.deps.metrics.text();
    const line = (event: string, outcome: string) =>
      new RegExp(`tracedeck_inbound_webhooks_total\\{event="${event}",outcome="${outcome}"\\} [1-9]`);
    expect(body).toMatch(line("pull_request", "queued"));
    expect(body).toMatch(line("pull_request", "repeated"));
    expect(body).toMatch(line("pull_request", "stale"));
    expect(body).toMatch(line("other", "ignored"));
    expect(body).toMatch(line("other", "signature_invalid"));
    expect(body).toMatch(line("other", "too_large"));
  });

  test("without an app everything is ignored, whoever signed it; without a secret the operator is told", async () => {
    await using plug = await testApp({ settings: { code_host: { webhook_secret: SECRET } } });
    const answer = await plug.api("/v1/webhooks/github", { method: "POST", body: "no JSON at all" });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: "ignored: plug-and-play" });
    const large = new Uint8Array(MAX_BYTES + 1);
    expect((await plug.api("/v1/webhooks/github", { method: "POST", body: large })).status).toBe(413);
    await using half = await testApp({
      settings: { code_host: { app_id: "Iv1.abc", repository: REPOSITORY } },
    });
    const refused = await half.api("/v1/webhooks/github", { method: "POST", body: "{}" });
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("code_host.webhook_secret");
  });

  test("nothing that was sent stands in the log", () => {
    expect(t.logged.join("\n")).not.toContain(SECRET);
  });
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { diffTraces } from "../../../../../server/trace/format/diff/diff.ts";
import { createFactReader } from "../../../../../server/trace/format/diff/facts.ts";
import { nodesOfHtml } from "../../../../../server/trace/format/diff/page-nodes.ts";
import { DIMENSIONS, type Dimension, MOST_ITEMS } from "../../../../../server/trace/format/diff/types.ts";

type Told = { kind: string; step_id?: string; [field: string]: unknown };

const read = {
  body: async () => null,
  nodes: async (_: "a" | "b", page: { html: string | null }) =>
    page.html === null ? null : nodesOfHtml(page.html),
};

function facts(events: Told[], startedAt = 1_000) {
  const reader = createFactReader();
  for (const [seq, event] of events.entries()) reader.add({ seq, ts: startedAt + seq * 10, ...event });
  return reader.finish();
}

const diff = async (a: Told[], b: Told[], dimension: Dimension = "overview") =>
  (await diffTraces(facts(a), facts(b, 9_000_000), dimension, read))[dimension]!;

const click = (step: string, selector: string, more: object = {}): Told => ({
  kind: "agent.action",
  step_id: step,
  name: "page.click",
  title: `Click ${selector}`,
  params: { selector },
  duration_ms: 3,
  ...more,
});
const call = (id: string, method: string, url: string, status: number, more: object = {}): Told[] => [
  { kind: "network.request", request_id: id, method, url, headers: [], ...more },
  { kind: "network.response", request_id: id, url, status, headers: [], duration_ms: 5, ...more },
];
const say = (text: string, kind = "console.log", more: object = {}): Told => ({ kind, text, ...more });

const anyEvents: fc.Arbitrary<Told[]> = fc
  .array(
    fc.oneof(
      fc
        .record({ step: fc.nat(20), what: fc.constantFrom("add", "pay", "next"), failed: fc.boolean() })
        .map(({ step, what, failed }) => [
          click(`s${step}`, what, failed ? { error: { message: "no" } } : {}),
        ]),
      fc
        .record({
          id: fc.nat(1000),
          path: fc.constantFrom("/", "/api/cart", "/api/cart?x=1", "/orders/77"),
          method: fc.constantFrom("GET", "POST"),
          status: fc.constantFrom(200, 204, 404, 500),
        })
        .map(({ id, path, method, status }) =>
          call(`r${id}`, method, `http://shop.test:3000${path}`, status),
        ),
      fc
        .record({
          text: fc.constantFrom("ready", "slow 12 ms", "failed (500)", "failed (503)"),
          kind: fc.constantFrom("console.log", "console.error"),
          line: fc.nat(3),
        })
        .map(({ text, kind, line }) => [
          say(text, kind, { location: { url: "http://shop.test/x.js", line, column: 1 } }),
        ]),
      fc
        .record({ key: fc.constantFrom("a", "b"), n: fc.nat(2) })
        .map(({ key, n }) => [{ kind: "clone.state", service: "db", key, before: null, after: { n } }]),
      fc
        .record({
          text: fc.constantFrom("one", "two"),
          html: fc.constantFrom("<h1>A</h1>", "<h1>B</h1><p id=x>c</p>"),
        })
        .map(({ text, html }) => [
          { kind: "dom.mutation", target: "#n", adds: [], removes: [], attributes: {}, text },
          { kind: "dom.snapshot", url: "http://shop.test/", html },
        ]),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.flat());

describe("whatever the traces", () => {
  test("a trace compared with itself has nothing but sames and no divergence", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, fc.constantFrom(...DIMENSIONS), async (events, dimension) => {
        const { first_divergence, summary, items } = await diff(events, events, dimension);
        expect(first_divergence).toBeNull();
        expect(summary).toMatchObject({ added: 0, removed: 0, changed: 0 });
        expect(items.every(({ change }) => change === "same")).toBe(true);
      }),
    );
  });

  test("swapping them swaps what was added and removed, and changes no other count", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEvents,
        anyEvents,
        fc.constantFrom(...DIMENSIONS),
        async (one, other, dimension) => {
          const there = (await diff(one, other, dimension)).summary;
          const back = (await diff(other, one, dimension)).summary;
          expect(back).toEqual({ ...there, added: there.removed, removed: there.added });
        },
      ),
    );
  });

  test("one step put in is one step added, and all others stay aligned", async () => {
    const steps = fc.array(fc.constantFrom("add", "pay", "next"), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (selectors, place) => {
        const before = selectors.map((selector, at) => click(`s${at}`, selector));
        const after = [...before];
        after.splice(place % (before.length + 1), 0, click("new", "dismiss"));
        const { summary, first_divergence } = await diff(before, after, "steps");
        expect(summary).toEqual({ added: 1, removed: 0, changed: 0, same: before.length });
        expect(first_divergence).toMatchObject({ change: "added", b: { step_id: "new" } });
      }),
    );
  });

  test("the overview counts what the other dimensions count", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, anyEvents, async (one, other) => {
        const sum = { added: 0, removed: 0, changed: 0, same: 0 };
        for (const dimension of DIMENSIONS.slice(1)) {
          const { summary } = await diff(one, other, dimension);
          for (const change of Object.keys(sum) as (keyof typeof sum)[]) sum[change] += summary[change];
        }
        expect((await diff(one, other)).summary).toEqual(sum);
      }),
      { numRuns: 40 },
    );
  });
});

describe("steps", () => {
  test("a step that failed on one side only is changed, and says which way it turned", async () => {
    const failed = click("p2", "pay", { error: { message: "Timeout 1500ms exceeded" } });
    const { first_divergence } = await diff(
      [click("a", "add"), click("b", "pay")],
      [click("p1", "add"), failed],
      "steps",
    );
    expect(first_divergence).toMatchObject({
      dimension: "steps",
      change: "changed",
      a: { step_id: "b", seq: 1, status: "passed" },
      b: { step_id: "p2", seq: 1, status: "failed" },
      detail: { now: "failing", differences: [{ path: "/status", a: "passed", b: "failed" }] },
    });
  });

  test("a locator that was renamed is the same step changed", async () => {
    const { summary, first_divergence } = await diff(
      [click("a", "add"), click("b", "pay")],
      [click("a", "put"), click("b", "pay")],
      "steps",
    );
    expect(summary).toEqual({ added: 0, removed: 0, changed: 1, same: 1 });
    expect(first_divergence?.detail?.differences).toEqual([
      { path: "/title", a: "Click add", b: "Click put" },
    ]);
  });

  test("values typed in are compared", async () => {
    const fill = (value: string) =>
      click("a", "name", { name: "page.fill", params: { selector: "name", value } });
    const { first_divergence } = await diff([fill("Ada")], [fill("Bob")], "steps");
    expect(first_divergence?.detail?.differences).toEqual([{ path: "/params/value", a: "Ada", b: "Bob" }]);
  });

  test("set-up that only one runner has is left out while it goes well", async () => {
    const hook = (more: object) =>
      click("h", "", { name: "Before Hooks", title: "Before Hooks", category: "hook", ...more });
    expect(
      (await diff([click("a", "add")], [hook({}), click("a", "add")], "steps")).first_divergence,
    ).toBeNull();
    const broken = await diff(
      [click("a", "add")],
      [hook({ error: { message: "no browser" } }), click("a", "add")],
      "steps",
    );
    expect(broken.first_divergence).toMatchObject({ change: "added", key: "Before Hooks" });
  });
});

describe("another version of the recorder", () => {
  test("sets the browser up in its own way, which is no difference", async () => {
    const launch = (params: object): Told => ({
      kind: "agent.action",
      step_id: "launch",
      name: "launch",
      category: "pw:api",
      title: "Launch browser",
      params,
    });
    const { summary } = await diff([launch({ args: ["--no-sandbox"] })], [launch({})], "steps");
    expect(summary).toEqual({ added: 0, removed: 0, changed: 0, same: 1 });
  });

  test("writes a locator in another way, which is the same step", async () => {
    const expects = (title: string): Told => ({ kind: "assertion", step_id: "e", title, ok: true });
    const { summary } = await diff(
      [expects('Expect "toHaveText" #count')],
      [expects("Expect \"toHaveText\" locator('#count')")],
      "steps",
    );
    expect(summary).toEqual({ added: 0, removed: 0, changed: 0, same: 1 });
  });
});

describe("raw", () => {
  const visit = (port: number, id: string): Told[] => [
    click("s", `#order-${id}`),
    ...call("r", "GET", `http://shop.test:${port}/orders/${id}?t=${id}`, 200),
    say(`order ${id} is ready`),
  ];
  const [one, other] = [visit(3000, "12345678901"), visit(4000, "98765432109")];
  const raw = async (dimension: Dimension) =>
    (await diffTraces(facts(one), facts(other), dimension, read, { isRaw: true }))[dimension]!;

  test("tells what is otherwise replaced, of the same pairs", async () => {
    expect((await diff(one, other)).first_divergence).toBeNull();
    expect((await raw("steps")).first_divergence?.detail?.differences?.[0]).toEqual({
      path: "/title",
      a: "Click #order-12345678901",
      b: "Click #order-98765432109",
    });
    expect((await raw("network")).first_divergence?.detail?.differences?.[0]?.path).toBe("/url");
    expect((await raw("console")).first_divergence?.detail?.differences?.[0]?.path).toBe("/text");
    expect((await raw("overview")).summary).toEqual({ added: 0, removed: 0, changed: 3, same: 0 });
  });
});

describe("network", () => {
  const shop = "http://shop.test:3000";
  test("a status that changed is a change, at its step in both", async () => {
    const run = (status: number) => [
      click("s1", "pay"),
      ...call("r1", "POST", `${shop}/api/checkout`, status, { step_id: "s1" }),
    ];
    const { first_divergence } = await diff(run(200), run(500), "network");
    expect(first_divergence).toMatchObject({
      key: "POST /api/checkout",
      change: "changed",
      a: { seq: 1, step_id: "s1" },
      b: { seq: 1, step_id: "s1" },
      detail: { now: "failing", differences: [{ path: "/status", a: 200, b: 500 }] },
    });
  });

  test("requests that go out together may come in any order", async () => {
    const [one, two] = [call("1", "GET", `${shop}/a.svg`, 200), call("2", "GET", `${shop}/b.svg`, 200)];
    expect((await diff([...one, ...two], [...two, ...one], "network")).first_divergence).toBeNull();
  });

  test("another host of the same site and another port are no difference; another host beside it is one", async () => {
    const at = (host: string, cdn: string) => [
      ...call("1", "GET", `${host}/`, 200),
      ...call("2", "GET", `${cdn}/logo.svg`, 200),
    ];
    const same = await diff(
      at("http://one.test:1", "http://cdn.test"),
      at("https://two.test", "http://cdn.test"),
      "network",
    );
    expect(same.first_divergence).toBeNull();
    const other = await diff(
      at("http://one.test", "http://cdn.test"),
      at("http://one.test", "http://cdn2.test"),
      "network",
    );
    expect(other.summary).toMatchObject({ added: 1, removed: 1 });
  });

  test("what JSON bodies say is compared, ids and times aside", async () => {
    const run = (id: number, total: number) =>
      call("r", "GET", `${shop}/api/cart`, 200, { body: JSON.stringify({ id, total }) });
    expect((await diff(run(1, 5), run(2, 5), "network")).first_divergence).toBeNull();
    expect(
      (await diff(run(1, 5), run(2, 6), "network")).first_divergence?.detail?.differences,
    ).toContainEqual({
      path: "/response_body/total",
      a: 5,
      b: 6,
    });
  });

  test("a request that is polled more often is one item with a count", async () => {
    const poll = (times: number) =>
      Array.from({ length: times }, (_, at) => call(`r${at}`, "GET", `${shop}/api/status`, 200)).flat();
    const { summary, first_divergence } = await diff(poll(1), poll(4), "network");
    expect(summary).toEqual({ added: 1, removed: 0, changed: 0, same: 1 });
    expect(first_divergence?.detail?.times).toEqual({ a: 0, b: 3 });
  });
});

test("console lines repeat without being a difference; a line from the same place is that line changed", async () => {
  const at = { location: { url: "http://shop.test/app.js", line: 4, column: 2 } };
  expect((await diff([say("tick")], [say("tick"), say("tick")], "console")).first_divergence).toBeNull();
  const { summary } = await diff(
    [say("total 5", "console.log", at)],
    [say("total 6", "console.log", at)],
    "console",
  );
  expect(summary).toMatchObject({ added: 0, removed: 0, changed: 1 });
});

test("states of clones and injected faults are the dimension clone", async () => {
  const world = (n: number): Told[] => [
    { kind: "clone.state", service: "payments", key: "charges", before: null, after: { amount: n } },
  ];
  const fault = { kind: "error_injection", url: "**/api", status: 503 };
  const { summary, first_divergence } = await diff(world(1), [...world(2), fault], "clone");
  expect(summary).toEqual({ added: 1, removed: 0, changed: 1, same: 0 });
  expect(first_divergence?.detail?.differences).toEqual([{ path: "/after/amount", a: 1, b: 2 }]);
});

describe("pages", () => {
  const page = (html: string, url = "http://shop.test/"): Told[] => [
    click("s", "add"),
    { kind: "dom.snapshot", step_id: "s", url, html },
  ];

  test("an element whose text or state changed is named by what it is known by", async () => {
    const { items, summary } = await diff(
      page('<ul><li>a<li>b</ul><h1 id="t">Order &amp; pay</h1><button name=go>Go</button>'),
      page('<ul><li>a<li>b</ul><h1 id="t">Checkout</h1><button name=go disabled>Go</button><p>new'),
      "dom",
    );
    expect(
      items.filter(({ change }) => change !== "same").map(({ key, change }) => `${change} ${key}`),
    ).toEqual(["changed h1[id=t]", "changed button[name=go]", "added p"]);
    expect(items.find(({ key }) => key.startsWith("h1"))?.detail?.differences).toEqual([
      { path: "/text", a: "Order & pay", b: "Checkout" },
    ]);
    expect(summary).toMatchObject({ removed: 0, same: 3 });
  });

  test("two different pages are one change, whatever is on them", async () => {
    const { summary, first_divergence } = await diff(
      page("<p>a<p>b", "http://shop.test/orders/1"),
      page("<p>c", "http://shop.test/checkout"),
      "dom",
    );
    expect(summary).toEqual({ added: 0, removed: 0, changed: 1, same: 0 });
    expect(first_divergence?.key).toBe("page");
  });

  test("a page caught a moment before the other is no difference, unless it stays so or raw is asked for", async () => {
    const counting = (first: string, last: string): Told[] => [
      ...page(`<h1>Cart</h1><b id="count">${first}</b>`),
      click("s2", "pay"),
      {
        kind: "dom.snapshot",
        step_id: "s2",
        url: "http://shop.test/",
        html: `<h1>Cart</h1><b id="count">${last}</b>`,
      },
    ];
    const [late, early] = [counting("one", "one <!---->"), counting("none", "one")];
    expect((await diff(late, early, "dom")).first_divergence).toBeNull();
    expect((await diff(late, counting("none", "none"), "dom")).summary.changed).toBe(1);
    const raw = await diffTraces(facts(late), facts(early), "dom", read, { isRaw: true });
    expect(raw.dom!.first_divergence).toMatchObject({ key: "b[id=count]", change: "changed" });
  });

  test("a passing moment stays different is told once", async () => {
    const twice = (text: string) => [
      ...page(`<h1>${text}</h1>`),
      click("s2", "pay"),
      { kind: "dom.snapshot", step_id: "s2", url: "http://shop.test/", html: `<h1>${text}</h1><!---->` },
    ];
    expect((await diff(twice("A"), twice("B"), "dom")).summary.changed).toBe(1);
  });

  test("scripts, styles and passwords are never told", async () => {
    const { items } = await diff(
      page("<script>secret()</script><style>.x{}</style><input type=password value=hunter2>"),
      page("<script>other()</script><style>.y{}</style><input type=password value=hunter3>"),
      "dom",
    );
    expect(JSON.stringify(items)).not.toMatch(/hunter|secret|other\(\)/);
    expect(items.every(({ change }) => change === "same")).toBe(true);
  });
});

describe("the overview", () => {
  test("begins with the cause: the bad answer before the step and the line that follow from it", async () => {
    const run = (status: number) => [
      click("s1", "pay", status === 200 ? {} : { error: { message: "Timeout" } }),
      ...call("r", "POST", "http://shop.test/api/checkout", status, { step_id: "s1" }),
      ...(status === 200 ? [] : [say("checkout failed", "console.error", { step_id: "s1" })]),
    ];
    const { first_divergence, items } = await diff(run(200), run(500));
    expect(first_divergence).toMatchObject({ dimension: "network", key: "POST /api/checkout" });
    expect(items.map(({ key, change }) => [key, change])).toEqual([
      ["steps", "changed"],
      ["network", "changed"],
      ["dom", "same"],
      ["clone", "same"],
      ["console", "changed"],
    ]);
  });
});

test("of a long trace the counts are of everything, the items bounded and the differences among them", async () => {
  const steps = (mark: string) =>
    Array.from({ length: 20_000 }, (_, at) =>
      click(`s${at}`, `item ${at % 500}${at % 5_000 === 99 ? mark : ""}`),
    );
  const { summary, items } = await diff(steps("x"), steps("y"), "steps");
  expect(summary).toEqual({ added: 0, removed: 0, changed: 4, same: 19_996 });
  expect(items).toHaveLength(MOST_ITEMS);
  expect(items.filter(({ change }) => change === "changed")).toHaveLength(4);
  expect(items.map(({ a }) => a!.seq!)).toEqual(
    items.map(({ a }) => a!.seq!).toSorted((one, other) => one - other),
  );
});

test("of more than can be held the beginning is compared, and the answer says so", async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => say(`line ${at % 7}`));
  const { first_divergence, items } = await diff(lines(10), lines(60_000));
  expect(first_divergence).toBeNull();
  const told =
    "Of trace b only the first 50000 lines of the console are compared: it has more than can be held.";
  expect(items.find(({ key }) => key === "console")?.detail).toMatchObject({ not_compared: told });
  expect(items.find(({ key }) => key === "steps")?.detail).not.toHaveProperty("not_compared");
  const alone = await diff(lines(10), lines(60_000), "console");
  expect(alone.items.at(-1)?.detail).toMatchObject({ not_compared: told });
});

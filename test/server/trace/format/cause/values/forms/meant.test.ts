import { expect, test } from "bun:test";
import fc from "fast-check";
import { meantBy } from "../../../../../../../server/trace/format/cause/values/forms/meant.ts";

const node = (...data: unknown[]) => ({ type: "data", data, uses: {} });
const page = (...nodes: unknown[]) => JSON.stringify({ type: "data", nodes });
const action = (type: string, status: number, ...data: unknown[]) =>
  JSON.stringify({ type, status, data: JSON.stringify(data) });
const loaders = (...values: unknown[]) => JSON.stringify(values);

test("the data of a page are those of its layouts and its own, as one", () => {
  const text = page(
    node({ user: 1, title: 3 }, { name: 2 }, "Ana", "Shop"),
    null,
    { type: "skip" },
    node(
      { items: 1, title: 5 },
      [2],
      { price: 3, on: 4 },
      4.5,
      ["Date", "2026-01-02T00:00:00.000Z"],
      "Items",
    ),
  );
  expect(meantBy(text)).toEqual({
    value: {
      items: [{ price: 4.5, on: "2026-01-02T00:00:00.000Z" }],
      title: "Items",
      user: { name: "Ana" },
    },
  });
});

test("what comes after the data of a page stands where it belongs", () => {
  const first = page(node({ stats: 1 }, ["Promise", 2], 1));
  const chunk = JSON.stringify({ type: "chunk", id: 1, data: [{ visits: 1 }, 7] });
  expect(meantBy(`${first}\n${chunk}\n`)).toEqual({ value: { stats: { visits: 7 } } });
  expect(meantBy(`${first}\n`)).toEqual({ value: {} });
});

test("a form action is what its framework takes it for", () => {
  expect(meantBy(action("success", 200, { id: 1 }, "a7"))).toEqual({ value: { id: "a7" }, status: 200 });
  expect(meantBy(action("failure", 422, { message: 1 }, "Too short."))).toEqual({
    value: { message: "Too short." },
    status: 422,
  });
  expect(meantBy(JSON.stringify({ type: "redirect", status: 303, location: "/items/3" }))).toEqual({
    status: 303,
    location: "/items/3",
  });
  expect(meantBy(JSON.stringify({ type: "error", error: { message: "No." } }))).toEqual({
    value: { message: "No." },
  });
  expect(meantBy(page(null, { type: "error", error: { message: "Gone" }, status: 410 }))).toEqual({
    value: { message: "Gone" },
    status: 410,
  });
});

test("what loaders gave is one, and what two of them call alike is each one's own", () => {
  const text = loaders(
    { _1: 2, _7: 8 },
    "root",
    { _3: 4 },
    "data",
    { _5: 6 },
    "total",
    3,
    "routes/items",
    { _3: 9 },
    { _5: 10, _11: 12 },
    4,
    "items",
    [13, 14, -5, 15],
    "pen",
    "ink",
    ["D", 0],
  );
  expect(meantBy(text)).toEqual({
    value: {
      total: 4,
      items: ["pen", "ink", null, "1970-01-01T00:00:00.000Z"],
      root: { total: 3 },
    },
  });
});

test("an action's answer is its data, its refusal or where it leads", () => {
  expect(meantBy(loaders({ _1: 2 }, "data", { _3: 4 }, "ok", true))).toEqual({ value: { ok: true } });
  expect(
    meantBy(loaders({ _1: 2 }, "error", ["ErrorResponse", 3, 4, 5], "No stock", 409, "Conflict")),
  ).toEqual({ value: { data: "No stock", status: 409, statusText: "Conflict" } });
  expect(meantBy(loaders({ _1: 2, _3: 4 }, "redirect", "/items", "status", 302))).toEqual({
    location: "/items",
    status: 302,
  });
  expect(
    meantBy(loaders(["SingleFetchRedirect", 1], { _2: 3, _4: 5 }, "redirect", "/login", "status", 302)),
  ).toEqual({ location: "/login", status: 302 });
});

test("what comes with later lines stands where it was promised", () => {
  const first = loaders({ _1: 2 }, "routes/home", { _3: 4 }, "data", { _5: 6 }, "stats", ["P", 6]);
  expect(meantBy(`${first}\nP6:[{"_8":9},"visits",7]\n`)).toEqual({ value: { stats: { visits: 7 } } });
  expect(meantBy(`${first}\n`)).toEqual({ value: {} });
});

test("what a server action gave is read from its rows", () => {
  const rows = (...given: string[]) => [`0:{"a":"$@1","f":"","b":"build"}`, ...given].join("\n");
  expect(
    meantBy(
      rows('1:{"error":"Taken","price":"$$5","on":"$D2026-01-02T00:00:00.000Z","items":"$2"}', "2:[1,2]"),
    ),
  ).toEqual({ value: { error: "Taken", price: "$5", on: "2026-01-02T00:00:00.000Z", items: [1, 2] } });
  expect(meantBy(rows('1:"Saved"'))).toEqual({ value: "Saved" });
  // What refers to itself is left out there; the rows of a page give nothing.
  expect(meantBy(rows('1:{"me":"$1","n":1}'))).toEqual({ value: { n: 1 } });
  expect(meantBy('0:{"b":"build","f":[]}\n1:["$","p",null,{}]')).toBeNull();
  const doubled = Array.from(
    { length: 30 },
    (_, at) => `${(at + 1).toString(16)}:["$${(at + 2).toString(16)}","$${(at + 2).toString(16)}"]`,
  );
  expect(meantBy(rows(...doubled, '1f:"end"'))).toBeNull();
});

const PAGE = [
  '2:"$Sreact.fragment"',
  '3:I[12,[],"LayoutRouter"]',
  '4:I[34,["7","static/chunks/app/page.js"],"Orders"]',
  '5:I[35,["7","static/chunks/app/page.js"],"default"]',
  '6:I[36,["7","static/chunks/app/page.js"],""]',
  ':HL["/style.css","style"]',
];
const SHOP = '["$","$L5",null,{"shop":"North","children":["$","$L3",null,{"parallelRouterKey":"children"}]}]';

test("what a page is handed is told as one, without what its framework hands around", () => {
  const orders =
    '["$","$L4",null,{"orders":[{"id":1,"note":"$8"}],"empty":["$","p",null,{"children":"None"}]}]';
  const link = '["$","$L6",null,{"href":"/orders?page=2"}]';
  const rows = [`0:{"b":"build","f":[["",${SHOP},"$L7"]]}`, `7:[${orders},${link}]`, "8:Tb,größer\n6:1", ""];
  expect(meantBy([...PAGE, ...rows].join("\n"))).toEqual({
    value: { shop: "North", orders: [{ id: 1, note: "größer\n6:" }] },
  });
  const action = [...PAGE, `0:{"a":"$@1","f":[${SHOP}]}`, '1:{"shop":"South","ok":true}'];
  expect(meantBy(action.join("\n"))).toEqual({
    value: { page: { shop: "North" }, shop: "South", ok: true },
  });
  const twice = [...PAGE, '0:[["$","$L4",null,{"n":1}],["$","$L4",null,{"n":2}]]'];
  expect(meantBy(twice.join("\n"))).toEqual({ value: { Orders: [{ n: 1 }, { n: 2 }] } });
});

test("an error in the rows of a page is told as the status that it stands for", () => {
  const failed = (digest: string) => meantBy(`${PAGE.join("\n")}\n0:["$L1"]\n1:E{"digest":"${digest}"}\n`);
  expect(failed("1122273259")).toEqual({ value: null, status: 500 });
  expect(failed("NEXT_HTTP_ERROR_FALLBACK;404")).toEqual({ value: null, status: 404 });
  expect(failed("NEXT_REDIRECT;replace;/login;307;")).toEqual({ location: "/login", status: 307 });
  expect(failed("BAILOUT_TO_CLIENT_SIDE_RENDERING")).toBeNull();
});

test("the state of an application is read without its wrappings", () => {
  const state = [
    ["ShallowReactive", 1],
    { data: 2 },
    ["ShallowReactive", 3],
    { items: 4 },
    [5],
    { price: 6 },
    3,
  ];
  expect(meantBy(JSON.stringify(state))).toEqual({ value: { items: [{ price: 3 }] } });
});

test("other answers are none of it", () => {
  for (const value of [
    [],
    [1, 2],
    [{ id: 1 }, { id: 2 }],
    [["a", 1]],
    { type: "data", items: [] },
    { type: "success", message: "Saved" },
    { type: "redirect", to: "/" },
    { type: "error" },
    { type: "error", error: { message: "No." }, requestId: "r1" },
    { type: "success", status: 200, data: { items: [1] } },
    { type: "success", status: 200, data: "Saved" },
    { type: "redirect", status: 302, location: "/", method: "GET" },
  ])
    expect(meantBy(JSON.stringify(value))).toBeNull();
  for (const text of ["", "[", "{", '{"type":', "<p>Hi</p>", '[{"_1":2}', '[["Reactive",1'])
    expect(meantBy(text)).toBeNull();
});

test("a list that refers to itself is left out where it does", () => {
  expect(meantBy(page(node({ me: 1 }, { name: 2, me: 1 }, "Ana")))).toEqual({
    value: { me: { name: "Ana" } },
  });
});

test("a short answer that stands for more than can be held is not read", () => {
  const doubled = Array.from({ length: 60 }, (_, at) => [at + 1, at + 1]);
  expect(meantBy(page(node({ a: 1 }, ...doubled.slice(1), "end")))).toBeNull();
  const long = Array.from({ length: 1000 }, () => 2);
  expect(meantBy(page(node({ a: 1 }, long, "x".repeat(100_000))))).toBeNull();
  const deep = Array.from({ length: 300 }, (_, at) => [at + 1]);
  expect(meantBy(page(node(...deep, 1)))).toBeNull();
});

test("whatever comes in such a form is read in bounds and without a fault", () => {
  const part = fc.oneof(
    fc.integer({ min: -9, max: 12 }),
    fc.string({ maxLength: 6 }),
    fc.array(
      fc.oneof(fc.integer({ min: -9, max: 12 }), fc.constantFrom("Map", "P", "D", "Promise", "null", "N")),
      {
        maxLength: 4,
      },
    ),
    fc.dictionary(fc.constantFrom("_1", "_2", "_9", "__proto__", "a"), fc.integer({ min: -9, max: 12 }), {
      maxKeys: 3,
    }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (data) => {
      for (const text of [
        page(node(...data)),
        action("success", 200, ...data),
        JSON.stringify([{ _1: 2 }, ...data]),
        `${JSON.stringify([["P", 1], ...data])}\nP1:${JSON.stringify(data)}`,
        JSON.stringify([["Reactive", 1], ...data]),
      ]) {
        const meant = meantBy(text);
        if (meant) expect((JSON.stringify(meant.value) ?? "").length).toBeLessThan(9_000_000);
      }
    }),
  );
});

test("whatever comes in rows is read in bounds and without a fault", () => {
  const row = fc.oneof(
    fc.constantFrom(
      '0:{"a":"$@1"}',
      '1:I[3,["7"],"Cart"]',
      '2:["$","$L1",null,{"a":"$2","b":"$L3"}]',
      "3:Tff,short",
      ":",
    ),
    fc.string({ maxLength: 12 }),
    fc.tuple(fc.constantFrom("0:", "1:", "2:T", "f:E", ":"), fc.json()).map(([head, value]) => head + value),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
      meantBy(rows.join("\n"));
    }),
  );
});

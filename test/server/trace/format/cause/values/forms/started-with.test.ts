import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  isStarter,
  startedWith,
} from "../../../../../../../server/trace/format/cause/values/forms/started-with.ts";

const started = (data: string) => `{
  __sveltekit_1x2y = { base: "" };
  const element = document.currentScript.parentElement;
  Promise.all([import("/start.js"), import("/app.js")]).then(([kit, app]) => {
    kit.start(app, element, { node_ids: [0, 2], data: ${data}, form: null, error: null });
  });
}`;
const node = (data: string) => `{type:"data",data:${data},uses:{}}`;

test("the data with which a page is started are those of its layouts and its own", () => {
  const items =
    '{items:[a,a],on:new Date(0),by:new Map([["x",-1]]),none:void 0,later:__sveltekit_1x2y.defer(1)}';
  const own = `(function(a){return ${items}}({price:4.5}))`;
  expect(startedWith([started(`[${node('{user:{name:"Ana"}}')},null,${node(own)}]`)])).toEqual({
    user: { name: "Ana" },
    items: [{ price: 4.5 }, { price: 4.5 }],
    on: "1970-01-01T00:00:00.000Z",
    by: { x: -1 },
  });
});

test("what a page's data hold more than once stands in each place", () => {
  for (const own of [
    '(function(){let a={};a.price=4.5;a["as told"]=NaN;return {items:[a,a]}}())',
    '(function(a){a.price=4.5;a["as told"]=NaN;return {items:[a,a]}}({}))',
  ])
    expect(startedWith([started(`[${node(own)}]`)])).toEqual({
      items: Array(2).fill({ price: 4.5, "as told": "NaN" }),
    });
  expect(startedWith([started(`[${node("(function(){let a={};a.me=a;return {a}}())")}]`)])).toBeUndefined();
});

test("what a stream brings to the page is read as one", () => {
  const stream = JSON.stringify([
    { _1: 2 },
    "loaderData",
    { _3: 4 },
    "routes/shop",
    { _5: 6 },
    "items",
    [7],
    { _8: 9 },
    "price",
    4.5,
  ]);
  const parts = [stream.slice(0, 20), stream.slice(20)].map(
    (part) => `window.__reactRouterContext.streamController.enqueue(${JSON.stringify(part)});`,
  );
  expect(startedWith(["let other = 1;", ...parts])).toEqual({ items: [{ price: 4.5 }] });
});

test("so are the data in a context", () => {
  const context = { state: { loaderData: { "routes/shop": { total: 3 } } } };
  expect(startedWith([`window.__remixContext = ${JSON.stringify(context)};`])).toEqual({ total: 3 });
});

test("so are the rows that a page's scripts push", () => {
  const rows = '1:I[3,["7","page.js"],"Cart"]\n0:["$","$L1",null,{"total":3}]\n';
  const pushed = (text: string) => `self.__next_f.push([1,${JSON.stringify(text)}])`;
  const scripts = [
    "(self.__next_f=self.__next_f||[]).push([0])",
    pushed(rows.slice(0, 20)),
    pushed(rows.slice(20)),
  ];
  expect(startedWith(scripts)).toEqual({ total: 3 });
});

test("a script of the product starts nothing", () => {
  for (const script of ["start(app, { data: [1] })", "window.config = { api: '/v2' }"]) {
    expect(isStarter(script)).toBe(false);
    expect(startedWith([script])).toBeUndefined();
  }
});

test("whatever such a script holds is read in bounds and without a fault", () => {
  const twice = (levels: number): string =>
    levels === 0 ? '"end"' : `(function(a){return [a,a]}(${twice(levels - 1)}))`;
  for (const data of [
    twice(30),
    "[".repeat(5_000),
    "[".repeat(5_000) + "]".repeat(5_000),
    "run()",
    "`${a}`",
    "[...all]",
    "new Date(NaN)",
    "{get a(){return 1}}",
  ])
    expect(startedWith([started(`[${node(data)}]`)]) ?? {}).toEqual({});
  fc.assert(
    fc.property(fc.string(), (text) => {
      startedWith([started(text), `__reactRouterContext.streamController.enqueue("${text}")`]);
    }),
  );
});

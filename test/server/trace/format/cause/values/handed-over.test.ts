import { expect, test } from "bun:test";
import fc from "fast-check";
import { handedOver } from "../../../../../../server/trace/format/cause/values/handed-over.ts";

const part = (json: string, more = "") => `<script type="application/json"${more}>${json}</script>`;

test("what a page hands over is what was written, each part by its id", () => {
  fc.assert(
    fc.property(fc.object(), fc.object(), (one, other) => {
      const [mine, theirs] = [one, other].map((value) => JSON.stringify(value).replaceAll("<", "\\u003c"));
      expect(handedOver(`<p>Hi</p>${part(mine!)}<p>there</p>`)).toEqual(JSON.parse(mine!));
      expect(
        handedOver(`${part(mine!, " id=cart")}<script>start()</script>${part(theirs!, " id=me")}`),
      ).toEqual({ cart: JSON.parse(mine!), me: JSON.parse(theirs!) });
    }),
  );
});

test("what looks like the beginning of a part within a script is its text, and a part without an end is none", () => {
  const within = "<script type=application/json>[1]";
  expect(handedOver(part(`{"note":"${within}"}`))).toEqual({ note: within });
  expect(handedOver(part(`no JSON ${within}`))).toBeUndefined();
  expect(handedOver(within)).toBeUndefined();
});

test("a page of beginnings alone is read once, not once for each of them", () => {
  const begin = "<script type=application/json>[";
  const page = begin.repeat(2_000_000 / begin.length);
  // Where each beginning looked for the end anew, one of these took longer than all of them may.
  for (let time = 0; time < 10; time++)
    expect([handedOver(page), handedOver(`${page.slice(9)}</script>`)]).toEqual([undefined, undefined]);
}, 5_000);

test("the data of a page are told without what its framework puts around them", () => {
  const next = { props: { pageProps: { items: [3] } }, page: "/", buildId: "1a2b" };
  expect(handedOver(part(JSON.stringify(next), ' id="__NEXT_DATA__"'))).toEqual({ items: [3] });
  const nuxt = [["ShallowReactive", 1], { data: 2 }, ["ShallowReactive", 3], { items: 4 }, [5], 3];
  expect(handedOver(part(JSON.stringify(nuxt), ' id="__NUXT_DATA__"'))).toEqual({ items: [3] });
  const remix = `<script>window.__remixContext = {"state":{"loaderData":{"root":{"items":[3]}}}};</script>`;
  expect(handedOver(remix)).toEqual({ items: [3] });
  expect(handedOver(`${part("[1]", " id=menu")}${remix}`)).toEqual({ menu: [1], page: { items: [3] } });
});

import { expect, test } from "bun:test";
import { exchange, page, run } from "../run.ts";
import { document, fill, json, textOf, told } from "./scene.ts";

const opened = document("/items", "<input>", { ts: 1_000 });
const script = (end: number, ts = 1_100) => {
  const [asked, answered] = exchange("/assets/app.js", { ts, resource_type: "script" });
  return [asked!, { ...answered!, ts: end }];
};
const typed = fill("Search", "collar", 2_000);
const cause = (...events: Parameters<typeof run>) =>
  told(run(...opened, ...events, textOf("range", "1 of 1", "12 of 29"), page("<p>12 of 29</p>"))).join("\n");

test("what was typed before the page's scripts were there is told with the one that came last", () => {
  expect(cause(...script(2_600), typed)).toContain(
    "was done before the page's scripts were there: GET /assets/app.js took 1.5 s and came 580 ms after it",
  );
});

test("nothing is told where the scripts were there, had begun to ask for something, or one was asked for only then", () => {
  const words = "before the page's scripts were there";
  expect(cause(...script(1_500), typed)).not.toContain(words);
  expect(cause(...script(2_600), ...json("/api/items", [], { ts: 1_700 }), typed)).not.toContain(words);
  expect(cause(typed, ...script(2_600, 2_100))).not.toContain(words);
});

import { expect, test } from "bun:test";
import { click, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const at = (path: string, ts: number, step_id = "check") =>
  page(`<h1>${path}</h1>`, { url: `${SITE}${path}`, ts, step_id, page: "p1" });
const back = { ...click("Go back", { ts: 4_000, step_id: "back", page: "p1" }), name: "page.goBack" };
const walked = [at("/home", 1_000, "a"), at("/permit/1", 2_000, "b"), at("/permit/2", 3_000, "c")];
const ends = (path: string, last: object) =>
  run(...walked, back, { ...last, page: "p1" } as never, at(path, 6_990));

test("a way back past the page that it leads to in passes tells of an entry that was replaced", () => {
  expect(first(ends("/home", failing()), ends("/permit/1", passing()))).toBe(
    "redirected: “Go back” led to /home, where it leads to /permit/1 in the last pass: the page had been at /permit/1 in between, so its entry in the history was replaced",
  );
  expect(told(ends("/home", failing()))[0]).toBe(
    "redirected: “Go back” led to /home: the page had been at /permit/1 in between, so its entry in the history was replaced",
  );
});

test("a way back that leads as far as in the passes, or after which something was clicked, tells nothing", () => {
  expect(told(ends("/home", failing()), ends("/home", passing())).join()).not.toContain("replaced");
  const on = click("Click home", { ts: 4_500, step_id: "on", page: "p1" });
  const gone = run(...walked, back, on, failing({ page: "p1" }), at("/home", 6_990));
  expect(told(gone, ends("/permit/1", passing())).join()).not.toContain("replaced");
});

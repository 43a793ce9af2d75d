import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const script = (url: string, size = 900) =>
  exchange(url, { ts: 3_100, resource_type: "script", media_type: "text/javascript", body_size: size });
const served = (...urls: string[]) =>
  exchange("/book", {
    ...{ ts: 3_000, resource_type: "document", media_type: "text/html" },
    body: `<form><select id="day"></select></form>${urls.map((url) => `<script src="${url}"></script>`).join("")}`,
  });
const HTML = `<label for="day">Day</label><select id="day"></select>`;
const pick = {
  name: "page.selectOption",
  kind: "agent.action",
  title: "Select option getByLabel('Day')",
  message: "TimeoutError: locator.selectOption: Timeout 2000ms exceeded.",
  log: ["waiting for getByLabel('Day')", "did not find some options"],
  params: { selector: 'internal:label="Day"i', options: [{ label: "Monday" }] },
};
const usual = (site = "/js/site.js", book = "/js/book.js?v=4f2a91bc") =>
  run(...served(site, book), ...script(site), ...script(book), page(HTML), passing());
const lacking = (...loaded: ReturnType<typeof script>) =>
  run(...served("/js/site.js"), ...loaded, page(HTML), failing(pick));

test("a script that a page no longer names and nothing asks for is told before what it leaves undone", () => {
  expect(first(lacking(...script("/js/site.js")), usual(), usual())).toBe(
    "answer_changed: GET /book came without the <script> that loads “/js/book.js”, which it has in every pass: the script was never asked for",
  );
});

test("a script that is asked for otherwise, named otherwise or may have gone into another one is not left out", () => {
  const isTold = (failed: ReturnType<typeof run>, pass = usual()) =>
    told(failed, pass, pass).join().includes("never asked for");
  expect(isTold(lacking(...script("/js/site.js")))).toBeTrue();
  expect(isTold(lacking(...script("/js/site.js"), ...script("/js/book.js?v=77aa01bc")))).toBeFalse();
  expect(isTold(lacking(...script("/js/site.js", 2_400)))).toBeFalse();
  const renamed = run(
    ...[...served("/js/site.js", "/js/booking.js"), ...script("/js/site.js"), ...script("/js/booking.js")],
    ...[page(HTML), failing(pick)],
  );
  expect(isTold(renamed)).toBeFalse();
  expect(isTold(lacking(...script("/js/site.js")), usual("/js/site.js", "/js/analytics.js"))).toBeFalse();
});

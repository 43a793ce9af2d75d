import { expect, test } from "bun:test";
import { findCause } from "../../../../../../../server/trace/format/cause/find-cause.ts";
import { click, evidenceIn, exchange, page, run, SITE } from "../../run.ts";

const MENU = "<main><button hidden>Menu</button></main>";
const META = '<meta name="viewport" content="width=device-width">';
const TARGET = "getByRole('button', { name: 'Menu' })";

const tapping = (log: string) =>
  click(`Tap ${TARGET}`, {
    ...{ ts: 5_000, step_id: "check", ok: false, duration_ms: 2_000, log: [`waiting for ${TARGET}`, log] },
    error: { message: "TimeoutError: locator.tap: Timeout 2000ms exceeded." },
  });
const opened = (head: string, ...more: Parameters<typeof run>) => [
  ...exchange("/", {
    ts: 1_000,
    resource_type: "document",
    media_type: "text/html",
    body: `<html><head>${head}</head><body>${MENU}</body></html>`,
  }),
  ...more,
];
const failed = (head: string, log = "  element is not visible", ...more: Parameters<typeof run>) =>
  run(...opened(head, ...more), tapping(log), page(MENU, { url: `${SITE}/` }));

/** The cause on a phone of 390 pixels whose page is so wide. */
const cause = (
  width: number,
  ...[events, ...passes]: [ReturnType<typeof run>, ...ReturnType<typeof run>[]]
) => {
  const evidence = evidenceIn([{ viewport: "390 × 780" }], events, ...passes);
  evidence.run.window = { width, height: 1960 };
  return findCause(evidence);
};

test("a page without the tag for phones, that a phone laid out wide, explains what is hidden or lies outside", () => {
  const told =
    'GET / came without <meta name="viewport">: in a window of 390 × 780 pixels the page was laid out 980 pixels wide, so that what it shows on a phone may be hidden';
  expect(cause(980, failed("")).headline).toBe(told);
  expect(
    cause(980, failed("", "  element is outside of the viewport")).suspects.map(({ title }) => title),
  ).toContain(told);
  const usual = run(...opened(META), click(`Tap ${TARGET}`, { ts: 5_000, step_id: "check" }), page(MENU));
  expect(cause(980, failed(""), usual).headline).toContain(
    'came without <meta name="viewport">, which it has in the last pass: in a window',
  );
});

test("a tag that names a width of its own is told with it", () => {
  expect(cause(1_200, failed('<meta content="width=1200" name=viewport>')).headline).toContain(
    'GET / came with <meta content="width=1200" name=viewport>: in a window of 390 × 780 pixels the page was laid out 1200 pixels wide',
  );
});

test("a page that is as wide as its window, says that it goes by it, was resized, or stands in a window of another context is not told", () => {
  for (const silent of [
    cause(390, failed("")),
    cause(980, failed(META)),
    cause(1_280, failed("")),
    cause(
      980,
      failed("", "  element is not visible", click("Resize", { name: "page.setViewportSize", ts: 2_000 })),
    ),
  ])
    expect(JSON.stringify(silent)).not.toContain("pixels wide");
  const usual = run(...opened(""), click(`Tap ${TARGET}`, { ts: 5_000, step_id: "check" }), page(MENU));
  expect(cause(980, failed(""), usual).headline).not.toContain("pixels wide");
});

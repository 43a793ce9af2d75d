import { expect, test } from "bun:test";
import { failing, first, page, passing, run, told } from "../../run.ts";

const wants = { expected: '"Solved"', received: '""' };
const pill = (markup: string) => page(`<table><tr><td>Licence key</td><td>${markup}</td></tr></table>`);
const byStyle = '<span class="pill" data-text="Solved"></span>';
const failed = (markup: string) => run(pill(markup), failing(wants));
const passed = (markup: string) => run(pill(markup), passing(wants));

test("a text that stands in an attribute alone, from which a style sheet writes it", () => {
  expect(first(failed(byStyle), passed('<span class="pill">Solved</span>'))).toBe(
    'page_changed: <span class="pill"> has “Solved” in its attribute data-text alone, where the last pass has it as its text: what a style sheet shows of an attribute (content: attr(data-text)) is no text of the page',
  );
  expect(first(failed(byStyle))).toStartWith(
    'page_changed: <span class="pill"> has “Solved” in its attribute data-text alone: what a style sheet shows',
  );
});

test("what passes have so too, what has a text, and what another text stands in says nothing", () => {
  const silent = (...args: Parameters<typeof told>) =>
    expect(told(...args).join()).not.toContain("in its attribute");
  silent(failed(byStyle), passed(byStyle));
  silent(failed(byStyle), passed("<b>Solved</b>"));
  silent(
    failed('<span class="pill" data-text="Solved">Open</span>'),
    passed('<span class="pill">Solved</span>'),
  );
  silent(failed('<span class="pill" data-text="Open"></span>'), passed('<span class="pill">Solved</span>'));
  silent(
    failed('<span class="pill" data-testid="Solved"></span>'),
    passed('<span class="pill">Solved</span>'),
  );
  silent(failed(`${byStyle}<span class="pill">Solved</span>`), passed('<span class="pill">Solved</span>'));
});

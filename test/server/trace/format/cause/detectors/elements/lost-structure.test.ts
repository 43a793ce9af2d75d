import { describe, expect, test } from "bun:test";
import { failing, page, passing, run, SITE, told } from "../../run.ts";

const target =
  "getByRole('table', { name: 'Waiting' }).getByRole('row').filter({ hasText: 'Van Dijk' }).getByRole('link')";
const check = { title: `Expect "toBeVisible" ${target}`, name: "toBeVisible", expected: "visible" };
const missed = failing({
  ...check,
  message: `expect(locator).toBeVisible() failed\n\nLocator: ${target}\nExpected: visible\nError: element(s) not found`,
  received: "<element(s) not found>",
});
const shown = (html: string, menu = "") => page(`<main><h1>Orders</h1><nav>${menu}</nav>${html}</main>`);
const table = `<table aria-label="Waiting"><tr><td><a href="/o/1">PO-1</a></td><td>Van Dijk</td></tr><tr><td><a href="/o/2">PO-2</a></td><td>Baltic</td></tr></table>`;
const cards = `<div class="cards"><div class="card"><a href="/o/1">PO-1</a><span>Van Dijk</span></div><div class="card"><a href="/o/2">PO-2</a><span>Baltic</span></div></div>`;
const cause = (now: string, menu = "") => {
  const pass = run({ ...shown(table, menu), ts: 5_010 }, passing(check));
  return told(run(shown(now, menu), missed), pass, pass).join("\n");
};

describe("data that stands there without the structure that the test looks for it in", () => {
  test("is told with the markup that it has now", () => {
    expect(cause(cards)).toStartWith(
      `element_renamed: getByRole('table', { name: 'Waiting' }) was not found: the page has no table any more, and “Van Dijk”, which stood in one in the last pass, stands in <span> in <div class="card"> now`,
    );
  });

  test("is not told where the page has such a structure still, or nothing of what stood in it", () => {
    for (const now of [
      `<table aria-label="Waiting"><tr><td>Nothing is waiting</td></tr></table>`,
      `${cards}<table><tr><td>Totals</td></tr></table>`,
      "<p>Nothing is waiting</p>",
      "",
    ])
      expect(cause(now)).not.toContain("any more");
  });

  test("is not told by a text that had stood elsewhere as well", () => {
    const menu = `<a href="/s/1">Van Dijk</a><a href="/s/2">Baltic</a>`;
    expect(cause("<p>Nothing is waiting</p>", menu)).not.toContain("any more");
  });
});

describe("a box without the role that the test looks for it by", () => {
  const within = "getByRole('dialog', { name: 'Cancel' }).getByRole('button', { name: 'Yes' })";
  const vain = { ...check, title: `Expect "toBeVisible" ${within}` };
  const gone = failing({
    ...vain,
    message: `expect(locator).toBeVisible() failed\n\nLocator: ${within}\nExpected: visible\nError: element(s) not found`,
    received: "<element(s) not found>",
  });
  const box = (role: string, html: string) =>
    `<div class="box" ${role}><p>Cancel it for ${html}?</p><button>Yes</button><button>Keep it</button></div>`;
  const cause = (now: string, query = "") => {
    const pass = run({ ...shown(box('role="dialog" aria-label="Cancel"', "Ann")), ts: 5_010 }, passing(vain));
    return told(run({ ...shown(now), url: `${SITE}/checkout${query}` }, gone), pass, pass).join("\n");
  };

  test("is told by two texts that stood in one, whatever else is another in it and in the address", () => {
    expect(cause(box("", "Bob"), "?q=bob")).toStartWith(
      "element_renamed: getByRole('dialog', { name: 'Cancel' }) was not found: the page has no dialog any more, and “Yes”, which stood in one in the last pass, stands in <button> in <div class=\"box\"> now",
    );
  });

  test("is not told by one text, which may be of something else", () => {
    expect(cause("<main><button>Yes</button></main>")).not.toContain("any more");
  });
});

import { describe, expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { missed, told } from "./scene.ts";

const open = click("Click Open", { ts: 2_000 });
const first = (target: string, html: string) => told(run(open, missed(target), page(html)))[0]!;

describe("an element that stands there by another role", () => {
  test("is told where it can be worked as the wanted one can", () => {
    const target = "getByRole('dialog').getByRole('checkbox', { name: 'Outline' })";
    const dialog = (inner: string) =>
      `<div role="dialog">${inner}</div><label><input type="checkbox">Mine</label>`;
    expect(first(target, dialog('<label><input type="checkbox" role="switch">Outline</label>'))).toBe(
      `element_renamed: ${target} was not found: a switch “Outline” stands there, which is no checkbox`,
    );
    // Elsewhere, by another name, or as a text alone it is not the one.
    for (const html of [
      `${dialog("")}<button role="switch">Outline</button>`,
      dialog('<button role="switch">Outlines</button>'),
      dialog("<p>Outline</p>"),
    ])
      expect(first(target, html)).not.toContain("which is no checkbox");
  });

  test("is told of a heading that is a mere text now, and of no link with its words", () => {
    const target = "getByRole('heading', { name: 'Comments (2)' })";
    expect(first(target, "<div class='h2'>Comments (<b></b>2)</div>")).toContain(
      "stands there, which is no heading by its role",
    );
    expect(first(target, '<a href="/c">Comments (2)</a>')).not.toContain("which is no heading");
  });

  test("is told of what looks like a button and has no role, and not of a text with its words", () => {
    const target = "getByRole('button', { name: 'Book now' })";
    expect(first(target, '<div class="btn wide">Book now</div>')).toBe(
      `element_renamed: ${target} was not found: <div> “Book now” stands there, which is no button by its role`,
    );
    expect(first(target, '<span tabindex="0">Book now</span>')).toContain("which is no button by its role");
    for (const html of ["<div>Book now</div>", '<p class="btn">Book now</p>', '<div class="btn">Book</div>'])
      expect(first(target, html)).not.toContain("which is no button");
  });

  test("is told before one of that role that is folded away", () => {
    const target = "getByRole('link', { name: 'Statements', exact: true })";
    const menu = '<details><summary>Menu</summary><a href="/s">Statements</a></details>';
    expect(first(target, `<nav><button>Statements</button></nav>${menu}`)).toContain(
      "a button “Statements” stands there, which is no link",
    );
    expect(first(target, menu)).toContain("<details> “Menu”");
  });
});

test("what an element is looked for in is told to have no role where its class names it", () => {
  const target = "getByRole('dialog').getByRole('button', { name: 'Delete' })";
  const html = (name: string) =>
    `<div class="${name}"><h2>Sure?</h2><p>This is for good.</p><button>Delete</button></div>`;
  expect(first(target, html("dialog"))).toContain(
    "a button “Delete” stands in <div class=“dialog”>, which has no role “dialog”: getByRole('dialog') finds nothing",
  );
  expect(first(target, html("card"))).not.toContain("has no role");
});

test("what says the same elsewhere has not lost the role of what is looked for in a part that is not there", () => {
  const cause = (part: string) =>
    told(
      run(
        failing({
          title: "Expect \"toHaveText\" getByRole('region', { name: 'Card' }).getByRole('heading')",
          message:
            "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('region', { name: 'Card' }).getByRole('heading')\nError: element(s) not found",
          expected: '"Sanne Hoek"',
          received: undefined,
        }),
        page(part),
      ),
    ).join("\n");
  expect(cause("<section aria-label=Card role=region><p>Sanne Hoek</p><b>Gold</b></section>")).toContain(
    "“Sanne Hoek” stands there in <p>, which is no heading",
  );
  for (const silent of [
    "<span>Sanne Hoek</span>",
    "<span>Sanne Hoek</span><section aria-label=Card role=region></section>",
  ])
    expect(cause(silent)).not.toContain("which is no heading");
});

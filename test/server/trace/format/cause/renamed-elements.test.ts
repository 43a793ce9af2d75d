import { describe, expect, test } from "bun:test";
import { failing, first, page, passing, run, save, savedInVain, told } from "./run.ts";

describe("an element that went by its attribute", () => {
  const shows = (button: string, end: ReturnType<typeof save>) =>
    run(page(`<header><h1>Shop</h1>${button}</header>`, { ts: 3_015, step_id: "save" }), end);
  const missed = savedInVain({
    log: ["waiting for getByRole('button', { name: 'Save' })"],
    params: { selector: 'internal:role=button[name="Save"i]' },
  });
  const usual = shows('<button aria-label="Save"><i></i></button>', save());

  test("is told to have lost that, where the page has it without", () => {
    expect(first(shows("<button><span>3</span></button>", missed), usual, usual)).toBe(
      "element_renamed: getByRole('button', { name: 'Save' }) was not found; where the last pass has a button “Save”, the page has a button “3”: it has lost its aria-label “Save”",
    );
  });

  test("is not where it has another one, or went by its text", () => {
    const other = shows('<button aria-label="Keep"><span>3</span></button>', missed);
    expect(first(other, usual, usual)).toEndWith("the page has a button “Keep”");
    const text = shows("<button>Save</button>", save());
    expect(told(shows("<button>Keep</button>", missed), text, text).join()).not.toContain("has lost its");
  });
});

describe("elements that are counted by a test id", () => {
  const count = {
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByTestId('deal')",
    message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByTestId('deal')",
    expected: "2",
    received: "0",
  };
  const cards = (id: string, many: number) =>
    page(`<main>${`<article class="card" data-testid="${id}">Deal</article>`.repeat(many)}</main>`);
  const usual = run(cards("deal", 2), passing(count));

  test("are told by the id that as many of their form have, where none has the one of the passes", () => {
    expect(first(run(cards("card", 2), failing(count)), usual, usual)).toBe(
      "element_renamed: getByTestId('deal') found nothing: the test id is another one, the page has 2 × <article> with “card” where the last pass has as many with “deal”",
    );
  });

  test("are not where fewer have it, some are there, or a pass has that id as well", () => {
    const isTold = (...given: Parameters<typeof told>) =>
      told(...given)
        .join()
        .includes("the test id is another one");
    expect(isTold(run(cards("card", 1), failing(count)), usual)).toBeFalse();
    expect(isTold(run(cards("card", 2), failing({ ...count, received: "1" })), usual)).toBeFalse();
    expect(
      isTold(run(cards("card", 2), failing(count)), usual, run(cards("card", 2), passing(count))),
    ).toBeFalse();
    expect(isTold(run(cards("card", 2), failing(count)))).toBeFalse();
  });
});

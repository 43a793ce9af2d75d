import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Target } from "../../../../../server/run/language/ast.ts";
import { showTarget } from "../../../../../server/run/runner/targets.ts";
import { readTarget, scenarioTarget } from "../../../../../server/trace/format/cause/run/scenario-words.ts";
import { causeOf, click, exchange, failing, first, page, passing, run } from "./run.ts";

const HTML = { media_type: "text/html", resource_type: "document" };

/** The cause of a step of a scenario that failed, against a pass of it. */
function told(source: string, failure: Record<string, unknown>, now: string, before: string): string[] {
  const isAction = !source.startsWith("expect");
  const step = { title: source, ...(isAction && { kind: "agent.action", name: source.split(" ")[0] }) };
  const error = isAction ? { error: { message: failure.message } } : {};
  const seen = (html: string) => [...exchange("/checkout", { ts: 100, body: html, ...HTML })];
  const { suspects } = causeOf(
    run(
      ...seen(now),
      failing({ expected: undefined, received: undefined, ...failure, ...error, ...step }),
      page(now),
    ),
    run(...seen(before), passing({ ...step }), page(before)),
  );
  return suspects.map(({ kind, title }) => `${kind}: ${title}`);
}

describe("a step of a scenario", () => {
  test("whose element goes by another name is told with that one", () => {
    expect(
      told(
        'click button "Pay now"',
        { message: 'There is no button "Pay now" on the page.' },
        "<h1>Pay</h1><button>Cancel</button><button>Place order</button>",
        "<h1>Pay</h1><button>Cancel</button><button>Pay now</button>",
      )[0],
    ).toBe(
      'element_renamed: button "Pay now" was not found; where the last pass has a button “Pay now”, the page has a button “Place order”',
    );
    expect(
      told(
        'fill field "Coupon" with "SAVE10"',
        { message: 'There is no field "Coupon" on the page.' },
        "<label>Promo code <input></label>",
        "<label>Coupon <input></label>",
      )[0],
    ).toContain("the page has a textbox “Promo code”");
  });

  test("whose element is hidden, or there several times, is told as that", () => {
    expect(
      told(
        'click link "Basket"',
        { message: 'There is no link "Basket" on the page.' },
        '<a href="/basket" style="display:none">Basket (0)</a>',
        '<a href="/basket">Basket (0)</a>',
      )[0],
    ).toStartWith(
      'element_hidden: link "Basket" is in the page\'s markup (a link “Basket (0)”), but the step could not see it',
    );
    expect(
      told(
        'click button "Add"',
        {
          message:
            'button "Add" fits 2 elements: button “Add”, button “Add”. Add "in", "nth" or "near", or more of the name.',
        },
        "<button>Add</button><button>Add</button>",
        "<button>Add</button>",
      )[0],
    ).toBe('element_ambiguous: button "Add" matched 2 elements where the scenario means one');
  });

  test("that waits in vain for a text is told in the runner's words, where nothing else is known", () => {
    const message = 'There is no text "Paid" on the page.';
    expect(told('wait for text "Paid"', { message }, "<p>Shop</p>", "<p>Shop</p>")).toEqual([
      `assertion: ${message}`,
    ]);
  });

  test("is told by its own words, and not by the locator that they became", () => {
    expect(
      told(
        'click button "Place order"',
        {
          message: 'click button "Place order" took longer than 5 s: element is not enabled',
          log: [
            "waiting for getByRole('button', { name: /Place order/ }).visible().first()",
            "element is not enabled",
          ],
        },
        "<button disabled>Place order</button>",
        "<button>Place order</button>",
      )[0],
    ).toStartWith('element_disabled: button "Place order" was disabled');
  });

  test("that expects a value compares that value with what answers say", () => {
    const expected = 'the value "Ada"';
    const field = (value: string) => `<label>Name <input value="${value}"></label>`;
    expect(
      told(
        'expect value "Ada" in field "Name"',
        { expected, received: '"Bob"', message: `Expected ${expected}, but found "Bob".` },
        field("Bob"),
        field("Ada"),
      )[0],
    ).toContain("“Bob”");
  });

  test("that is another one than in the passes is told as such, where the page has what those looked for", () => {
    const opened = click('go to "/"', { name: "go", ts: 1_000 });
    const html = "<h1>Pay</h1><p>Thank you</p><button>Cancel</button><button>Pay now</button>";
    const second = { ...failing(), kind: "agent.action", name: "click" };
    const pressed = (title: string, more: object) => ({ ...second, title, expected: undefined, ...more });
    expect(
      first(
        run(
          opened,
          pressed('click button "Order"', { error: { message: 'There is no button "Order" on the page.' } }),
          page(html),
        ),
        run(opened, pressed('click button "Pay now"', { ok: true, received: undefined }), page(html)),
      ),
    ).toBe(
      'test_code: The test itself did another thing than in the last pass: “click button "Order"” where that did “click button "Pay now"”, which the page has still',
    );
    const expected = 'the text "Thanks"';
    const text = { name: "expect", title: 'expect text "Thanks"', expected, received: '"Thank you"' };
    expect(
      first(
        run(
          opened,
          failing({ ...text, message: `Expected ${expected}, but found "Thank you".` }),
          page(html),
        ),
        run(opened, passing({ ...text, title: 'expect text "Thank you"' }), page(html)),
      ),
    ).toBe(
      'test_code: The test itself did another thing than in the last pass: “expect text "Thanks"” where that did “expect text "Thank you"”, which the page has still',
    );
  });

  test("that expects a text is told with what stands in its place", () => {
    const expected = 'the text "Thank you"';
    const found = '"Payments are down"';
    expect(
      told(
        'expect text "Thank you" within 10s',
        { expected, received: found, message: `Expected ${expected}, but found ${found}.` },
        "<p>Payments are down</p>",
        "<p>Thank you</p>",
      )[0],
    ).toBe(
      'element_renamed: text "Thank you" was not found; where the last pass has <p> “Thank you”, the page has <p> “Payments are down”',
    );
  });
});

test("a target is read as the runner writes it, whatever it is called", () => {
  const value = fc.string({ maxLength: 30 });
  const named = fc.record({
    by: fc.constantFrom("field", "text", "testid", "css"),
    value,
  }) as fc.Arbitrary<Target>;
  const role = fc.record(
    { by: fc.constant("role" as const), role: fc.constantFrom("button", "link", "alert"), value },
    { requiredKeys: ["by", "role"] },
  );
  const plain: fc.Arbitrary<Target> = fc.oneof(named, role);
  const placed: fc.Arbitrary<Target> = fc
    .tuple(plain, fc.option(fc.nat(9), { nil: undefined }), fc.option(role, { nil: undefined }))
    .map(([target, nth, within]) => ({ ...target, ...(nth && { nth }), ...(within && { in: within }) }));
  fc.assert(
    fc.property(placed, (target) => {
      const shown = showTarget(target);
      const read = scenarioTarget({ title: "", message: `There is no ${shown} on the page.` });
      expect(read).toBe(shown);
      const kind = target.by === "role" ? target.role : target.by;
      expect(readTarget(read!)).toEqual({ by: kind!, value: (target.value as string | undefined) ?? null });
    }),
  );
});

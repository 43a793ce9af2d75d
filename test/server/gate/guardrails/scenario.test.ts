import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { judgeScenario } from "../../../../server/gate/guardrails/scenario.ts";
import { editSteps } from "../../../../server/gate/scenario-edit/edit.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";

setDefaultTimeout(60_000);

const FRONTMATTER = "slug: shop\ntitle: Shop\ntimeout: 2m";
const STEPS = [
  'go to "/"',
  'click button "Add to cart" near heading "House beans"',
  'expect text "Cart (1)" within 3s',
  'click link "Go to checkout"',
  'fill field "Email" with "${synthetic.email}"',
  'wait for request POST "/payments/tokens"',
  'click button "Pay now"',
  'expect text "Your order number is" in main',
  'expect url "/orders/"',
  'expect title "Order confirmed"',
  'expect count 2 of listitem in list "Cart"',
  'expect visible button "Print the receipt"',
  "expect hidden alert",
  'expect not text "Sold out"',
  'expect request POST "/api/checkout" status 200',
  'wait for heading "Your order"',
  'expect enabled button "Send it again" nth 2 near heading "Receipt"',
];

const fileOf = (steps: readonly string[], frontmatter = FRONTMATTER) =>
  `---\n${frontmatter}\n---\nHow a guest buys.\n\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`;

function refusals(before: string, after: string, isBorneOut = false): string[] {
  const compile = (text: string) => compileScenario({ name: "shop.scenario.md", text }, () => null).scenario;
  const [old, now] = [compile(before), compile(after)];
  // What does not compile is refused before it is judged.
  if (!old || !now) return ["It does not compile."];
  return judgeScenario(old, now, { before, after }, { isBorneOut }).refusals.map(({ message }) => message);
}

const judge = (steps: readonly string[], frontmatter?: string) =>
  refusals(fileOf(STEPS), fileOf(steps, frontmatter));
const withStep = (at: number, step: string) => STEPS.map((old, index) => (index === at - 1 ? step : old));
const withMore = (before: number, step: string) => [
  ...STEPS.slice(0, before - 1),
  step,
  ...STEPS.slice(before - 1),
];

describe("what no patch may do", () => {
  test.each([
    [2, 'click button "Add to basket" near heading "House beans"'],
    [2, 'click testid "add-beans"'],
    [3, 'expect text "Basket (1)" within 3s'],
    [4, 'click link "Continue to checkout"'],
    [5, 'fill field "Your e-mail address" with "${synthetic.email}"'],
    [6, 'wait for request POST "/payments/v2/tokens"'],
    [8, 'expect text "The number of your order is" in main'],
    [8, 'expect text "Your order number is" in region "Receipt"'],
    [9, 'expect url "/purchases/"'],
    [12, 'expect visible button "Print your receipt"'],
    [15, 'expect request POST "/api/v2/checkout" status 200'],
    [17, 'expect enabled button "Send it once more" nth 2 near heading "Receipt"'],
    [17, 'expect enabled button "Send it again" nth 2 in region "Receipt"'],
    [16, 'wait for heading "Your new order"'],
    [8, 'expect text "Your order number is" in testid "order"'],
  ])("step %i may follow the product: %s", (at, step) => {
    expect(judge(withStep(at, step))).toEqual([]);
  });

  test.each([
    [7, 'click button "Continue"'],
    [7, 'check checkbox "I agree to the terms"'],
    [5, 'fill field "Name" with "${synthetic.name}"'],
    [4, 'expect text "House beans"'],
  ])("before step %i a step may be added: %s", (before, step) => {
    expect(judge(withMore(before, step))).toEqual([]);
  });

  test.each([
    ["shorter text", 8, 'expect text "Your order" in main'],
    ["fewer words", 8, 'expect text "order number" in main'],
    ["another subject", 8, "expect visible main"],
    ["more places", 8, 'expect text "Your order number is"'],
    ["another number", 3, 'expect text "Cart (0)" within 3s'],
    ["a longer wait", 3, 'expect text "Cart (1)" within 30s'],
    ["a wait where there was none", 7, 'click button "Pay now" within 20s'],
    ["another ending", 10, 'expect title "Order cancelled"'],
    ["a looser count", 11, 'expect count 1 of listitem in list "Cart"'],
    ["a count of anything", 11, "expect count 2 of listitem"],
    ["any button", 12, "expect visible button"],
    ["a selector for a name", 12, 'expect visible css "button"'],
    ["a test id for a name", 12, 'expect visible testid "receipt"'],
    ["a test id for a name that is waited for", 16, 'wait for testid "order"'],
    ["a test id for what it stands near", 17, 'expect enabled button "Send it again" nth 2 near testid "r"'],
    ["a test id for what it stood near", 17, 'expect enabled button "Send it again" nth 2 in testid "r"'],
    ["any place for what it stood near", 17, 'expect enabled button "Send it again" nth 2 in main'],
    ["any text for a button", 12, 'expect visible text "Print the receipt"'],
    ["any text for a heading that is waited for", 16, 'wait for text "Your order"'],
    [
      "what is merely shown for what can be used",
      17,
      'expect visible button "Send it again" nth 2 near heading "Receipt"',
    ],
    [
      "the first for the second of several",
      17,
      'expect enabled button "Send it again" near heading "Receipt"',
    ],
    ["something that never was", 13, 'expect hidden text "Something else"'],
    ["a text that never stood there", 14, 'expect not text "Sold owt"'],
    ["another status", 15, 'expect request POST "/api/checkout" status 500'],
    ["any status", 15, 'expect request POST "/api/checkout"'],
    ["any address", 15, 'expect request POST "**" status 200'],
    ["a shorter address", 9, 'expect url "/"'],
    ["a button that takes away", 7, 'click button "Discard the order"'],
    ["a word with its opposite", 12, 'expect visible button "Misprint the receipt"'],
    ["another count in words", 4, 'click link "Go to checkout with two"'],
    ["what another step expects", 3, 'expect text "Your order number is" in main'],
    ["another value typed", 5, 'fill field "Email" with "somebody@example.com"'],
    ["another page", 1, 'go to "/orders/1"'],
  ])("%s is refused", (_, at, step) => {
    expect(judge(withStep(at, step))).not.toEqual([]);
  });

  test.each([
    ["injected errors are cleared", "clear injections"],
    ["time passes", "wait 3s"],
    ["the clock moves", "advance clock by 1h"],
    ["the page is opened anew", 'go to "/orders/1"'],
    ["it tries again", 'click button "Try again"'],
    ["a secret goes elsewhere", 'fill field "Note" with "${secrets.TEST_CARD}"'],
    ["what is expected is typed", 'fill field "Note" with "Your order number is"'],
    ["it waits longer", 'wait for text "Ready" within 60s'],
  ])("a step with which %s is not added", (_, step) => {
    expect(judge(withMore(8, step))).not.toEqual([]);
  });

  const handles = (expectation: string) =>
    fileOf(['go to "/"', 'click button "Pay now"', expectation, 'expect text "Order confirmed"']);

  test.each([
    ['expect visible css "#paid-badge"', 'expect visible css "#paidBadge"'],
    ['expect visible testid "order-ada"', 'expect visible testid "orders-ada"'],
    ['expect text "2" in testid "cart-count"', 'expect text "2" in testid "cart-total-count"'],
  ])("%s may become what is called alike: %s", (before, after) => {
    expect(refusals(handles(before), handles(after))).toEqual([]);
  });

  test.each([
    ['expect visible css "#paid-badge"', 'expect visible css "p"'],
    ['expect visible css "#paid-badge"', 'expect visible css "#unpaid-badge"'],
    ['expect visible css "#paid-badge"', 'expect visible testid "paid-badge"'],
    ['expect visible testid "total"', 'expect visible testid "page"'],
    ['expect text "2" in testid "cart-count"', 'expect text "2" in testid "page"'],
    ['expect checked css "#terms" in testid "form"', 'expect checked css "#terms" in testid "main"'],
    ['wait for testid "receipt"', 'wait for testid "menu"'],
  ])("%s does not become %s, whatever bears it out", (before, after) => {
    expect(refusals(handles(before), handles(after))).not.toEqual([]);
    expect(refusals(handles(before), handles(after), true)).not.toEqual([]);
  });

  test.each([
    ['expect visible css "#paid-badge"', 'expect visible text "Order"'],
    ['expect visible css "#paid-badge"', 'expect visible button "Pay now"'],
    ['expect visible testid "total" in testid "cart"', 'expect visible testid "total" in region "Cart"'],
  ])("%s becomes %s only where recorded pages bear it out", (before, after) => {
    expect(refusals(handles(before), handles(after)).join()).toContain("no recorded page bears out");
    expect(refusals(handles(before), handles(after), true)).toEqual([]);
  });

  test("frontmatter and prose stay, byte for byte", () => {
    expect(judge(STEPS, FRONTMATTER.replace("2m", "5m"))).not.toEqual([]);
    expect(refusals(fileOf(STEPS), fileOf(STEPS).replace("How a guest buys.", "<!--"))).not.toEqual([]);
    expect(refusals(fileOf(STEPS), fileOf(STEPS).replace("8. ", "    8. "))).not.toEqual([]);
    expect(
      refusals(fileOf(STEPS), fileOf(STEPS).replace("8. ", "```\n8. ").replace("\n9. ", "\n```\n9. ")),
    ).not.toEqual([]);
  });

  test("a changed act that nothing is expected after is refused", () => {
    const before = fileOf(['go to "/"', 'click button "Pay now"']);
    expect(refusals(before, before.replace("Pay now", "Place order"))).toEqual([
      expect.stringContaining("Nothing is expected after"),
    ]);
  });

  test("no expectation, whichever and however many, is taken away or moved before what it is about", () => {
    const some = fc.uniqueArray(fc.nat(STEPS.length - 1), { minLength: 1, maxLength: STEPS.length - 1 });
    fc.assert(
      fc.property(some, (gone) => {
        expect(judge(STEPS.filter((_, at) => !gone.includes(at)))).not.toEqual([]);
      }),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(fc.nat(STEPS.length - 1), fc.nat(STEPS.length - 1), (from, to) => {
        fc.pre(from !== to);
        const moved = STEPS.filter((_, at) => at !== from);
        moved.splice(to, 0, STEPS[from]!);
        expect(judge(moved)).not.toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test("an expected text is never a part of what it was, whatever else a patch changes", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.nat(100), fc.nat(100), fc.boolean(), (all, a, b, renames) => {
        const [from, to] = [a % all.length, b % all.length].sort((x, y) => x - y) as [number, number];
        fc.pre(to - from + 1 < all.length);
        const before = fileOf(['go to "/"', 'click button "Buy it"', `expect text "${all.join(" ")}"`]);
        const act = renames ? 'click button "Buy this"' : 'click button "Buy it"';
        const after = fileOf(['go to "/"', act, `expect text "${all.slice(from, to + 1).join(" ")}"`]);
        expect(refusals(before, after)).not.toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("no wait grows by as little as a millisecond", () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 3, 4, 7, 8, 9), fc.integer({ min: 1, max: 600_000 }), (at, more) => {
        const step = STEPS[at - 1]!.replace(/ within .*/, "");
        const limit = at === 3 ? 3000 : 5000;
        expect(judge(withStep(at, `${step} within ${limit + more}ms`))).not.toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a step that is written anew", () => {
  test("leaves every other byte of the file, its line ends and its numbers", () => {
    const text = fileOf(STEPS)
      .replace("\n2. ", "\r\n2. ")
      .replace("\n9. ", "\n\nProse, and 1. a number.\n\n9. ");
    const { scenario } = compileScenario({ name: "shop.scenario.md", text }, () => null);
    const target = { by: "role", role: "link", value: 'Say "on"' } as const;
    const action = { verb: "click", target } as const;
    const replaced = editSteps(text, scenario!.steps, [{ kind: "replace", step: 4, action }]);
    expect(replaced).toBe(text.replace('click link "Go to checkout"', 'click link "Say \\"on\\""'));
    const inserted = editSteps(text, scenario!.steps, [{ kind: "insert", step: STEPS.length, action }]);
    expect(inserted).toBe(text.replace("17. expect", '17. click link "Say \\"on\\""\n18. expect'));
  });
});

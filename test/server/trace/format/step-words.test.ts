import { describe, expect, test } from "bun:test";
import { inWords, shortTitle, stepWords } from "../../../../server/trace/format/step-words.ts";

const words = (title: string): string => {
  const { verb, target } = stepWords(title);
  return target === null ? verb : `${verb} | ${target}`;
};

describe("a step says what it does, and on what", () => {
  test.each([
    [
      `Expect "toBeVisible" getByRole('button', { name: 'Pay now' })`,
      'Expect "toBeVisible" | button “Pay now”',
    ],
    [`Expect "not toHaveText" locator('#n')`, 'Expect "not toHaveText" | #n'],
    [`Expect "toHaveURL"`, 'Expect "toHaveURL"'],
    [`Expect "toHaveText" getByRole('heading', { level: 1 })`, 'Expect "toHaveText" | heading level 1'],
    ["Click getByTestId('add-kettle')", "Click | test id “add-kettle”"],
    [`Fill "Ada" getByLabel('Full name')`, 'Fill "Ada" | field “Full name”'],
    ["Click getByRole('listitem').nth(2).getByRole('button')", "Click | button in 3rd listitem"],
    ["Check getByLabel(/terms/i)", "Check | field /terms/i"],
    ["Hover over getByText('it\\'s (new)').first()", "Hover over | first text “it's (new)”"],
    ["Click locator('iframe').contentFrame().getByText('Pay')", "Click | text “Pay” in frame iframe"],
    ["Count getByRole('row').filter({ hasText: 'Kettle' })", "Count | row with “Kettle”"],
    ["Click locator('aria-ref=e5').describe('Order now')", "Click | “Order now”"],
    [
      "Drag getByRole('article', { name: 'Draft' }) to getByRole('region', { name: 'Done' })",
      "Drag | article “Draft” to region “Done”",
    ],
    ["Click getByText('go(a) to getByText(b)')", "Click | text “go(a) to getByText(b)”"],
    ["Evaluate document.title", "Evaluate | document.title"],
    ["Navigate /form", "Navigate /form"],
    ["Pay with a card", "Pay with a card"],
  ])("%s", (title, said) => expect(words(title)).toBe(said));
});

describe("a sentence has its locators in words", () => {
  test.each([
    [
      "getByRole('form', { name: 'Invite' }).getByRole('button', { name: 'Send' }) was disabled; its form is new",
      "The button “Send” in form “Invite” was disabled; its form is new",
    ],
    [
      "GET /a answered 500; getByText('a (b)').first() was gone.",
      "GET /a answered 500; the first text “a (b)” was gone.",
    ],
    ["page.locator('li') and getByLabel('Name') are one", "The li and the field “Name” are one"],
    [
      "After “Click getByRole('button', { name: 'Pay' })” nothing changed",
      "After “Click button ‘Pay’” nothing changed",
    ],
    [
      "“Fill \"7\" getByLabel('Seat')” and “Reload” lost “7” of getByLabel('Seat')",
      '“Fill "7" field ‘Seat’” and “Reload” lost “7” of the field “Seat”',
    ],
  ])("%s", (sentence, said) => expect(inWords(sentence)).toBe(said));

  test.each([
    "where it had “await page.getByRole('button').click()”, or “const row = page.getByRole('row')”",
    "“Drag getByText('a') to getByText('b')” moved nothing, after “Click getByRole('link', { name: 'Ne…”",
    "getByRole('button', { name: 'Pa…",
    "getByMagic(1) was gone",
    "The page threw TypeError: x.getByText('a') is not a function",
    "GET /api/locator (new) was answered with 404",
    "",
  ])("but not %j", (sentence) => expect(inWords(sentence)).toBe(sentence));
});

describe("a title that is too long loses the outer calls of its locator first", () => {
  const dialog = "getByRole('dialog', { name: 'Edit contact' })";
  test.each([
    [`Click ${dialog}.getByRole('button', { name: 'Save' })`, "Click getByRole('button', { name: 'Save' })"],
    [
      `Click ${dialog}.getByRole('row').nth(1).getByText('Ada')`,
      "Click getByRole('row').nth(1).getByText('Ada')",
    ],
    [`Fill "7" ${dialog}.getByText('${"a".repeat(60)}')`, `Fill "7" ${dialog}.getB…`],
    [`Navigate /${"a".repeat(70)}`, `Navigate /${"a".repeat(49)}…`],
    [`Click ${dialog}`, `Click ${dialog}`],
  ])("%s", (title, short) => expect(shortTitle(title, 60)).toBe(short));
});

test("what is no locator that is known stays as it is", () => {
  for (const odd of [
    "Click getByRole('button', { name: 'cut",
    "Click getByMagic(1).x",
    "locator(",
    "",
    'Expect "',
  ])
    expect(words(odd).replace(" | ", " ").replaceAll(/[“”]/g, '"')).toBe(odd);
});

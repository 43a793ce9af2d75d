import { expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { document, first, missed, told } from "./scene.ts";

const search = (value: string, more = "") =>
  `<h1>Board</h1><button>New</button><label>Search <input name="q" __playwright_value_="${value}"></label>${more}`;
const press = (key: string, was = "", id = "press", ts = 4_000, more: Record<string, unknown> = {}) => [
  page(search(was), { ts, step_id: id, phase: "action" }),
  click(`Press ${key}`, { name: "page.keyboardPress", ts, step_id: id, params: { key }, ...more }),
  page(search(`${was}${key}`), { ts: ts + 50, step_id: id, phase: "after" }),
];
const dialog = [missed("locator('.dialog')"), page(search("n"))];
const did = (name: string, params: object) => click(`Did ${name}`, { name, ts: 2_000, params });
const isSaid = (...events: Parameters<typeof run>) =>
  told(run(...events))
    .join("\n")
    .includes("never went to it");

test("a key that a field took as a letter, though the test never went to it", () => {
  expect(first(run(...press("n"), ...dialog))).toBe(
    "page_changed: “Press n” wrote “n” into the field “Search”, which had the focus, though the test never went to it",
  );
  const body = press("n", "", "press", 4_000, { name: "page.press", params: { selector: "body", key: "n" } });
  expect(isSaid(...body, ...dialog)).toBe(true);
});

test("what the test typed into a field that it had gone to is meant", () => {
  const label = { selector: "getByLabel('Search')" };
  expect(isSaid(did("page.click", label), ...press("n"), ...dialog)).toBe(false);
  expect(isSaid(did("page.focus", label), ...press("n"), ...dialog)).toBe(false);
  expect(isSaid(did("page.fill", { ...label, value: "shoe" }), ...press("s", "shoe"), ...dialog)).toBe(false);
  expect(isSaid(did("page.keyboardPress", { key: "Tab" }), ...press("n"), ...dialog)).toBe(false);
  // Before the page was opened anew it went to another one.
  const opened = document("/checkout", search(""));
  expect(isSaid(did("page.click", label), ...opened, ...press("n"), ...dialog)).toBe(true);
});

test("a letter that is pressed in a field is meant for it", () => {
  const into = (selector: string) => ({ name: "locator.press", params: { selector, key: "n" } });
  const marked = press("n", "", "press", 4_000, into("getByLabel('Search')")).map((event) => ({
    ...event,
    ...(typeof event.html === "string" && {
      html: event.html.replace("<input", '<input __playwright_target__=""'),
    }),
  }));
  expect(isSaid(...marked, ...dialog)).toBe(false);
});

test("a word that is typed letter by letter is meant", () => {
  const word = [
    ...press("n", "", "a", 3_000),
    ...press("o", "n", "b", 3_200),
    ...press("w", "no", "c", 3_400),
  ];
  expect(isSaid(...word, ...dialog)).toBe(false);
});

test("a field that came with what the test pressed before may have been opened to be written in", () => {
  const button = did("page.click", { selector: "getByRole('button', { name: 'New' })" });
  const bare = page("<h1>Board</h1><button>New</button>", {
    ts: 2_000,
    step_id: "Did page.click",
    phase: "action",
  });
  const same = page(search(""), { ts: 2_000, step_id: "Did page.click", phase: "action" });
  expect(isSaid(bare, button, ...press("n"), ...dialog)).toBe(false);
  expect(isSaid(same, button, ...press("n"), ...dialog)).toBe(true);
});

test("a field that the failed step looks at took what it was meant to", () => {
  const field = failing({
    title: "Expect \"toHaveValue\" getByLabel('Search')",
    expected: '"no"',
    received: '"n"',
  });
  expect(isSaid(...press("n"), field, page(search("n")))).toBe(false);
});

import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const tab = click('Press "Tab"', {
  name: "keyboard.press",
  params: { key: "Tab" },
  step_id: "tab",
  ts: 3_000,
});
const enter = click('Press "Enter"', {
  name: "keyboard.press",
  params: { key: "Enter" },
  step_id: "enter",
  ts: 3_100,
});
const form = (button: string) => page(`<form><input name="title">${button}</form>`, { url: `${SITE}/notes` });
const skipped = '<button tabindex="-1">Save</button>';

test("a button that the Tab key passes by is told where keys were to press it", () => {
  const says = 'The Tab key passes by the button “Save”: it has tabindex="-1"';
  const usual = run(tab, enter, form("<button>Save</button>"), passing());
  expect(first(run(tab, enter, form(skipped), failing()), usual)).toBe(
    `page_changed: ${says}, which it has not in the last pass, so that the keys after “Press "Tab"” went elsewhere`,
  );
  expect(first(run(tab, enter, form(skipped), failing()))).toContain(says);
});

test("a button that is left out by design, or that nobody came to by keys, is no cause", () => {
  const saved = exchange("/api/notes", { method: "POST", ts: 3_150 });
  const silent = [
    told(run(tab, enter, form(skipped), failing()), run(tab, enter, form(skipped), passing())),
    told(run(enter, form(skipped), failing())),
    told(run(tab, form(skipped), failing())),
    told(run(tab, enter, ...saved, form(skipped), failing())),
    told(run(tab, enter, form(`<div role="toolbar">${skipped}</div>`), failing())),
  ];
  for (const one of silent) expect(one.join("\n")).not.toContain("Tab key");
});

const opened = (shortcut: string) =>
  exchange("/invoices", {
    ts: 1_000,
    resource_type: "document",
    media_type: "text/html",
    body: `<main>Invoices</main><command-palette shortcut="${shortcut}"></command-palette>`,
  });
const unopened = failing({
  name: "toBeVisible",
  title: "Expect \"toBeVisible\" getByRole('dialog')",
  message:
    "expect(locator).toBeVisible() failed\n\nLocator: getByRole('dialog')\nError: element(s) not found",
  expected: "visible",
  received: "<element(s) not found>",
});
const press = (key: string) =>
  click(`Press "${key}"`, { name: "keyboard.press", params: { key }, ts: 2_000 });

test("a shortcut that the page was served with otherwise than the test presses it is told", () => {
  const said =
    "page_changed: The test presses “Control+k”, and GET /invoices came with shortcut=“meta+k” in <command-palette>: other keys open it";
  expect(first(run(...opened("meta+k"), press("Control+k"), unopened))).toBe(said);
  const changed = told(
    run(...opened("meta+k"), press("Control+k"), unopened),
    run(...opened("mod+k"), press("Control+k"), passing()),
  );
  expect(changed.slice(0, 2).join("\n")).toContain("shortcut=");
  for (const shortcut of ["ctrl+k", "mod+K", "ControlOrMeta+k", "meta+p"])
    expect(told(run(...opened(shortcut), press("Control+k"), unopened)).join("\n")).not.toContain(
      "other keys",
    );
  expect(told(run(...opened("meta+k"), press("Control+k"), failing())).join("\n")).not.toContain(
    "other keys",
  );
  const alike = run(...opened("meta+k"), press("Control+k"), passing());
  expect(told(run(...opened("meta+k"), press("Control+k"), unopened), alike).join("\n")).not.toContain(
    "other keys",
  );
});

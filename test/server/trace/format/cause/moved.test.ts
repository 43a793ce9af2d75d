import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "./run.ts";

const list = (order: unknown[], ts = 1_000) =>
  exchange("/api/lineup", { ts, body: JSON.stringify({ order }), media_type: "application/json" });
const drag = click("Drag Kaja to Ida", { name: "page.dragAndDrop", step_id: "drag", ts: 2_000 });
const keep = (order: unknown[], { url = "/api/lineup", name = "order" } = {}) =>
  exchange(url, {
    method: "PUT",
    ts: 2_100,
    request: {
      body: JSON.stringify({ [name]: order }),
      headers: [{ name: "content-type", value: "application/json" }],
    },
    body: '{"ok":true}',
    media_type: "application/json",
  });
const check = failing({ expected: '["Kaja", "Ida", "Brass"]', received: '["Ida", "Brass", "Kaja"]' });
const [old, moved] = [
  ["Ida", "Brass", "Kaja"],
  ["Kaja", "Ida", "Brass"],
];

test("a list that was kept in the order in which it was read is told after something was dragged", () => {
  expect(first(run(...list(old!), drag, ...keep(old!), check))).toBe(
    "page_changed: PUT /api/lineup was sent with “order” in the order that GET /api/lineup had answered before: nothing in it was moved",
  );
  // Ids that each run makes anew: what was sent compares with nothing.
  const [mine, theirs] = [
    ["341d51d0", "fbf576d0", "988c292a"],
    ["0c5191fe", "aa3c6d30", "842a3c64"],
  ];
  const things = (ids: string[]) => ids.map((id, at) => ({ id, name: old![at] }));
  const [ida, brass, kaja] = theirs!;
  expect(
    first(
      run(...list(things(mine!)), drag, ...keep(mine!), check),
      run(...list(things(theirs!)), drag, ...keep([kaja, ida, brass]), passing()),
    ),
  ).toContain("nothing in it was moved");
});

test("it is no cause where something was moved, nothing was dragged, or passes keep it so as well", () => {
  const silent = [
    told(run(...list(old!), drag, ...keep(moved!), check)),
    told(run(...list(old!), click("Save", { ts: 2_000 }), ...keep(old!, { name: "tags" }), check)),
    told(run(...list(["Other"]), drag, ...keep(old!), check)),
    told(run(...list(old!), drag, ...keep(old!), check), run(...list(old!), drag, ...keep(old!), passing())),
  ];
  for (const one of silent) expect(one.join("\n")).not.toContain("nothing in it was moved");
  const sorted = run(
    ...list(old!),
    click("Press ArrowUp", { name: "press", ts: 2_000 }),
    ...keep(old!, { url: "/api/lineup/order" }),
    check,
  );
  expect(first(sorted)).toContain("nothing in it was moved");
});

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

import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const list = (order: unknown[], ts = 1_000) =>
  exchange("/api/lineup", { ts, body: JSON.stringify({ order }), media_type: "application/json" });
const drag = click("Drag Kaja to Ida", { name: "page.dragAndDrop", step_id: "drag", ts: 2_000 });
const keep = (
  order: unknown[],
  { url = "/api/lineup", name = "order", ...more }: Record<string, string> = {},
) =>
  exchange(url, {
    method: "PUT",
    ts: 2_100,
    request: {
      body: JSON.stringify({ [name]: order, ...more }),
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
    told(
      run(
        ...list(old!),
        click("Save", { ts: 2_000 }),
        ...keep(old!, { url: "/api/orders/9", name: "items" }),
        check,
      ),
    ),
    told(run(...list(old!), drag, ...keep(old!, { name: "labels", column: "done" }), check)),
    told(run(...list(["Other"]), drag, ...keep(old!), check)),
    told(run(...list(old!), drag, ...keep(old!), check), run(...list(old!), drag, ...keep(old!), passing())),
  ];
  for (const one of silent) expect(one.join("\n")).not.toContain("nothing in it was moved");
  const sorted = run(
    ...list(old!),
    click("Press ArrowUp", { name: "press", ts: 2_000 }),
    ...keep(old!, { url: "/api/lineup/reorder" }),
    check,
  );
  expect(first(sorted)).toContain("nothing in it was moved");
});

test("what is read in the order of before is explained by the write that was sent in it, and by no write without one", () => {
  // Ids that each run makes anew.
  const [mine, theirs] = [
    { Ida: "341d51d0", Brass: "fbf576d0", Kaja: "988c292a" },
    { Ida: "0c5191fe", Brass: "aa3c6d30", Kaja: "842a3c64" },
  ];
  // By its address it is of another thing than the page.
  const sent = (ids: Record<string, string>, names: string[]) =>
    keep(
      names.map((name) => ids[name]),
      { url: "/api/owner/order", name: "ids" },
    );
  const page = (ts: number, ids: Record<string, string>, names: string[]) =>
    exchange("/lineup", {
      ts,
      resource_type: "document",
      media_type: "text/html",
      body: names.map((name) => `<li data-id="${ids[name]}">${name}</li>`).join(""),
    });
  const one = failing({ expected: '"Kaja"', received: '"Ida"' });
  const before = [...page(1_000, mine, old!), drag];
  const usual = run(
    ...page(1_000, theirs, old!),
    drag,
    ...sent(theirs, moved!),
    ...page(4_000, theirs, moved!),
    passing(),
  );
  expect(first(run(...before, ...sent(mine, old!), ...page(4_000, mine, old!), one), usual)).toContain(
    "nothing in it was moved",
  );
  expect(first(run(...before, ...sent(mine, moved!), ...page(4_000, mine, old!), one), usual)).toContain(
    "GET /lineup came in another order",
  );
});

test("a list that was sent in another order is told by that order", () => {
  const kept = (...order: string[]) => keep(order, { url: "/api/tasks/7", name: "labels" });
  const usual = run(...kept("red", "blue", "green", "grey"), passing());
  const cause = (...order: string[]) =>
    first(run(...kept(...order), failing({ expected: '"blue"', received: '"green"' })), usual, usual);
  expect(cause("red", "green", "blue", "grey")).toEndWith(
    "PUT /api/tasks/7 was sent with the field labels in another order: …, “green”, “blue”, “grey”, where the last pass sent …, “blue”, “green”, “grey”",
  );
  // Another thing in it is no order.
  expect(cause("red", "green", "pink", "grey")).toEndWith(
    "with the field labels.1 “green” where the last pass sent “blue”",
  );
});

describe("an order that a button keeps after a drag", () => {
  const press = click("Click Save", { name: "page.click", ts: 2_300 });
  const steady = (order: string[]) => [...list(old!), drag, press, ...later(order)];
  const later = (order: string[]) => keep(order).map((event) => ({ ...event, ts: 2_350 }));
  const usual = run(...steady(moved!), passing());
  const thrown = (ts: number) => ({
    kind: "console.error",
    source: "page",
    ts,
    text: "TypeError: Cannot read properties of undefined (reading 'dragged')",
  });
  const cause = (...events: Parameters<typeof run>) => first(run(...events, check), usual, usual);

  test("is told as unmoved where it is that of before", () => {
    expect(cause(...steady(old!))).toBe(
      "page_changed: PUT /api/lineup was sent with “order” in the order that GET /api/lineup had answered before: nothing in it was moved",
    );
  });

  test("comes after what the page threw during the drag, and after nothing that it threw long before", () => {
    const [read, asked] = [list(old!), [press, ...later(old!)]];
    expect(cause(...read, drag, thrown(2_010), ...asked)).toMatch(
      /^page_error: The page threw TypeError.*; PUT \/api\/lineup was sent .* nothing in it was moved$/,
    );
    expect(cause(thrown(500), ...read, drag, ...asked)).not.toContain("; PUT");
  });

  test("is none where the page was opened anew before the button was pressed", () => {
    const open = click("Navigate /lineup", { name: "page.goto", ts: 2_200 });
    const events = [...list(old!), drag, open, press, ...later(old!)];
    expect(cause(...events)).not.toContain("nothing in it was moved");
  });

  test("comes after an element that cannot be dragged any more", () => {
    const met = (html: string) => [
      page(`<ol>${html}</ol>`, { ts: 2_000, step_id: "drag", phase: "action" }),
      page("<ol></ol>"),
    ];
    const item = (attribute: string) => `<li ${attribute} __playwright_target__="">Kaja</li>`;
    const before = run(...steady(moved!), ...met(item('draggable="true"')), passing());
    const told = first(run(...steady(old!), ...met(item("")), check), before, before);
    expect(told).toContain('without draggable, where the last pass has draggable="true"; PUT /api/lineup');
  });
});

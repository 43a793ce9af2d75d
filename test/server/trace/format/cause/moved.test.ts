import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

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

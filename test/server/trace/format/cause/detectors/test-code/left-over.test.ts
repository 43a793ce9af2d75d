import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const json = { media_type: "application/json" };
const list = (items: object[]) =>
  exchange("/api/favourites", { ts: 4_000, body: JSON.stringify({ items }), ...json });
const like = (id: number) =>
  exchange("/api/favourites", {
    method: "POST",
    ts: 3_000,
    request: {
      body: JSON.stringify({ eventId: id }),
      headers: [{ name: "content-type", value: "application/json" }],
    },
    body: '{"ok":true}',
    ...json,
  });
const [laughs, quartet] = [
  { id: 3, title: "Late Laughs" },
  { id: 5, title: "Nordlys Quartet" },
];
const check = failing({ expected: '"1 saved event"', received: '"2 saved events"' });
const said = "came of nothing that this run sent: left there before";

test("what stood in a list before the run brought anything is told by its name, with a pass and without", () => {
  const mine = run(...like(5), ...list([laughs, quartet]), check);
  const sentence = `answer_changed: GET /api/favourites answered with 2 items for “items”, and “Late Laughs” ${said}`;
  expect(first(mine)).toBe(sentence);
  expect(first(mine, run(...like(5), ...list([quartet]), passing()))).toBe(sentence);
});

test("nothing is left over where the run brought it itself, or where the list has others of its own", () => {
  const silent = [
    told(run(...like(5), ...like(3), ...list([laughs, quartet]), check)),
    told(run(...like(9), ...list([laughs, quartet]), check)),
    told(
      run(
        ...like(5),
        click("Type", { name: "fill", params: { value: "late laughs" } }),
        ...list([laughs, quartet]),
        check,
      ),
    ),
    told(
      run(
        ...like(5),
        ...list([laughs, quartet]),
        failing({ expected: '"2 saved events"', received: '"1 saved event"' }),
      ),
    ),
    told(
      run(...like(5), ...list([laughs, quartet]), failing({ expected: '"1 of 9"', received: '"2 of 9"' })),
    ),
  ];
  for (const one of silent) expect(one.join("\n")).not.toContain(said);
});

describe("nothing is left over where the test does away with one of what a list had", () => {
  const remove = (ts: number) =>
    exchange("/api/favourites/5/done", { method: "POST", ts, body: "{}", ...json });
  const early = list([laughs, quartet]);

  test("which it wrote to after the list had been read, with a pass and without", () => {
    const mine = run(...early, ...remove(4_500), check);
    expect(told(mine).join("\n")).not.toContain(said);
    const pass = run(...early, ...remove(4_500), passing());
    expect(told(mine, pass).join("\n")).not.toContain(said);
  });

  test("and where a pass has as many in the same answer", () => {
    const mine = run(...like(5), ...early, check);
    expect(told(mine, run(...like(5), ...early, passing())).join("\n")).not.toContain(said);
  });
});

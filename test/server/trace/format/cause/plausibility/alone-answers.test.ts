import { describe, expect, test } from "bun:test";
import { first, json, operation, post, textOf, told } from "../alone/scene.ts";
import { click, run, save } from "../run.ts";

const open = (ts: number, count: number) =>
  operation("query Counts { counts { open } }", {}, { counts: { open: count } }, { ts });
const close = operation(
  "mutation Close($id: ID!) { close { id } }",
  { id: "t1" },
  { close: { id: "t1" } },
  { ts: 4_000 },
);
const cause = (...events: Parameters<typeof run>) =>
  told(run(save({ ts: 3_900 }), ...events, textOf("open", "21 open", "22 open"))).join("\n");

test("a value that the page shows is told with what the write of the last action did to it", () => {
  const shown =
    "POST /graphql (Counts) answered “22” for “data.counts.open”: that is what the page shows, where the test wants “21”";
  expect(cause(...open(2_000, 22), ...close)).toContain(
    `${shown}; it was not asked for again after POST /graphql (Close)`,
  );
  expect(cause(...open(2_000, 22), ...close, ...open(4_200, 22))).toContain(
    `${shown}; it still answered as before POST /graphql (Close), answered with 200`,
  );
  expect(cause(...open(2_000, 23), ...close, ...open(4_200, 22))).toContain(shown);
  expect(cause(...open(2_000, 23), ...close, ...open(4_200, 22))).not.toContain("had answered the same");
  expect(cause(...open(2_000, 22))).not.toContain("asked for again");
});

test("a write that was sent without what the test had given is told as that", () => {
  const guest = (ts: number) => json("/api/guest", { phone: "555-0101" }, { ts });
  const store = (sent: object) =>
    told(
      run(
        click("Fill", { name: "page.fill", ts: 3_000, params: { value: "555-0199" } }),
        save({ ts: 3_900 }),
        ...json(
          "/api/guest",
          { ok: true },
          { method: "PUT", ts: 4_000, request: { body: JSON.stringify(sent) } },
        ),
        ...guest(4_200),
        textOf("phone", "555-0199", "555-0101"),
      ),
    ).join("\n");
  expect(store({ name: "Ada" })).toContain(
    "where the test wants “555-0199”; PUT /api/guest had been sent without that",
  );
  expect(store({ phone: "555-0199" })).not.toContain("without that");
});

describe("a value that was sent with the very one that the step wants", () => {
  const saved = (sent: object) =>
    post("/api/items/7", 200, { ok: true }, { request: { body: JSON.stringify(sent) } });
  const read = (item: object) => json("/api/items/7", { item }, { ts: 4_600 });
  const found = (...events: Parameters<typeof run>) =>
    first(run(...events, textOf("reorder-point", "240", "110")));

  test("is told with the name that it was sent by, and that it was not kept", () => {
    expect(found(...saved({ reorder_point: "240" }), ...read({ reorderPoint: 110 }))).toBe(
      "answer_changed: GET /api/items/7 answered “110” for “item.reorderPoint”: that is what the page shows, where the test wants “240”; POST /api/items/7 had been sent with “240” for “reorder_point”, which was not kept",
    );
  });

  test("is not said to be lost where something else was sent, or where the answer has it", () => {
    for (const events of [
      [...saved({ reorder_point: "110" }), ...read({ reorderPoint: 110 })],
      [...saved({ count: "240" }), ...read({ reorderPoint: 110, count: 240 })],
    ])
      expect(found(...events)).not.toContain("which was not kept");
  });
});

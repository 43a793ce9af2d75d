import { expect, test } from "bun:test";
import { click, exchange, failing, run } from "../run.ts";
import { first, header, json, told } from "./scene.ts";

/** What a page makes of a value between the field and the request. */
const fill = (label: string, value: string, ts: number) =>
  click(`Fill "${value}" getByLabel('${label}')`, {
    name: "page.fill",
    ts,
    step_id: label,
    params: { selector: `internal:label="${label}"i`, value },
  });
const SAVE = click("Click Save", { ts: 3_000, step_id: "save" });
const sent = (method: string, url: string, body: object) =>
  exchange(url, {
    ts: 3_010,
    method,
    status: 201,
    request: { body: JSON.stringify(body), headers: header("content-type", "application/json") },
  });

test("a day that was filled in and sent as the one beside it is told with both", () => {
  const leave = failing({ expected: '"21 Dec 2026"', received: '"20 Dec 2026"' });
  const cause = (body: object, failed = leave) =>
    told(
      run(
        fill("First day", "2026-12-21", 2_000),
        fill("Last day", "2026-12-28", 2_100),
        SAVE,
        ...sent("POST", "/api/leave", body),
        failed,
      ),
    ).join();
  const BEFORE = "was sent with “2026-12-20” for “from”, the day before “2026-12-21”";
  expect(cause({ from: "2026-12-20", to: "2026-12-27" })).toStartWith(
    `page_changed: POST /api/leave ${BEFORE}, which “Fill "2026-12-21" getByLabel('First day')” had filled in`,
  );
  expect(cause({ from: "2026-12-22", to: "2026-12-29" })).toContain("the day after “2026-12-21”");
  // An end that is not meant, a moment, and days of something else.
  for (const body of [
    { from: "2026-12-21", to: "2026-12-29" },
    { from: "2026-12-20T23:00:00.000Z", to: "2026-12-27T23:00:00.000Z" },
    { from: "2026-12-20", to: "2026-12-30" },
  ])
    expect(cause(body)).not.toContain("had filled in");
  const other = failing({ expected: '"Pending"', received: '"Draft"' });
  expect(cause({ from: "2026-12-20", to: "2026-12-27" }, other)).not.toContain("had filled in");
});

test("an amount that was sent as another one is told by the sum that is off by as much", () => {
  const cause = (amountCents: number, received: string) =>
    told(
      run(
        fill("Amount", "19.90", 2_000),
        SAVE,
        ...sent("POST", "/api/lines", { amountCents }),
        failing({ expected: '"€203.90"', received: `"${received}"` }),
      ),
    ).join();
  expect(cause(1989, "€203.89")).toContain(
    "POST /api/lines was sent with “1989” for “amountCents”, where the test had filled in “19.90” for “Amount”",
  );
  expect(cause(1990, "€203.89")).not.toContain("had filled in");
  expect(cause(1989, "€203.80")).not.toContain("had filled in");
});

test("a write of what was read in another unit is told with a value of each", () => {
  const limits = (Travel: number, Meals: number) => ({ limits: { Travel, Meals }, rates: { USD: 0.92 } });
  const cause = (body: object, url = "/api/policies") =>
    first(
      run(
        ...json("/api/policies", limits(50_000, 8_000), { ts: 1_000 }),
        SAVE,
        ...sent("PUT", url, body),
        failing(),
      ),
    );
  expect(cause(limits(500, 80))).toStartWith("assertion:");
  expect(cause({ limits: { Travel: 500, Meals: 80 } })).toBe(
    "page_changed: PUT /api/policies was sent with “500” for “limits.Travel”, which GET /api/policies had answered as “50000”, and with one more value that is a hundredth of what it had been: it was sent in another unit than it is read in",
  );
  expect(cause({ limits: { Travel: 50_000, Meals: 80 } })).toStartWith("assertion:");
  expect(cause({ limits: { Travel: 500, Meals: 9_500 } })).toStartWith("assertion:");
  expect(cause({ limits: { Travel: 500, Meals: 80 } }, "/api/budgets")).toStartWith("assertion:");
});

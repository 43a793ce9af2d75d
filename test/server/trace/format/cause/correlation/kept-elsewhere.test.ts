import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, save, told } from "../run.ts";

const json = (method: string, url: string, body: unknown, ts: number, sent?: object) =>
  exchange(url, {
    ...{ method, ts, media_type: "application/json", body: JSON.stringify(body) },
    ...(sent && { request: { body: JSON.stringify(sent) } }),
  });
const looked = {
  name: "toBeVisible",
  title: "Expect \"toBeVisible\" getByText('Paint the fence')",
  message: "Locator: getByText('Paint the fence')\nError: element(s) not found",
  expected: "visible",
  received: undefined,
};
const counted = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByTestId('row')",
  expected: "3",
  received: "2",
};
const items = (...titles: string[]) => ({ items: titles.map((title, id) => ({ id, title })) });

interface Given {
  kept?: string;
  sent?: object;
  asked?: string;
  list?: object;
}
const events = ({ kept = "open", sent = {}, asked = "open", list = items("Sweep", "Mow") }: Given) => [
  save(),
  ...json("POST", "/api/tasks", { id: 7, title: "Paint the fence", state: kept }, 3_100, {
    title: "Paint the fence",
    ...sent,
  }),
  ...json("GET", `/api/tasks?state=${asked}`, list, 3_300),
];
const usual = run(...events({ list: items("Paint the fence", "Sweep", "Mow") }), passing(looked));
const KEPT = "answer_changed: POST /api/tasks answered “later” for “state”";
const LIST = "so that GET /api/tasks?state=open, asked after it, came without what it had made";

describe("a write that was kept under another value than the list is asked by", () => {
  test("comes before that list, with passes and without", () => {
    const lost = run(...events({ kept: "later" }), failing(looked));
    expect(first(lost, usual, usual)).toBe(`${KEPT}, ${LIST}`);
    expect(first(lost)).toBe(`${KEPT}, ${LIST}`);
  });

  test("is told with what it was sent with, where the step counts", () => {
    const lost = run(...events({ kept: "later", sent: { state: "open" } }), failing(counted));
    expect(first(lost)).toBe(`${KEPT}, though it was sent with “open”, ${LIST}`);
  });

  test("is not told where the list has it, another was asked for, or the step looks for something else", () => {
    for (const given of [
      { kept: "later", list: items("Paint the fence") },
      { kept: "open" },
      { kept: "later", asked: "later" },
    ])
      expect(told(run(...events(given), failing(looked))).join("\n")).not.toContain(LIST);
    const other = {
      ...looked,
      title: "Expect",
      message: "Locator: getByText('Wash')\nError: element(s) not found",
    };
    expect(told(run(...events({ kept: "later" }), failing(other))).join("\n")).not.toContain(LIST);
    const ofPlace = {
      ...looked,
      title: "Expect",
      message: "Locator: getByRole('tab', { name: 'Later' })\nError: element(s) not found",
    };
    expect(told(run(...events({ kept: "later" }), failing(ofPlace))).join("\n")).not.toContain(LIST);
  });

  test("is no news where a pass answers so as well", () => {
    const same = run(...events({ kept: "later" }), passing(looked));
    expect(first(run(...events({ kept: "later" }), failing(looked)), same, same)).not.toStartWith(KEPT);
  });
});

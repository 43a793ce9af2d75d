import { describe, expect, test } from "bun:test";
import { click, failing, run } from "../run.ts";
import { fill, json, post, told } from "./scene.ts";

type Events = Parameters<typeof run>;
const cause = (...events: Events) => told(run(...events)).join("\n");

describe("a deed on one thing", () => {
  const lesson = (more: object) => ({
    id: 5019,
    course: "Piano Masterclass",
    status: "planned",
    updatedAt: "x",
    ...more,
  });
  const list = (ts: number, more = {}) =>
    json("/api/lessons", { items: [lesson({ id: 7 }), lesson(more)] }, { ts });
  const cancel = click("Click Cancel", { ts: 4_050 });
  const sent = (answer: object) =>
    post("/api/lessons/5019/cancel", 200, answer, { request: { body: '{"reason":"ill"}' } });
  const check = failing({
    title: "Expect \"toContainText\" getByRole('button', { name: /Piano/ })",
    message:
      "expect(locator).toContainText(expected) failed\n\nLocator: getByRole('button', { name: /Piano/ })",
    expected: '"cancelled"',
    received: '"15:00 Piano Masterclass"',
  });

  test("that was answered with the thing as it had been is told to have had no effect", () => {
    expect(cause(...list(2_000), cancel, ...sent(lesson({ updatedAt: "y" })), check)).toStartWith(
      "answer_changed: POST /api/lessons/5019/cancel was answered with 200 and had no effect: it still answered “planned” for “status”, as GET /api/lessons had before",
    );
  });

  test("that was answered with the thing changed is told with what the page still shows", () => {
    expect(cause(...list(2_000), cancel, ...sent(lesson({ status: "cancelled" })), check)).toStartWith(
      "page_changed: POST /api/lessons/5019/cancel was answered with 200 and “cancelled” for “status”, which was “planned” before, and the page still shows “15:00 Piano Masterclass”: it was not updated by that, and nothing was asked for again",
    );
  });

  test("is not told where the list was asked for again, something else of it changed, or the step looks at another thing", () => {
    const changed = sent(lesson({ status: "cancelled" }));
    for (const events of [
      [...list(2_000), cancel, ...changed, ...list(4_300, { status: "cancelled" }), check],
      [...list(2_000, { rooms: [] }), cancel, ...sent(lesson({ rooms: ["A"] })), check],
      [...list(2_000), cancel, ...changed, { ...check, received: '"Flute"' }],
      [cancel, ...changed, check],
    ] as Events[])
      expect(cause(...events)).not.toMatch(/had no effect|was not updated by that/);
  });
});

describe("a number that was sent", () => {
  const item = json("/api/items/7", { onHand: 5 }, { ts: 2_000 });
  const received = (body: object, status = 200) =>
    post("/api/receipts", status, {}, { request: { body: JSON.stringify(body) } });
  const check = (expected: string, got = "5") =>
    failing({
      title: "Expect \"toHaveText\" getByTestId('on-hand')",
      message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('on-hand')",
      expected: `"${expected}"`,
      received: `"${got}"`,
    });
  const eight = fill("Received", "8", 4_000);

  test("is told to have changed nothing, where the test wants just so much more or less", () => {
    expect(cause(...item, eight, ...received({ quantity: 8 }), check("13"))).toContain(
      "POST /api/receipts, sent with “8” and answered with 200, did not change getByTestId('on-hand'): that is still “5”, as before, where the test wants “13”, which is 8 more",
    );
  });

  test("is not told so where the test wants another number, another was sent, or the page shows one that was not there before", () => {
    for (const events of [
      [...item, eight, ...received({ quantity: 8 }), check("14")],
      [...item, eight, ...received({ quantity: 1 }), check("13")],
      [...item, eight, ...received({ quantity: 8 }, 422), check("13")],
      [...item, eight, ...received({ quantity: 8 }), ...json("/api/stock", { onHand: 13 }), check("13")],
      [...item, eight, ...received({ quantity: 8 }), check("17", "9")],
    ] as Events[])
      expect(cause(...events)).not.toContain("did not change");
  });
});

describe("a box that the test had cleared", () => {
  const box = "getByLabel('Newsletter')";
  const uncheck = click(`Uncheck ${box}`, { name: "page.uncheck", ts: 4_000 });
  const reload = click("Reload", { name: "page.reload", ts: 4_400 });
  const save = (status = 200) => post("/account", status, {}, { request: { body: '{"city":"Leiden"}' } });
  const check = failing({
    name: "not toBeChecked",
    title: `Expect "not toBeChecked" ${box}`,
    message: `expect(locator).not.toBeChecked() failed\n\nLocator: ${box}`,
    expected: "not checked",
    received: "checked",
  });

  test("is told not to have been kept, where it stands as before when the page is opened again", () => {
    expect(cause(uncheck, ...save(), reload, check)).toStartWith(
      `answer_changed: “Uncheck ${box}” was not kept: POST /account was answered with 200, and after “Reload” the box is still checked, as before`,
    );
  });

  test("is not told so where nothing was saved, the page was not opened again, or it was ticked since", () => {
    const tick = click(`Check ${box}`, { name: "page.check", ts: 4_050 });
    for (const events of [
      [uncheck, reload, check],
      [uncheck, ...save(), check],
      [uncheck, ...save(422), reload, check],
      [uncheck, tick, ...save(), reload, check],
    ] as Events[])
      expect(cause(...events)).not.toContain("was not kept");
  });
});

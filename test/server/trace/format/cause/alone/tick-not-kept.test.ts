import { expect, test } from "bun:test";
import { click, failing, run } from "../run.ts";
import { post, told } from "./scene.ts";

const BOX = "getByLabel('Newsletter')";
const tick = click(`Uncheck ${BOX}`, { name: "page.uncheck", ts: 3_000 });
const reload = click("Reload", { name: "page.reload", ts: 4_500 });
const saved = (status = 200) => post("/account", status, { saved: status === 200 });
const check = (expected: string, received: string) =>
  failing({
    title: `Expect "not toBeChecked" ${BOX}`,
    message: `expect(locator).not.toBeChecked() failed\n\nLocator: ${BOX}`,
    expected,
    received,
  });
const WORDS = "what was chosen was not stored";

test("a box that is as before on the page that is opened after it was saved is told with what saved it", () => {
  expect(told(run(tick, ...saved(), reload, check("not checked", "checked")))[0]).toBe(
    `answer_changed: POST /account was answered with 200 after “Uncheck ${BOX}”, but after “Reload” the box is still “checked”: ${WORDS}`,
  );
});

test("it is not where nothing was saved, it was refused, or the page was not opened anew", () => {
  for (const events of [
    [tick, reload],
    [tick, ...saved(422), reload],
    [tick, ...saved()],
    [...saved(), reload],
  ])
    expect(told(run(...events, check("not checked", "checked"))).join()).not.toContain(WORDS);
});

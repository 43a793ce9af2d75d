import { expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { json, told } from "./scene.ts";

const role = "getByLabel('Role of Piet')";
const pick = click(`Select option ${role}`, {
  name: "page.selectOption",
  ts: 3_000,
  step_id: "pick",
  params: { selector: 'internal:label="Role of Piet"i', options: [{ valueOrLabel: "Manager" }] },
});
const disable = click("Click getByRole('button', { name: 'Disable' })", {
  name: "page.click",
  ts: 3_500,
  step_id: "disable",
  params: { selector: 'internal:role=button[name="Disable"i]' },
});
const reload = click("Reload", { name: "page.reload", ts: 4_000, step_id: "reload" });
const read = (role: string) => json("/api/users", [{ name: "Piet", role }], { ts: 4_100 });
const patch = (ts: number, sent: object) =>
  json(
    "/api/users/7",
    { role: "clerk" },
    {
      method: "PATCH",
      ts,
      request: { body: JSON.stringify(sent) },
    },
  );
const failed = (target = role) =>
  failing({
    name: "toHaveValue",
    title: `Expect "toHaveValue" ${target}`,
    expected: '"manager"',
    received: '"clerk"',
  });
const html = page("<table><tr><td>Piet</td></tr></table>");
const words = "sent no request, and none since had “manager” in it";

test("what a field was set to is told where no request had it before the page was opened anew", () => {
  const cause = told(
    run(pick, disable, ...patch(3_600, { status: "disabled" }), reload, ...read("clerk"), html, failed()),
  );
  expect(cause[0]).toBe(
    `request_unsent: “Select option ${role}” ${words}: after “Reload” GET /api/users answered with “clerk” as before`,
  );
});

test("a text that was typed is told where nothing was sent at all", () => {
  const type = click(`Fill "manager" ${role}`, {
    name: "page.fill",
    ts: 3_000,
    step_id: "type",
    params: { selector: 'internal:label="Role of Piet"i', value: "manager" },
  });
  expect(told(run(type, reload, ...read("clerk"), html, failed()))[0]).toContain(words);
  const sent = patch(3_600, { status: "disabled" });
  expect(told(run(type, disable, ...sent, reload, ...read("clerk"), html, failed())).join()).not.toContain(
    words,
  );
});

test("nothing is told of a field whose value was sent, in whatever form, or kept elsewhere than on the server", () => {
  for (const events of [
    // At once, by a number of its own.
    [pick, ...patch(3_050, { role_id: 3 }), reload, ...read("clerk"), failed()],
    [pick, disable, ...patch(3_600, { role: "manager" }), reload, ...read("clerk"), failed()],
    [pick, disable, ...patch(3_600, { role: "clerk" }), reload, ...read("clerk"), failed()],
    [pick, reload, ...read("member"), failed()],
    [pick, ...read("clerk"), failed()],
    [pick, reload, ...read("clerk"), failed("getByLabel('Role of Ada')")],
  ])
    expect(told(run(...events, html)).join("\n")).not.toContain(words);
});

test("what the page's own counting leaves out is not why nothing was sent", () => {
  const warned = (text: string) => ({ kind: "console.warning", text, ts: 5_100 });
  const cause = (text: string) => told(run(pick, reload, ...read("clerk"), warned(text), html, failed()))[0];
  expect(cause("telemetry queue is full, dropping events")).not.toContain("telemetry");
  expect(cause("change without a version ignored")).toContain("; the page logged the warning");
});

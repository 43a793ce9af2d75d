import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, save, told } from "../../run.ts";

const FORM = (phone: string, said = "") =>
  `<form method="post"><p><label for="f">Phone</label><input id="f" name="phone" ${phone}><span class="note">${said}</span></p><button>Save</button></form>`;
const MARKED = FORM('value="+49 30 555" aria-invalid="true"', "Digits only");

const SCRIPT = (body: string) =>
  exchange("/assets/app.js", { ts: 1_000, resource_type: "script", body, body_size: body.length });
const sent = exchange("/details", { method: "POST", ts: 3_100, resource_type: "document", status: 303 });
const opened = exchange("/details", { ts: 1_500, resource_type: "document" });
const usual = (html = "<p>Your details were saved</p>") =>
  run(...SCRIPT("let a = 1;"), ...opened, save(), ...sent, page(html), passing());
const held = (html: string, ...more: ReturnType<typeof exchange>) =>
  run(...SCRIPT("let a;"), ...opened, save(), ...more, page(html), failing());

test("a field that was marked as invalid is told with the form that was never sent, and with the script that changed", () => {
  expect(first(held(MARKED), usual(), usual())).toMatch(
    /^page_message: The field “Phone” with “\+49 30 555” was marked as invalid: “Digits only”; POST \/details was never sent: in the last pass it went out .*; the script GET \/assets\/app.js changed since the last pass/,
  );
  expect(
    told(held(MARKED), usual(), usual()).filter((title) => title.includes("POST /details")),
  ).toHaveLength(1);
});

test("a field that passes mark as well, and one of a form that was sent, hold nothing back", () => {
  const marked = usual(MARKED);
  expect(told(held(MARKED), marked, marked).join("\n")).not.toContain("marked as invalid");
  expect(told(held(MARKED, ...sent), usual(), usual())).toContain(
    "page_message: The field “Phone” with “+49 30 555” was marked as invalid: “Digits only”",
  );
});

test("what stands beside a marked field in passes too, or belongs to the next one, is no message of it", () => {
  const hint = usual(FORM('value="1"', "Digits only"));
  expect(first(held(MARKED), hint, hint)).toContain("was marked as invalid; POST /details was never sent");
  const next = MARKED.replace("<span", '<input name="fax"><span');
  expect(first(held(next), usual(), usual())).toContain("was marked as invalid; POST");
  // Without a pass a hint may look the same: what it is called tells.
  expect(told(held(MARKED)).join("\n")).not.toContain("Digits only");
  expect(told(held(MARKED.replace("note", "error"))).join("\n")).toContain(
    "was marked as invalid: “Digits only”",
  );
});

test("what a secret field holds is not told", () => {
  const secret = MARKED.replace('name="phone"', 'name="password" type="password"');
  expect(first(held(secret), usual(), usual())).not.toContain("+49");
});

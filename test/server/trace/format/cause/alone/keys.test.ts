import { expect, test } from "bun:test";
import { click, exchange, failing, page, run, SITE } from "../run.ts";
import { first, missed, told } from "./scene.ts";

const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const FIELD = `<input id="code" name="code" aria-label="Code" value="">`;
const holding = (value: string) => FIELD.replace(`value=""`, `value="${value}"`);
const url = `${SITE}/receive/1`;

/** What is typed on the keyboard, with the page before and after. */
const types = (text: string, ts: number, met: string, left: string) => {
  const step = click(`Type "${text}"`, {
    ...{ step_id: `typed ${ts}`, name: "page.keyboardType", ts, params: { text }, duration_ms: 100 },
  });
  const { step_id } = step;
  return [
    step,
    page(met, { ts: ts + 1, url, step_id, phase: "action" }),
    page(left, { ts: ts + 99, url, step_id, phase: "after" }),
  ];
};
const presses = (letters: string, ts: number, html: string) =>
  [...letters].flatMap((key, at) => {
    const step_id = `pressed ${ts} ${at}`;
    const more = { ts: ts + 20 * at, url, step_id };
    return [
      click(`Press "${key}"`, { ...more, name: "page.keyboardPress", params: { key }, duration_ms: 10 }),
      page(html, { ...more, phase: "action" }),
      page(html, { ...more, ts: more.ts + 9, phase: "after" }),
    ];
  });
const scan = (code: string, answer: string, ts = 3_200) =>
  exchange("/receive/1/scan", {
    ...{ method: "POST", ts, media_type: "text/html", body: answer },
    request: { headers: FORM, body: `code=${code}` },
  });
const counted = failing({ expected: '"Received 2"', received: '"Received 1"' });
const end = (html: string) => page(html, { url });
const cause = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");

test("keys that reached no field are told with the field that took the ones before", () => {
  const anew = FIELD.replace(`id="code" `, "");
  const [first, second] = [
    types("SB-0001", 3_000, FIELD, holding("SB-0001")),
    types("SB-0002", 4_000, anew, anew),
  ];
  expect(
    cause(...first, ...scan("SB-0001", `<form>${anew}</form>`), ...second, counted, end(anew)),
  ).toStartWith(
    "page_changed: What the test typed on the keyboard (“SB-0002”) reached no field: “SB-0001” had gone into “Code”, which came anew without its id “code” with the answer to POST /receive/1/scan",
  );
  const gone = types("SB-0002", 4_000, "<p>Received 1</p>", "<p>Received 1</p>");
  expect(cause(...first, ...gone, counted, end("<p>Received 1</p>"))).toContain(
    "“SB-0001” had gone into “Code”, which the page has no more",
  );
  expect(cause(...presses("SB-2", 4_000, FIELD), counted, end(FIELD))).toStartWith(
    "page_changed: What the test typed on the keyboard (“SB-2”) reached no field, and nothing was sent with it",
  );
});

test("keys that something took, or may have taken, are not said to be lost", () => {
  const lost = types("SB-0002", 4_000, FIELD, FIELD);
  expect(cause(...lost, counted, end(FIELD))).toContain("reached no field");
  const on = (html: string) => [...types("SB-0002", 4_000, html, html), counted, end(html)];
  const figures = (value: string) => [...value].map((one) => `<input value="${one}">`).join("");
  for (const silent of [
    cause(...types("SB-0002", 4_000, FIELD, holding("sb 0002")), counted, end(FIELD)),
    // Its beginning is another matter.
    cause(...types("SB-0002", 4_000, FIELD, holding("SB-")), counted, end(holding("SB-"))),
    cause(...lost, counted, end(`${FIELD}<p>SB-0002 is unknown</p>`)),
    cause(...types("SB0002", 4_000, figures(""), figures("SB0002")), counted, end(figures("SB0002"))),
    // A page that listens to a scanner sends what it hears.
    cause(...lost, ...scan("SB-0002", "", 4_200), counted, end(FIELD)),
    cause(...types("ok", 4_000, FIELD, FIELD), counted, end(FIELD)),
    // What it holds is not recorded.
    cause(...on(`${FIELD}<input type="password">`)),
    cause(...on(`<canvas></canvas>`)),
    cause(...on(`<input type="date" value="2030-05-12">`)),
    // Keys may lead to another page.
    cause(...lost, counted, page(FIELD, { url: `${SITE}/help` })),
  ])
    expect(silent).not.toContain("reached no field");
});

test("a page that took keys without a field before has its own way of taking them", () => {
  const heard = types("SB-0001", 3_000, FIELD, FIELD);
  const lost = types("SB-0002", 4_000, FIELD, FIELD);
  expect(cause(...heard, ...scan("SB-0001", ""), ...lost, counted, end(FIELD))).not.toContain(
    "reached no field",
  );
  // One that took none of them had the focus nowhere from the beginning.
  expect(cause(...heard, ...lost, counted, end(FIELD))).toContain(
    "(“SB-0002”) reached no field, and nothing",
  );
});

test("a dialog with an empty field that keys did not reach is named, and comes before the refusal of its form", () => {
  const dialog = (fields: string) =>
    `<div role="dialog" aria-label="Invite">${fields}<button>Send</button></div>`;
  const email = '<input aria-label="E-mail" value="">';
  const typed = (html: string) => types("SB-0002", 4_000, html, html);
  const sent = (status: number) =>
    exchange("/invitations", { ts: 4_500, method: "POST", status, body: '{"message":"Enter an address"}' });
  expect(cause(...typed(dialog(email)), ...sent(422), counted, end(dialog(email)))).toStartWith(
    "page_changed: What the test typed on the keyboard (“SB-0002”) reached no field, and nothing was sent with it: the dialog “Invite” did not give the focus to its field “E-mail”",
  );
  expect(cause(...typed(dialog(email + FIELD)), counted, end(FIELD))).toContain(
    "the focus to any of its fields",
  );
  const filled = dialog(email.replace('value=""', 'value="ada"'));
  expect(cause(...typed(filled), counted, end(filled))).not.toContain("the dialog");
  expect(cause(...typed(dialog(email)), ...sent(503), counted, end(dialog(email)))).toStartWith(
    "request_failed",
  );
});

test("typing that was torn apart between two fields is told", () => {
  const typing = click("type", { name: "keyboardType", params: { text: "Bergen" }, ts: 4_000 });
  const fields = (one: string, other: string) =>
    page(`<label>Where <input value="${one}"></label><label>Your e-mail <input value="${other}"></label>`);
  expect(first(run(typing, failing(), fields("B", "ergen")))).toBe(
    "page_changed: What the test typed (“Bergen”) was torn apart: “Where” holds “B” and “Your e-mail” holds “ergen”; something took the focus away meanwhile",
  );
  expect(told(run(typing, failing(), fields("Bergen", "ergen"))).join()).not.toContain("torn apart");
});

test("a control that is held back comes after the keys that its field never got", () => {
  const held = `${FIELD}<button disabled>Receive</button>`;
  const log = [
    "waiting for getByRole('button', { name: 'Receive' })",
    "locator resolved to <button disabled>Receive</button>",
    "element is not enabled",
  ];
  const press = missed("getByRole('button', { name: 'Receive' })", { log });
  const suspects = told(run(...types("SB-0002", 4_000, held, held), press, end(held)));
  expect(suspects[0]).toContain("(“SB-0002”) reached no field");
  expect(suspects[1]).toStartWith("element_disabled: ");
});

test("a few letters that are pressed over and over lead through a page and are no text", () => {
  const pressed = (letters: string) => cause(...presses(letters, 4_000, FIELD), counted, end(FIELD));
  expect(pressed("jjjk")).not.toContain("reached no field");
  expect(pressed("sb-2")).toContain("reached no field");
});

test("a text that stood on the page before it was typed does not tell where it went", () => {
  const shown = `<p>SB-0001</p>${FIELD}`;
  const lost = types("SB-0001", 4_000, shown, shown);
  expect(cause(...lost, counted, end(shown))).toStartWith(
    "page_changed: What the test typed on the keyboard (“SB-0001”) reached no field",
  );
  expect(cause(...lost, counted, end(`<p>SB-0001</p><p>SB-0001</p>${FIELD}`))).not.toContain(
    "reached no field",
  );
});

import { expect, test } from "bun:test";
import { click, page, run } from "../run.ts";
import { first, missed, post } from "./scene.ts";

const SITE = "http://shop.example";
const press = (name: string) =>
  click(`Click getByRole('button', { name: '${name}' })`, {
    name: "page.click",
    ts: 4_000,
    step_id: "press",
  });
const found = (attributes: string, name: string) =>
  `<button ${attributes}__playwright_target__="">${name}</button>`;
const save = '<button type="submit">Save order</button>';
const cause = (form: string, after = "/orders/7", name = "Add line", sent = true) =>
  first(
    run(
      page(form, { url: `${SITE}/orders/new`, ts: 3_990, step_id: "press", phase: "action" }),
      press(name),
      ...(sent ? post("/api/orders", 201, { id: 7 }) : []),
      missed("getByLabel('Article')"),
      page("<h1>PO-7</h1>", { url: `${SITE}${after}` }),
    ),
  );
const words = 'the button has no type="button"';

test("a button that sent its form for want of a type is told where another one is there to send it", () => {
  expect(cause(`<form>${found("", "Add line")}${save}</form>`)).toBe(
    `page_changed: “Click getByRole('button', { name: 'Add line' })” sent the form: POST /api/orders followed, and the page went to /orders/7; ${words}, without which it submits its form as “Save order” does`,
  );
});

test("a button that is of a type, is called as one that sends, stands alone, or led nowhere is none", () => {
  const whole = `<form>${found("", "Add line")}${save}</form>`;
  for (const told of [
    cause(`<form>${found('type="button" ', "Add line")}${save}</form>`),
    cause(`<form>${found("", "Save and add")}${save}</form>`, "/orders/7", "Save and add"),
    cause(`<form>${found("", "Add line")}</form>`),
    cause(`${found("", "Add line")}<form>${save}</form>`),
    cause(whole, "/orders/new"),
    cause(whole, "/orders/7", "Add line", false),
  ])
    expect(told).not.toContain(words);
});

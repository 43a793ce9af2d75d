import { expect, test } from "bun:test";
import { actShots, outlineOf } from "../../../server/trace/format/cause/page/acts.ts";
import type { Failed } from "../../../server/trace/format/cause/types.ts";
import { recordedArchives } from "../../helpers/recorded-archives.ts";
import { click, factsOf, failing, page, run } from "./format/cause/run.ts";

const { record, causeOf } = recordedArchives();

const FORM = `<main><form><label for="amount">Amount</label><input id="amount" name="amount">
  <label for="to">To</label><input id="to" name="to"></form></main>`;

/** What Playwright records of a form that is filled in, and of a heading that comes after it or does not. */
const recorded = (html: string) =>
  record(async (tab) => {
    await tab.setContent(html);
    await tab.getByLabel("Amount").fill("750");
    await tab.getByLabel("To").fill("Ben");
    await tab
      .getByRole("heading", { name: "Sent" })
      .click({ timeout: 500 })
      .catch(() => {});
  });

test("of a recorded archive the actions that found another field are read, and told with a pass and without", async () => {
  const failure = await recorded(`<nav><form><input id="amount" placeholder="0.00"></form></nav>${FORM}`);
  const pass = await recorded(`${FORM}<h2>Sent</h2>`);
  const said =
    /Amount.* went into another field than the one beside the label “Amount”: the id “amount” stands twice/;
  expect((await causeOf(failure, [pass])).cause.headline).toMatch(said);
  expect((await causeOf(failure)).cause.headline).toMatch(said);
});

test("of a recorded archive without a pass the last action is read where it pressed a button that sends its form for want of a type", async () => {
  const pressed = (type: string) =>
    record(async (tab) => {
      await tab.route("**/*", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ json: { id: 7 }, status: 201 })
          : route.fulfill({
              contentType: "text/html",
              body: `<form><button${type}>Add line</button><button type="submit">Save order</button></form>
                <script>document.querySelector("form").onsubmit = (event) => {
                  event.preventDefault();
                  fetch("/api/orders", { method: "POST", body: "{}" }).then(() => history.pushState({}, "", "/orders/7"));
                };</script>`,
            }),
      );
      await tab.goto("http://shop.example/orders/new");
      await tab.getByRole("button", { name: "Add line" }).click();
      await tab
        .getByLabel("Article")
        .fill("Hammer", { timeout: 500 })
        .catch(() => {});
    });
  const words = 'the button has no type="button"';
  expect((await causeOf(await pressed(""))).cause.headline).toContain(words);
  expect((await causeOf(await pressed(' type="button"'))).cause.headline).not.toContain(words);
});

test("of a recorded archive without a pass the last action is read where it led the page to another part of what it lists", async () => {
  const links = (...names: string[]) => names.map((name) => `<li><a href="#">${name}</a></li>`).join("");
  const failure = await record(async (tab) => {
    await tab.route("**/*", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<ul>${links("No. 1", "No. 2", "No. 3")}</ul><button>Next</button>
          <script>document.querySelector("button").onclick = () => {
            history.pushState({}, "", "?page=2");
            document.querySelector("ul").innerHTML = '${links("No. 4", "No. 5")}';
          };</script>`,
      }),
    );
    await tab.goto("http://shop.example/list");
    await tab.getByRole("button", { name: "Next" }).click();
    await tab
      .getByRole("link", { name: "No. 1" })
      .click({ timeout: 500 })
      .catch(() => {});
  });
  expect((await causeOf(failure)).cause.headline).toContain("“No. 1” stood on the page before");
});

test("an outline has what an action found and stands in, and none of what only looks or holds another way", () => {
  const events = run(
    click("Fill To", { step_id: "to", name: "locator.fill" }),
    page("", { ts: 20, step_id: "to", phase: "action", snapshot: "action@call@7" }),
    failing(),
  );
  const [shots] = actShots(factsOf(events), { to: 1_000_000 + 9_000 } as Failed);
  const tree = (mark: string, more = {}) => [
    "BODY",
    {},
    ["FORM", { id: "pay" }, [[1, 4]], ["INPUT", { id: "to", __playwright_target__: mark, ...more }]],
  ];
  const found = {
    chain: "body \nform id=pay\ninput id=to",
    fieldId: "to",
    isNameless: false,
    isUntyped: false,
  };
  expect(outlineOf(tree(""), shots!)).toEqual(found);
  expect(outlineOf(tree("call@7", { class: "is-focused", __playwright_value_: "Ben" }), shots!)).toEqual(
    found,
  );
  expect(outlineOf(tree("", { name: "to" }), shots!)).toMatchObject({ isNameless: false });
  const sent = ["FORM", { method: "post" }, ["INPUT", { __playwright_target__: "" }]];
  expect(outlineOf(sent, shots!)).toMatchObject({ isNameless: true });
  const button = (more = {}) => ["FORM", {}, ["BUTTON", { __playwright_target__: "", ...more }, "Add"]];
  expect(outlineOf(button(), shots!)).toMatchObject({ isUntyped: true });
  expect(outlineOf(button({ type: "button" }), shots!)).toMatchObject({ isUntyped: false });
  expect(outlineOf(button()[2], shots!)).toMatchObject({ isUntyped: false });
  // What an older call has found stays marked.
  expect(outlineOf(tree("call@6"), shots!)).toBeNull();
});

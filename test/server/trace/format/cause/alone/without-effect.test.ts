import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run, told } from "../run.ts";
import { around, json, missed } from "./scene.ts";

const IDLE = "seems to have done nothing: the page stayed as it was and sent no request";

test("what a page reads by itself later is not asked for by the action", () => {
  const press = click("Click Log in", { ts: 4_000, step_id: "press" });
  const bar = "<h1>Packages</h1><button>Log in</button>";
  const did = (...more: ReturnType<typeof exchange>) =>
    told(
      run(...around(press, bar, bar).slice(0, 2), ...more, missed("getByLabel('Username')"), page(bar)),
    ).join("\n");
  expect(did(...exchange("/api/status", { ts: 4_900 }))).toContain(IDLE);
  expect(did(...exchange("/api/status", { ts: 4_200 }))).not.toContain(IDLE);
  expect(did(...exchange("/api/drafts", { ts: 4_900, method: "POST" }))).not.toContain(IDLE);
});

test("a button that submits no form is told where its form has no other", () => {
  const press = click("Click Save", { ts: 4_000, step_id: "press" });
  const did = (button: string) => {
    const form = `<form><input name="phone">${button}</form>`;
    return told(
      run(
        ...around(press, form.replace("<button", '<button __playwright_target__=""'), form).slice(0, 2),
        missed("getByRole('alert')"),
        page(form),
      ),
    ).join("\n");
  };
  const why = "; the button is of type “button”, which submits no form, and its form has no other";
  expect(did('<button type="button">Save</button>')).toContain(`${IDLE}${why}`);
  expect(did("<button>Save</button>")).toContain(IDLE);
  expect(did("<button>Save</button>")).not.toContain(why);
  expect(did('<button type="button">Save</button><input type="submit">')).not.toContain(why);
});

test("an action after which the page threw has done something", () => {
  const press = click("Click Pay", { ts: 4_000, step_id: "press" });
  const bar = "<h1>Checkout</h1><button>Pay</button>";
  const threw = {
    kind: "console.error",
    source: "page",
    text: "TypeError: Cannot read properties of undefined (reading 'token')",
    ts: 4_100,
  };
  const did = (...lines: (typeof threw)[]) =>
    told(
      run(...around(press, bar, bar).slice(0, 2), ...lines, missed("getByText('Thank you')"), page(bar)),
    ).join("\n");
  expect(did()).toContain(IDLE);
  expect(did(threw)).not.toContain(IDLE);
});

test("a drag that nothing came of is told with that its element cannot be dragged", () => {
  const drag = click("Drag “Draft” to Done", { ts: 4_000, step_id: "drag", name: "page.dragAndDrop" });
  const count = failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByRole('article')",
    expected: "2",
    received: "1",
  });
  const did = (card: string, ...lines: ReturnType<typeof exchange>) => {
    const board = `<section><article class="card"${card}>Draft</article></section>`;
    const met = board.replace("<article", '<article __playwright_target__=""');
    return told(run(...around(drag, met, board).slice(0, 2), ...lines, count, page(board))).join("\n");
  };
  const why = 'what it took hold of has no draggable="true"';
  expect(did("")).toContain(`${IDLE}; ${why}`);
  expect(did(' draggable="true"')).toContain(IDLE);
  expect(did(' draggable="true"')).not.toContain(why);
  const says = { kind: "console.warning", text: "[board] quota exceeded", ts: 4_100 };
  expect(did("", says)).not.toContain(IDLE);
});

test("what is looked for within a thing that has lost its role is told by that thing", () => {
  const dialog = "getByRole('dialog', { name: 'Cancel this visit?' })";
  const target = `${dialog}.getByRole('button', { name: 'Yes, cancel it' })`;
  const box = (attributes: string) =>
    page(`<div ${attributes}><h2>Cancel this visit?</h2><button>Yes, cancel it</button></div>`);
  const cause = (shown: ReturnType<typeof page>) => told(run(missed(target), shown)).join("\n");
  expect(cause(box('class="box"'))).toStartWith(
    `element_renamed: ${dialog} was not found, within which the step looks: “Cancel this visit?” stands in <div class="box">, without the role “dialog”`,
  );
  expect(cause(box('class="box"'))).not.toContain("could not see it");
  expect(cause(box('role="dialog" aria-label="Cancel this visit?"'))).not.toContain("within which");
  // A message names it, and has nothing in it to look for.
  const message = '<div class="toast">Cancel this visit? It was asked before</div>';
  expect(cause(page(message))).not.toContain("within which");
  // What leads to it goes by its name as well.
  expect(cause(page('<div class="bar"><button>Cancel this visit?</button></div>'))).not.toContain(
    "within which",
  );
});

test("of lists without items those that nothing near the failure speaks of come after it", () => {
  const lists = ["notifications", "drafts"].flatMap((name, at) =>
    json(`/api/${name}`, { items: [] }, { ts: 4_500 + at * 20 }),
  );
  const weights = (target: string) =>
    told(run(...lists, missed(target), page("<h1>My fees</h1><p>Nothing here</p>")));
  expect(weights("getByRole('listitem', { name: 'Dog licence' })")[0]).toStartWith("element_missing");
  expect(weights("getByRole('list', { name: 'Drafts' })")[0]).toBe(
    "answer_changed: GET /api/drafts answered with an empty list for “items”: 0 items",
  );
});

test("a list that a query asked for several times was not sent once too often", () => {
  const asked = (kind: string, operationName: string, ts: number) =>
    exchange("/api/graph", {
      ts,
      method: "POST",
      request: { body: JSON.stringify({ operationName, query: `${kind} ${operationName} { id }` }) },
    });
  const count = failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByRole('article')",
    expected: "1",
    received: "2",
  });
  const cause = (kind: string, name: string) =>
    told(
      run(...asked(kind, name, 4_000), ...asked(kind, name, 4_300), count, page("<article>A</article>")),
    ).join("\n");
  expect(cause("query", "Board")).not.toContain("was sent twice");
  expect(cause("mutation", "AddCard")).toContain("was sent twice");
});

test("times that are not whole hours apart may be how long something took", () => {
  const sure = (expected: string, received: string) =>
    causeOf(
      run(failing({ title: "Expect \"toHaveText\" locator('.plan')", expected, received })),
    ).suspects.find(({ kind }) => kind === "time")!.confidence;
  expect(sure('"6:30"', '"8:30"')).toBeGreaterThan(0.7);
  expect(sure('"6:30"', '"8:00"')).toBeLessThan(0.6);
});

describe("after an action that seems to have done nothing", () => {
  const cause = (target: string, stood: string, stands = stood) =>
    told(
      run(
        ...around(
          click("Click Approve", { ts: 4_000, step_id: "approve" }),
          `<h1>Invoices</h1><button>Approve</button>${stood}`,
          `<h1>Invoices</h1><button>Approve</button>${stands}`,
        ),
        missed(target),
      ),
    )[0];

  test("a text that stood there before it has not come in the place of another", () => {
    const target = "getByText('Invoice 7 approved')";
    expect(cause(target, "<p>Invoice 7 open</p>")).toBe(`page_changed: “Click Approve” ${IDLE}`);
    expect(cause(target, "", "<p>Invoice 7 open</p>")).toBe(
      `element_renamed: ${target} was not found; the page has <p> “Invoice 7 open” in its place`,
    );
  });

  test("the key of a text that stands in the place of the text is told all the same", () => {
    const target = "getByRole('button', { name: 'Pay now' })";
    expect(cause(target, "<button>invoice.pay</button>")).toBe(
      `element_renamed: ${target} was not found; the page has a button “invoice.pay” in its place: the key of a text, without its translation`,
    );
    expect(cause(target, "<button>Pay later</button>")).toBe(`page_changed: “Click Approve” ${IDLE}`);
  });
});

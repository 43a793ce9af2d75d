import { describe, expect, test } from "bun:test";
import { writeStep } from "../../../../server/gate/scenario-edit/write-step.ts";
import { type Case, diagnosisOf, type Shown } from "./failures.ts";

/** The step that the best change writes, where one is proposed. */
function stepOf(given: Case): string | null {
  const [mending] = diagnosisOf(given).mendings;
  const [edit] = mending?.edits ?? [];
  return edit ? writeStep(edit.action, null) : null;
}

const main = (inner: string) => `<main><h1>Shop</h1>${inner}</main>`;
const row = (guest: string, label = "Check in") =>
  `<tr><td>${guest}</td><td>Double room</td><td><button>${label}</button></td></tr>`;
const rows = (...all: string[]) => main(`<table><tbody>${all.join("")}</tbody></table>`);
const script = (html: string, code: string): Shown => ({ html, scripts: { "/app.js": code } });
const says = (text: string): Shown => script(main(`<p id="told">${text}</p>`), `tell("${text}");`);

interface Pair {
  rule: string;
  drift: Case;
  step: string;
  /** The same at first sight, and a fault. */
  fault: Case;
}

const PAIRS: Pair[] = [
  {
    rule: "a button by another name",
    drift: {
      steps: ['click button "Pay now"'],
      before: main('<button id="pay">Pay now</button>'),
      after: main('<button id="pay">Place the order</button>'),
    },
    step: 'click button "Place the order"',
    fault: {
      steps: ['click button "Pay now"'],
      before: main('<button id="pay">Pay now</button>'),
      after: main('<button id="pay">Payment declined</button>'),
    },
  },
  {
    rule: "a button in another place",
    drift: {
      steps: ['click button "Pay now" in main'],
      before: main('<button id="pay">Pay now</button>'),
      after: `${main("<p>All is ready.</p>")}<footer><button id="pay">Pay now</button></footer>`,
    },
    step: 'click button "Pay now" in contentinfo',
    fault: {
      steps: ['click button "Pay now" in main'],
      before: main('<button id="pay">Pay now</button>'),
      after: `${main("<p>All is ready.</p>")}<footer><button id="later">Remind me</button></footer>`,
    },
  },
  {
    rule: "a button of a row",
    drift: {
      steps: ['click button "Check in" in row "Grace Hopper"'],
      before: rows(row("Grace Hopper"), row("Alan Turing")),
      after: rows(row("Grace Hopper", "Welcome"), row("Alan Turing", "Welcome")),
    },
    step: 'click button "Welcome" in row "Grace Hopper"',
    fault: {
      steps: ['click button "Check in" in row "Grace Hopper"'],
      before: rows(row("Grace Hopper"), row("Alan Turing")),
      after: rows(row("Alan Turing")),
    },
  },
  {
    rule: "a button of a row that is another one",
    drift: {
      steps: ['click button "Check in" in row "Grace Hopper"'],
      before: rows(row("Grace Hopper")),
      after: rows(row("Grace Hopper", "Welcome")),
    },
    step: 'click button "Welcome" in row "Grace Hopper"',
    fault: {
      steps: ['click button "Check in" in row "Grace Hopper"'],
      before: rows(row("Grace Hopper"), row("Alan Turing")),
      after: rows(row("Grace Murray"), row("Alan Turing")),
    },
  },
  {
    rule: "what stands on a card",
    drift: {
      steps: ['expect visible text "Paid" in testid "order-ada"'],
      before: main('<section data-testid="order-ada"><h2>Ada</h2><b>Paid</b></section>'),
      after: main('<section data-testid="orders-ada"><h2>Ada</h2><b>Paid</b></section>'),
    },
    step: 'expect visible text "Paid" in testid "orders-ada"',
    fault: {
      steps: ['expect visible text "Paid" in testid "order-ada"'],
      before: main(
        '<section data-testid="order-ada"><h2>Ada</h2><b>Paid</b></section><section data-testid="order-bob"><h2>Bob</h2><b>Paid</b></section>',
      ),
      after: main(
        '<section data-testid="order-ada"><h2>Ada</h2></section><section data-testid="order-bob"><h2>Bob</h2><b>Paid</b></section>',
      ),
    },
  },
  {
    rule: "a text about who may see what",
    drift: {
      steps: ['expect text "Your profile is private"'],
      before: main('<p id="who">Your profile is private</p>'),
      after: main('<p id="who">Your own profile is private</p>'),
    },
    step: 'expect text "Your own profile is private"',
    fault: {
      steps: ['expect text "Your profile is private"'],
      before: main('<p id="who">Your profile is private</p>'),
      after: main('<p id="who">Your profile is public</p>'),
    },
  },
  {
    rule: "a text about whose something is",
    drift: {
      steps: ['expect text "Ada\'s cart"'],
      before: main('<p id="whose">Ada\'s cart</p>'),
      after: main('<p id="whose">Ada\'s shopping cart</p>'),
    },
    step: 'expect text "Ada\'s shopping cart"',
    fault: {
      steps: ['expect text "Ada\'s cart"'],
      before: main('<p id="whose">Ada\'s cart</p>'),
      after: main('<p id="whose">Grace\'s cart</p>'),
    },
  },
  {
    rule: "an option of a list",
    drift: {
      steps: ['click option "Double room"'],
      before: main(
        '<ul role="listbox"><li role="option">Double room</li><li role="option">Single room</li></ul>',
      ),
      after: main(
        '<ul role="listbox"><li role="option">Room with a double bed</li><li role="option">Single room</li></ul>',
      ),
    },
    step: 'click option "Room with a double bed"',
    fault: {
      steps: ['click option "Double room"'],
      before: main(
        '<ul role="listbox"><li role="option">Double room</li><li role="option">Single room</li></ul>',
      ),
      after: main(
        '<ul role="listbox"><li role="option">Dormitory bed</li><li role="option">Single room</li></ul>',
      ),
    },
  },
  {
    rule: "an item of a menu",
    drift: {
      steps: ['click menuitem "Export the list"'],
      before: main(
        '<ul role="menu"><li role="menuitem" id="x">Export the list</li><li role="menuitem">Print</li></ul>',
      ),
      after: main(
        '<ul role="menu"><li role="menuitem" id="x">Export as a table</li><li role="menuitem">Print</li></ul>',
      ),
    },
    step: 'click menuitem "Export as a table"',
    fault: {
      steps: ['click menuitem "Export the list"'],
      before: main(
        '<ul role="menu"><li role="menuitem" id="x">Export the list</li><li role="menuitem">Print</li></ul>',
      ),
      after: main(
        '<ul role="menu"><li role="menuitem" id="x">Delete the list</li><li role="menuitem">Print</li></ul>',
      ),
    },
  },
  {
    rule: "a text that the script says in other words",
    drift: {
      steps: ['expect text "The stay is booked."'],
      before: says("The stay is booked."),
      after: says("Their stay is in the book."),
    },
    step: 'expect text "Their stay is in the book."',
    fault: {
      steps: ['expect text "The stay is booked."'],
      before: says("The stay is booked."),
      after: says("The stay is overbooked."),
    },
  },
  {
    rule: "a text that says how many",
    drift: {
      steps: ['expect text "Stay of three nights"'],
      before: says("Stay of three nights"),
      after: says("A stay of three nights"),
    },
    step: 'expect text "A stay of three nights"',
    fault: {
      steps: ['expect text "Stay of three nights"'],
      before: says("Stay of three nights"),
      after: says("Stay of two nights"),
    },
  },
  {
    rule: "a text with an amount",
    drift: {
      steps: ['expect text "Total: €26.00"'],
      before: main('<p id="total">Total: €26.00</p>'),
      after: main('<p id="total">Total price: €26.00</p>'),
    },
    step: 'expect text "Total price: €26.00"',
    fault: {
      steps: ['expect text "Total: €26.00"'],
      before: main('<p id="total">Total: €26.00</p>'),
      after: main('<p id="total">Total price: €25.00</p>'),
    },
  },
  {
    rule: "a text that an answer brings",
    drift: {
      steps: ['expect text "Everything for the pour"'],
      before: main('<p id="head">Everything for the pour</p>'),
      after: main('<p id="head">Everything for the perfect pour</p>'),
    },
    step: 'expect text "Everything for the perfect pour"',
    fault: {
      steps: ['expect text "Everything for the pour"'],
      before: main('<p id="head">Everything for the pour</p>'),
      after: {
        html: main('<p id="head">Everything for the perfect pour</p>'),
        answers: { "/api/head": { text: "Everything for the perfect pour" } },
      },
    },
  },
  {
    rule: "a request to another address",
    drift: {
      steps: ['expect request GET "/api/cart" status 200'],
      before: { html: main("<p>Cart</p>"), answers: { "/api/cart": {} } },
      after: { html: main("<p>Cart</p>"), answers: { "/api/v2/cart": {} } },
    },
    step: 'expect request GET "/api/v2/cart" status 200',
    fault: {
      steps: ['expect request GET "/api/cart" status 200'],
      before: { html: main("<p>Cart</p>"), answers: { "/api/cart": {} } },
      after: { html: main("<p>Cart</p>"), answers: { "/api/help": {} } },
    },
  },
  {
    rule: "a page at another address",
    drift: {
      steps: ['expect url "/orders/new"'],
      before: { html: main("<p>Order</p>"), url: "/orders/new" },
      after: { html: main("<p>Order</p>"), url: "/purchases/new" },
    },
    step: 'expect url "/purchases/new"',
    fault: {
      steps: ['expect url "/orders/new"'],
      before: { html: main("<p>Order</p>"), url: "/orders/new" },
      after: { html: "<main><h1>Sign in</h1></main>", url: "/signin/new", title: "Sign in" },
    },
  },
  {
    rule: "a dialog in the way",
    drift: {
      steps: ['click button "Pay now"'],
      before: main("<button>Pay now</button>"),
      after:
        '<div role="dialog" aria-label="Cookies"><p>We use cookies.</p><button>Accept all</button></div>',
    },
    step: 'click button "Accept all"',
    fault: {
      steps: ['click button "Pay now"'],
      before: main("<button>Pay now</button>"),
      after:
        '<div role="dialog" aria-label="Problem"><p>Something went wrong.</p><button>Continue</button></div>',
    },
  },
  {
    rule: "a menu that has to be opened",
    drift: {
      steps: ['click link "Sign in"'],
      before: main('<a href="/signin">Sign in</a>'),
      after: main(
        '<button aria-expanded="false" aria-controls="m">Menu</button><nav id="m" hidden><a href="/signin">Sign in</a></nav>',
      ),
    },
    step: 'click button "Menu"',
    fault: {
      steps: ['click link "Sign in"'],
      before: main('<a href="/signin">Sign in</a>'),
      after: main(
        '<button aria-expanded="false" aria-controls="m">Menu</button><nav id="m" hidden><a href="/help">Help</a></nav>',
      ),
    },
  },
  {
    rule: "another page of a wizard",
    drift: {
      steps: ['click button "Next"', 'click button "Book the stay"'],
      before: main(
        "<section><p>Total</p><button>Book the stay</button></section><section hidden><button>Next</button></section>",
      ),
      after: main(
        "<section><h2>Breakfast</h2><p>From eight to ten.</p><button>Next</button></section><section hidden><button>Book the stay</button></section>",
      ),
    },
    step: 'click button "Next"',
    fault: {
      steps: ['click button "Next"', 'click button "Book the stay"'],
      before: main(
        "<section><p>Total</p><button>Book the stay</button></section><section hidden><h2>Nights</h2><button>Next</button></section>",
      ),
      // The click before did nothing: the page is the one of before.
      after: main(
        "<section><h2>Nights</h2><button>Next</button></section><section hidden><button>Book the stay</button></section>",
      ),
    },
  },
];

describe("a change of the product, and a fault that looks like it", () => {
  test.each(PAIRS.map((pair) => [pair.rule, pair] as const))("%s", (_, { drift, step, fault }) => {
    expect(stepOf(drift)).toBe(step);
    expect(stepOf(fault)).toBeNull();
  });
});

describe("a script that broke", () => {
  const before = script(main("<p>0</p>"), "const a = 1;\nconst b = 2;\nshow(a + b);\n");
  const steps = ['click button "Add"', 'expect text "3"'];

  test("is put back where few lines of one script changed, and the scenario stays", () => {
    const after = script(main("<p>0</p>"), "const a = 1;\nconst b = 2;\nshow(a - b);\n");
    const { classification, mendings } = diagnosisOf({ steps, before, after });
    expect(classification).toBe("app_regression");
    expect(mendings).toHaveLength(1);
    expect(mendings[0]).toMatchObject({ edits: [], fromStep: 1, sources: [{ path: "app.js" }] });
    expect(mendings[0]!.sources[0]!.diff).toContain("-show(a - b);\n+show(a + b);");
  });

  test.each([
    ["no script changed", { "/app.js": before.scripts!["/app.js"]! }],
    ["two scripts changed", { "/app.js": "1;\n", "/other.js": "2;\n" }],
    ["it is a bundle of one long line", { "/app.js": `${"x=1;".repeat(200)}\n` }],
    ["much of it changed", { "/app.js": Array.from({ length: 60 }, (_, at) => `line${at}();`).join("\n") }],
  ])("is left where %s", (_, scripts) => {
    const known = { ...before, scripts: { ...before.scripts, "/other.js": "1;\n" } };
    const { mendings } = diagnosisOf({ steps, before: known, after: { ...before, scripts } });
    expect(mendings).toEqual([]);
  });
});

import { describe, expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { missed, told } from "./scene.ts";

const open = click("Click Open", { ts: 2_000 });
const all = (...events: Parameters<typeof run>) => told(run(open, ...events)).join("\n");

test("a text that should stand in a heading is told with the element that it stands in", () => {
  const cause = (html: string, expected = '"Excel for Analysts"') =>
    all(
      failing({
        title: "Expect \"toHaveText\" getByRole('heading', { level: 2 })",
        message: "expect(locator).toHaveText(expected) failed\n\nError: element(s) not found",
        expected,
        received: undefined,
      }),
      page(html),
    );
  expect(cause('<div class="h2"><a href="/c">Excel for Analysts</a></div>')).toContain(
    "“Excel for Analysts” stands there in <div class=“h2”>, which is no heading",
  );
  for (const silent of [
    cause('<a href="/c">Excel</a>'),
    cause('<a href="/c">Excel for Analysts</a><p>Excel for Analysts</p>'),
    cause('<div><a href="/c">Excel</a></div>', '"Excel"'),
  ])
    expect(silent).not.toContain("which is no heading");
});

test("what stands in the only element of a role is told to be in one without a name", () => {
  const target = "getByRole('article', { name: 'Lesson' }).getByRole('button', { name: 'Done' })";
  const cause = (html: string) => all(missed(target), page(html));
  expect(cause("<article><button>Done</button></article>")).toContain(
    "getByRole('article', { name: 'Lesson' }) found nothing: what the test looks for stands in the only article of the page",
  );
  for (const silent of [
    cause('<article aria-label="News"><button>Done</button></article>'),
    cause("<article><button>Done</button></article><article>News</article>"),
    cause("<article>News</article><button>Done</button>"),
  ])
    expect(silent).not.toContain("no accessible name");
});

test("a test id that nothing has is told with the like one that as many have", () => {
  const cause = (html: string, ...before: ReturnType<typeof click>[]) =>
    all(
      ...before,
      failing({
        name: "toHaveCount",
        title: "Expect \"toHaveCount\" getByTestId('job-row')",
        message: "expect(locator).toHaveCount(expected) failed",
        expected: "2",
        received: "0",
      }),
      page(html),
    );
  const items = (id: string, count: number) => `<i data-testid="${id}">x</i>`.repeat(count);
  expect(cause(items("job-list-item", 2))).toContain(
    "found nothing, and the page has 2 × <i> with the test id “job-list-item”: “job-row” was renamed",
  );
  for (const silent of [
    cause(items("job-list-item", 3)),
    cause(items("customer", 2)),
    // What stood there by that id before is gone.
    cause(
      items("job-list-item", 2),
      page(items("job-row", 4), { ts: 3_000 }),
      click("Click Find", { ts: 3_100 }),
    ),
    cause(items("job-list-item", 2), click("Click getByTestId('job-list-item')", { ts: 3_000 })),
  ])
    expect(silent).not.toContain("was renamed");
});

describe("a test id that nothing has, where the page says what the test wants", () => {
  const target = "getByTestId('order-status')";
  const wanting = (expected: string) =>
    failing({
      title: `Expect "toHaveText" ${target}`,
      message: `expect(locator).toHaveText(expected) failed\n\nLocator: ${target}\nError: element(s) not found`,
      expected: `"${expected}"`,
      received: undefined,
    });
  const cause = (html: string, ...before: ReturnType<typeof click>[]) =>
    all(...before, wanting("approved"), page(html));
  const chip = (id: string) => `<span data-testid="${id}">approved</span>`;

  test("is told by the label that stands right before it, and says what the id says", () => {
    const row = (label: string) => `<dl><dt>${label}</dt><dd data-testid="amount-due">approved</dd></dl>`;
    expect(cause(row("Order status"))).toContain("with the test id “amount-due”: “order-status” was renamed");
    expect(cause(row("Delivery"))).not.toContain("was renamed");
  });

  test("is told with the id of that element", () => {
    expect(cause(chip("status-chip"))).toStartWith(
      `element_renamed: ${target} found nothing, and what says “approved” on the page is a <span> with the test id “status-chip”: “order-status” was renamed`,
    );
    for (const silent of [
      cause(chip("approver")),
      cause(`${chip("status-chip")}${chip("status-icon")}`),
      cause('<span data-testid="status-chip">draft</span>'),
      cause(chip("status-chip"), click("Click getByTestId('status-chip')", { ts: 3_000 })),
    ])
      expect(silent).not.toContain("was renamed");
  });
});

describe("a month that the page opens on", () => {
  const now = (more: object = {}) => missed("getByRole('heading', { name: 'January 1970' })", more);

  test("is told as another time where it is months away, and not beside the one of the run", () => {
    const cause = (heading: string, ...before: ReturnType<typeof click>[]) =>
      all(...before, now(), page(`<h1>Sessions</h1><h2>${heading}</h2>`));
    expect(cause("March 1970")).toContain(
      "The page opened on “March 1970”, though the run was in 1970-01: the clock by which the product tells the present month is ahead",
    );
    for (const silent of [
      cause("February 1970"),
      cause("Sessions"),
      cause("March 1970", click("Click Next month", { ts: 3_000, name: "page.click" })),
    ])
      expect(silent).not.toContain("the present month");
  });
});

test("a value that frameworks put together of pieces is found in its other column all the same", () => {
  const cause = (cell: string) =>
    all(
      failing({
        title: "Expect \"toHaveText\" getByRole('row', { name: /Tom/ }).getByRole('cell').nth(1)",
        expected: '"50%"',
        received: '"tom@site.test"',
      }),
      page(
        `<table><tr><th>Name</th><th>E-mail</th><th>Progress</th></tr><tr><td>Tom</td><td>tom@site.test</td><td>${cell}</td></tr></table>`,
      ),
    );
  expect(cause("50<b></b>%")).toContain("stands in column 3 (“Progress”)");
  expect(cause("60<b></b>%")).not.toContain("stands in column");
});

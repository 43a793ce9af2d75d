import { expect, test } from "bun:test";
import { click, failing, page, run } from "../run.ts";
import { around, json, told } from "./scene.ts";

const bikes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ id: `b${from + at}`, code: `B-${100 + from + at}` }));
const html = (from: number, to: number, more = "") =>
  `<table>${bikes(from, to)
    .map(({ code }) => `<tr data-testid="bike"><td>${code}</td></tr>`)
    .join("")}</table>${more}`;
const count = (expected: number, received: number) =>
  failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByTestId('bike')",
    message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByTestId('bike')",
    expected: String(expected),
    received: String(received),
  });

test("more things than the test wants, as many as were asked for at a time, are told with that size", () => {
  const cause = (url: string, after: string, want = 10) =>
    told(run(...json(url, bikes(1, 12), { ts: 3_000 }), page(after), count(want, 12))).join("\n");
  expect(cause("/api/bikes?limit=12", html(1, 12))).toContain(
    "GET /api/bikes was asked for 12 things at a time (“limit=12”), which is what the page lists; the test wants 10",
  );
  expect(cause("/api/bikes", html(1, 12, "<button>Next</button>"))).toContain(
    "The page lists 12 things at a time and goes on to more of them (“Next”)",
  );
  for (const said of [
    cause("/api/bikes?limit=20", html(1, 12)),
    cause("/api/bikes", html(1, 12, "<button disabled>Next</button>")),
    cause("/api/bikes?limit=12", html(1, 12), 2),
  ])
    expect(said).not.toContain("at a time");
});

test("the next part of a list in the place of the first is told where the test wants both", () => {
  const more = click("Click getByRole('button', { name: 'Load more' })", { name: "page.click", ts: 4_100 });
  const cause = (after: string, want: number, got: number) =>
    told(
      run(
        ...json("/api/bikes?limit=5", bikes(1, 5), { ts: 3_000 }),
        ...around(more, html(1, 5), after),
        ...json("/api/bikes?limit=5&cursor=NQ", bikes(6, 10), { ts: 4_200 }),
        count(want, got),
      ),
    ).join("\n");
  expect(cause(html(6, 10), 10, 5)).toContain(
    "the page lists 5 things that GET /api/bikes?limit=5&cursor=NQ brought in place of the 5 of before, where the test wants 10: they were replaced",
  );
  expect(cause(html(1, 5), 10, 5)).not.toContain("in place of");
  expect(cause(html(6, 10), 9, 5)).not.toContain("in place of");
});

test("fewer things than the page itself says are told with the answer that had no more", () => {
  const cause = (said: string, want = 6) =>
    told(
      run(
        ...json("/api/bikes?page=2", bikes(7, 11), { ts: 4_200 }),
        page(html(7, 11, `<p>${said}</p>`)),
        count(want, 5),
      ),
    ).join("\n");
  expect(cause("Showing 7–12 of 20")).toContain(
    "GET /api/bikes?page=2 answered with 5 things, though the page says “Showing 7–12 of 20”, which are 6: one is missing in the answer",
  );
  expect(cause("Showing 7–11 of 11")).not.toContain("though the page says");
});

import { expect, test } from "bun:test";
import { click, failing, page, run, SITE } from "../run.ts";
import { fill, json, missed, operation, told } from "./scene.ts";

const NAMES = ["Iron", "Maps", "Years", "Loom"];
const html = (names: string[]) => `<ul>${names.map((name) => `<li><h3>${name}</h3></li>`).join("")}</ul>`;
const shows = (names: string[], prices: number[]) =>
  json(
    "/api/shows?sort=price",
    names.map((name, at) => ({ name, price: prices[at] })),
    { ts: 4_200 },
  );
const texts = (expected: string[], received: string[]) =>
  failing({
    title: "Expect \"toHaveText\" getByRole('heading')",
    expected: JSON.stringify(expected),
    received: JSON.stringify(received),
  });
const firstOf = (expected: string, received: string) =>
  failing({
    title: "Expect \"toContainText\" getByRole('listitem').first()",
    message: "expect(locator).toContainText(expected) failed\n\nLocator: getByRole('listitem').first()",
    expected: JSON.stringify(expected),
    received: JSON.stringify(received),
  });
const sorted = (check: ReturnType<typeof failing>, prices = [40, 30, 20, 10]) =>
  told(run(...shows(NAMES, prices), page(html(NAMES)), check)).join("\n");

test("a list in reverse is told with the order in which its answer has it", () => {
  expect(sorted(texts(NAMES.toReversed(), NAMES))).toStartWith(
    "answer_changed: GET /api/shows?sort=price answered with its list in descending order of “price” (“40” to “10”): it begins with “Iron” and ends with “Loom”, the very reverse of what the test wants",
  );
});

test("so is the wanted first thing that stands last", () => {
  expect(sorted(firstOf("Loom", "Iron"))).toContain(
    "the first thing is “Iron”, and what the test wants there (“Loom”) stands last of 4",
  );
});

test("other texts, and a wanted one in the middle or nowhere, tell of no order", () => {
  for (const said of [
    sorted(texts(["Loom", "Years", "Iron", "Maps"], NAMES)),
    sorted(firstOf("Maps", "Iron")),
    sorted(firstOf("Reef", "Iron")),
  ])
    expect(said).not.toMatch(/reverse|stands last/);
});

test("what should be on the next page and stood on the one before is told", () => {
  const next = click("Click getByRole('link', { name: 'Next' })", {
    name: "page.click",
    ts: 4_100,
    step_id: "next",
  });
  const links = (...names: string[]) =>
    `<ul>${names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join("")}</ul>`;
  const cause = (wanted: string) =>
    told(
      run(
        page(links("No. 1", "No. 2", "No. 3"), {
          ts: 4_000,
          step_id: "next",
          phase: "action",
          url: `${SITE}/list`,
        }),
        next,
        page(links("No. 4", "No. 5"), { url: `${SITE}/list?page=2` }),
        missed(`getByRole('link', { name: '${wanted}' })`),
      ),
    ).join("\n");
  expect(cause("No. 1")).toContain("“No. 1” stood on the page before");
  expect(cause("No. 7")).not.toContain("stood on the page before");
});

test("a list that was asked for the other way is told by what it begins with", () => {
  const tickets = (direction: string, ts: number, ...all: string[]) =>
    operation(
      "query Tickets { tickets { id priority } }",
      { sort: { field: "priority", direction } },
      { tickets: all.map((priority, at) => ({ id: `t${ts}${at}`, priority })) },
      { ts },
    );
  const cause = (direction: string) =>
    told(
      run(
        ...tickets("DESC", 2_000, "URGENT", "LOW", "HIGH"),
        fill("Sort", "priority", 4_000),
        ...tickets(direction, 4_200, "LOW", "LOW", "HIGH"),
        page(html(["LOW 1", "LOW 2", "HIGH 3"])),
        firstOf("Urgent", "LOW 1"),
      ),
    ).join("\n");
  expect(cause("ASC")).toContain(
    "it begins with “LOW” for “priority”, and none of its 3 things is “Urgent”, which the test wants first",
  );
  expect(cause("priority")).not.toContain("which the test wants first");
});

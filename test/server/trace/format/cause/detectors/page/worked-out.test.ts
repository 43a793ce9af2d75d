import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const json = { media_type: "application/json", resource_type: "fetch" };
const script = (name: string) =>
  exchange("/app.js", {
    ts: 500,
    resource_type: "script",
    body: `sha256:${name}`,
    media_type: "text/javascript",
  });
const answer = (body: object) =>
  exchange("/api/courses/7", { ts: 1_000, ...json, body: JSON.stringify(body) });
const course = { title: "Guitar", capacity: 8, enrolled: 5 };
const look = {
  title: "Expect \"toHaveText\" getByTestId('rest')",
  message: "expect(locator).toHaveText(expected) failed\nLocator: getByTestId('rest')",
};
const shown = (text: string) =>
  page(`<main><p data-testid="rest">${text}</p></main>`, { url: `${SITE}/courses/7` });
const mine = (got: string, body: object = course, code = "new") =>
  run(
    ...script(code),
    ...answer(body),
    shown(got),
    failing({ ...look, received: `"${got}"`, expected: '"4 left"' }),
  );
const usual = (want = "4 left") => run(...script("old"), ...answer(course), shown(want), passing(look));

test("a figure that the page shows otherwise than every pass, though its answer is the same, is told with that answer", () => {
  expect(first(mine("3 left"), usual(), usual())).toBe(
    "page_changed: GET /api/courses/7 answered the same as in the last pass, but getByTestId('rest') has “3 left”, where that has “4 left”; the script GET /app.js changed since the last pass",
  );
});

test("it is not told where the answer is another one, the script is the same, or the words are others", () => {
  const causes = (run: ReturnType<typeof mine>) => told(run, usual(), usual()).join("\n");
  expect(causes(mine("3 left", { ...course, capacity: 7 }))).not.toContain("answered the same");
  expect(causes(mine("3 left", course, "old"))).not.toContain("answered the same");
  expect(causes(mine("3 places gone"))).not.toContain("answered the same");
});

test("it is not told where passes asked again, and were answered otherwise then", () => {
  const later = exchange("/api/courses/7", {
    ts: 3_000,
    ...json,
    body: JSON.stringify({ ...course, enrolled: 4 }),
  });
  const pass = run(...script("old"), ...answer(course), ...later, shown("4 left"), passing(look));
  expect(told(mine("3 left"), pass, pass).join("\n")).not.toContain("answered the same");
});

test("it is told how two figures lie apart", () => {
  expect(told(mine("2h 29m left"), usual("3h 29m left"), usual("3h 28m left")).join("\n")).toContain(
    "where that has “3h 29m left”, an hour less, as where a moment is read in another time zone",
  );
  expect(told(mine("93 %"), usual("93.4 %"), usual("93.4 %")).join("\n")).toContain(
    "where that has “93.4 %”, rounded to no decimals",
  );
});

test("it is told with the one answer that came to the last action, of whatever that is", () => {
  const press = click("Click Apply", { ts: 4_000, step_id: "apply" });
  const promo = (percent: number) =>
    exchange("/api/promo", {
      ts: 4_020,
      method: "POST",
      ...json,
      body: JSON.stringify({ code: "W", percent }),
    });
  const applied = (code: string, percent: number, text: string, end: typeof passing) =>
    run(
      ...script(code),
      press,
      ...promo(percent),
      page(`<main><p data-testid="rest">${text}</p></main>`, { url: `${SITE}/book` }),
      end({ ...look, received: `"${text}"`, expected: '"€ 6.20"' }),
    );
  const pass = applied("old", 20, "€ 6.20", passing);
  expect(first(applied("new", 20, "€ 0.20", failing), pass, pass)).toBe(
    "page_changed: POST /api/promo answered the same as in the last pass (“20” for “percent”), but getByTestId('rest') has “€ 0.20”, where that has “€ 6.20”; the script GET /app.js changed since the last pass",
  );
  expect(told(applied("new", 2, "€ 0.20", failing), pass, pass).join()).not.toContain("answered the same");
});

test("it is not told where passes asked once more, whatever they were answered", () => {
  const later = exchange("/api/courses/7", { ts: 3_000, ...json, body: JSON.stringify(course) });
  const pass = run(...script("old"), ...answer(course), ...later, shown("4 left"), passing(look));
  expect(told(mine("3 left"), pass, pass).join("\n")).not.toContain("answered the same");
});

test("it is told which things of the answer the page leaves out, or lists though no pass does", () => {
  const parts = ["Saddle", "Pedal", "Chain"].map((name) => ({ name, unit: "Piece" }));
  const listed = (code: string, names: string[], end: typeof passing) =>
    run(
      ...script(code),
      ...exchange("/api/parts", { ts: 1_000, ...json, body: JSON.stringify({ count: 3, parts }) }),
      page(
        `<main><p data-testid="rest">${names.length} low parts</p>${names.map((name) => `<b>${name}</b><i>Piece</i>`).join("")}</main>`,
        { url: `${SITE}/parts` },
      ),
      end({ ...look, received: `"${names.length} low parts"`, expected: '"2 low parts"' }),
    );
  const pass = listed("old", ["Saddle", "Pedal"], passing);
  expect(first(listed("new", ["Saddle"], failing), pass, pass)).toContain(
    "“2 low parts”: “Pedal” is left out; ",
  );
  expect(first(listed("new", ["Saddle", "Pedal", "Chain"], failing), pass, pass)).toContain(
    "“2 low parts”: “Chain” is listed as well; ",
  );
});

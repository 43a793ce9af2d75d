import { expect, test } from "bun:test";
import { causeIn, click, exchange, failing, page, passing, run } from "../../run.ts";

const find = (value: string) =>
  `<div class="filters"><label>Find <input value="${value}"></label></div><p>12 found</p>`;

/** “Lisbon” typed into the field, of which that took a text, under a style sheet. */
const typed = (css: string, took: string, end: ReturnType<typeof failing>) =>
  run(
    ...exchange("/app.css", { ts: 1_000, resource_type: "stylesheet", media_type: "text/css", body: css }),
    click('Type "Lisbon" Find', {
      ...{ name: "page.type", ts: 2_000, step_id: "type", params: { text: "Lisbon" } },
    }),
    page(find(""), { ts: 2_010, step_id: "type", phase: "action" }),
    page(find(took), { ts: 2_300, step_id: "type", phase: "after" }),
    end,
  );
const within = (most: number, rule = ".filters { display: none }") =>
  `.filters { color: gray }\n@media (max-width: ${most}px) { ${rule} }`;

function cause(css: string, usual = within(480), viewport = "1280 × 720") {
  const pass = typed(usual, "Lisbon", passing());
  const environments = Array.from({ length: 3 }, () => ({ viewport }));
  return causeIn(environments, typed(css, "", failing()), pass, pass).suspects[0]!.title;
}

test("a field that took nothing of what was typed is told with the changed rule that hides it", () => {
  expect(cause(within(1480))).toBe(
    "What the test typed (“Lisbon”) arrived in no field, where it went into “Find” in the last pass: that field is hidden, which it is not in the last pass: “.filters { display: none }” of /app.css hides .filters around it, within “@media (max-width: 1480px)” at a window of 1280 pixels",
  );
});

test("a rule that hides something else, or not in this window, or hid the field before, is not why", () => {
  const elsewhere = "the focus was elsewhere by then";
  expect(cause(within(900))).toEndWith(elsewhere);
  expect(cause(within(1480), within(480), "1920 × 1080")).toEndWith(elsewhere);
  expect(cause(within(1480, ".aside { display: none }"))).toEndWith(elsewhere);
  expect(cause(within(1480), within(1300))).toEndWith(elsewhere);
  expect(cause(within(1480), within(1480))).toEndWith(elsewhere);
});

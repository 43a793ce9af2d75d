import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, save, told } from "../../run.ts";

const json = (url: string, body: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, { media_type: "application/json", body: JSON.stringify(body), ...more });
const check = { expected: '"Dear Ada"', received: '"Hi Ada"' };
const saving = (typed: string, sent: string, ending: ReturnType<typeof failing>, held = typed) =>
  run(
    ...json("/api/letter", { letter: "Hi {name}" }, { ts: 1_000 }),
    click(`Type "${typed}" getByLabel('Letter')`, {
      name: "page.type",
      ts: 2_000,
      step_id: "type",
      params: { selector: 'internal:label="Letter"i', text: typed },
    }),
    page(`<textarea aria-label="Letter">${held}</textarea><button>Save</button>`, {
      ts: 3_005,
      step_id: "save",
      phase: "action",
    }),
    save(),
    ...json(
      "/api/letter",
      { letter: sent },
      {
        ts: 3_050,
        method: "PUT",
        request: { body: JSON.stringify({ letter: sent }) },
      },
    ),
    ending,
  );
const TOLD =
  "page_changed: PUT /api/letter was sent with the old value “Hi {name}” for “letter”, though “Type \"Dear {name}, no. 31\" getByLabel('Letter')” had given it another one, which every pass sends";

describe("a write that was sent with the value of before", () => {
  const usual = saving("Dear {name}, no. 7", "Dear {name}, no. 7", passing(check));
  const sent = (value: string, held?: string) => saving("Dear {name}, no. 31", value, failing(check), held);

  test("is told where each pass sends what the test typed", () => {
    expect(first(sent("Hi {name}"), usual, usual)).toBe(TOLD);
  });

  test("is another matter where the field did not hold that, no answer had said it, or passes send it as well", () => {
    expect(told(sent("Hi {name}", "Hi {name}"), usual, usual)).not.toContain(TOLD);
    expect(told(sent("Dear all"), usual, usual).join("\n")).not.toContain("the old value");
    const old = saving("Dear {name}, no. 7", "Hi {name}", passing(check));
    expect(told(sent("Hi {name}"), old, old)).not.toContain(TOLD);
  });
});

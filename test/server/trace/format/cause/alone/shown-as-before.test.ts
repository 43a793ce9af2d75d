import { describe, expect, test } from "bun:test";
import { page, run, SITE, save } from "../run.ts";
import { document, json, post, textOf, told } from "./scene.ts";

const at = (total: string, more: object = {}) =>
  page(`<h1>Stock</h1><p data-testid="total">${total}</p>`, { url: `${SITE}/stock`, ...more });
const met = at("55", { ts: 3_000, step_id: "save", phase: "action" });
const sent = post("/api/stock/changes", 200, { ok: true }, { ts: 3_100 });
const wants = textOf("total", "50", "55");
const cause = (...events: Parameters<typeof run>) => told(run(met, save(), ...events, wants, at("55")))[0];

describe("a text that stands as before a write that was taken", () => {
  test("is told where nothing was asked for since, with the answer that it is from where that is known", () => {
    expect(cause(...sent)).toBe(
      "page_changed: Nothing was asked for again after POST /api/stock/changes, answered with 200: the page was not refreshed and still shows “55”",
    );
    const read = json("/api/stock", { total: 55 }, { ts: 1_000 });
    expect(cause(...read, ...sent)).toBe(
      "page_changed: GET /api/stock was not asked for again after POST /api/stock/changes, answered with 200: the page was not refreshed and still shows “55”, its “total” from before",
    );
  });

  test("is told where what was asked for since is of something else", () => {
    const other = json("/api/me", { name: "Ann" }, { ts: 3_300 });
    expect(cause(...sent, ...other)).toContain("Nothing of what the page shows was asked for again");
    const tick = (ts: number) => json("/api/pulse", { open: 55 }, { ts });
    expect(cause(...tick(1_000), ...sent, ...tick(5_000))).toContain("not asked for again after POST");
  });

  test("is told where an answer brought what the step wants, and the page did not draw it", () => {
    const words = (answer: object) => {
      const shown = at("open", { ts: 3_000, step_id: "save", phase: "action" });
      const read = json("/api/stock", answer, { ts: 3_300 });
      return told(run(shown, save(), ...sent, ...read, textOf("total", "closed", "open"), at("open")))[0];
    };
    expect(words({ total: "closed" })).toBe(
      "page_changed: GET /api/stock answered with “closed” for “total” after POST /api/stock/changes, answered with 200, and the page still shows “open”, as before: it was not updated by what came",
    );
    expect(words({ left: "closed" })).not.toContain("not updated");
    const blank = at("€NaN", { ts: 3_000, step_id: "save", phase: "action" });
    const read = json("/api/stock", { total: 50 }, { ts: 3_300 });
    expect(
      told(run(blank, save(), ...sent, ...read, textOf("total", "€50.00", "€NaN"), at("€NaN"))).join(),
    ).not.toContain("not updated");
    expect(words({ total: "open" })).not.toContain("page_changed");
  });

  test("is not told where the page was loaded anew, the write was refused, or the text is another one than before", () => {
    const silent = (...events: Parameters<typeof run>) =>
      expect(cause(...events)).not.toContain("still shows");
    silent(...sent, ...document("/stock", "<p>55</p>", { ts: 3_300 }));
    silent(...post("/api/stock/changes", 422, { error: "No" }, { ts: 3_100 }));
    silent(...post("/api/stock/changes", 200, { total: "50" }, { ts: 3_100 }));
    silent();
    const moved = run(met, save(), ...sent, textOf("total", "50", "60"), at("60"));
    expect(told(moved)[0]).not.toContain("still shows");
  });
});

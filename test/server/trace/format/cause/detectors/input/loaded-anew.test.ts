import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const document = (url: string, ts: number, more: Record<string, unknown> = {}) =>
  exchange(url, { ts, resource_type: "document", media_type: "text/html", body: "<main></main>", ...more });
const HTML = `<form><label>Mail<input name="mail"></label><button>Send</button></form>`;
const opened = [...document("/hours", 1_000), page(HTML, { ts: 2_000, url: `${SITE}/hours` })];
const fill = click("Fill “a@b.example” getByLabel('Mail')", {
  ...{ ts: 2_900, name: "page.fill", step_id: "fill" },
  params: { selector: 'internal:label="Mail"i', value: "a@b.example" },
});
const send = click("Click getByRole('button', { name: 'Send' })", { ts: 3_000, name: "page.click" });
const stored = exchange("/api/hours", { ts: 3_010, method: "PUT" });
const usual = () => run(...opened, fill, send, ...stored, passing());
const leading = (...loaded: ReturnType<typeof document>) =>
  run(...opened, fill, send, ...stored, ...loaded, failing());

describe("a document that was loaded anew after an action, as in no pass", () => {
  const itself = (what: string) =>
    `page_changed: After “Click getByRole('button', { name: 'Send' })” the browser itself sent the form and loaded the page anew (${what}), where in no pass a document is loaded: no script took the form over from it`;

  test("is told as a form that the browser sent, by what stands in its address or how it was sent", () => {
    expect(first(leading(...document("/hours?", 3_050)), usual(), usual())).toBe(itself("GET /hours?"));
    expect(first(leading(...document("/hours?mail=a%40b.example", 3_050)), usual())).toBe(
      itself("GET /hours?mail=a%40b.example"),
    );
    expect(first(leading(...document("/save", 3_050, { method: "POST" })), usual())).toBe(
      itself("POST /save"),
    );
  });

  test("stands behind the script that did not come or that the page no longer names, for want of which the browser sent the form", () => {
    const script = exchange("/hours.js", { ts: 1_500, resource_type: "script", status: 404 });
    const failed = run(...opened, ...script, fill, send, ...document("/hours?", 3_050), failing());
    const loaded = exchange("/hours.js", { ts: 1_500, resource_type: "script" });
    const pass = run(...opened, ...loaded, fill, send, ...stored, passing());
    expect(first(failed, pass, pass)).toBe("script_failed: The script GET /hours.js was answered with 404");
  });

  test("is told as the page that was loaded anew where nothing tells of a form", () => {
    expect(first(leading(...document("/hours", 3_050)), usual())).toBe(
      "page_changed: Right after “Click getByRole('button', { name: 'Send' })” the page was loaded anew (GET /hours), where in no pass a document is loaded",
    );
  });

  test("is none where a pass loads one too, the test opened it, it came late, or it is another page", () => {
    const isTold = (failed: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
      /loaded (?:the page )?anew/.test(told(failed, ...passes).join());
    const anew = leading(...document("/hours?", 3_050));
    expect(isTold(anew, usual())).toBeTrue();
    expect(isTold(anew)).toBeFalse();
    expect(isTold(anew, run(...opened, fill, send, ...document("/hours?", 3_060), passing()))).toBeFalse();
    expect(isTold(leading(...document("/sign-in", 3_050)), usual())).toBeFalse();
    expect(isTold(leading(...document("/hours", 6_500)), usual())).toBeFalse();
    const again = click("Reload", { ts: 3_040, name: "page.reload", step_id: "again" });
    const byTest = run(...opened, fill, send, ...stored, again, ...document("/hours", 3_050), failing());
    expect(isTold(byTest, usual())).toBeFalse();
  });
});

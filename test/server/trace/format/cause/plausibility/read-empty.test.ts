import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../run.ts";

const cancel = click("Click getByRole('button', { name: 'Cancel' })", { ts: 4_000 });
const removal = (status: number, ts = 4_050) =>
  exchange("/api/bookings/7", { ts, method: "DELETE", status, body: status === 204 ? undefined : "{}" });
const thrown = (text: string) => ({
  kind: "console.error",
  ts: 4_080,
  source: "page",
  text,
  url: "http://shop.example/app.js",
});
const UNREAD = "SyntaxError: Failed to execute 'json' on 'Response': Unexpected end of JSON input";
const said = "DELETE /api/bookings/7 had been answered right before with 204, which has no body to be read";
const usual = run(cancel, ...removal(204), passing());

describe("an answer without a body that a script reads as JSON", () => {
  test("is told with the error that this threw, with passes and without", () => {
    const failed = run(cancel, ...removal(204), thrown(UNREAD), failing());
    for (const one of [first(failed, usual, usual), first(failed)]) {
      expect(one).toStartWith(`page_error: The page threw ${UNREAD}`);
      expect(one).toEndWith(`; ${said}`);
    }
  });

  test("is not what another error is thrown over, nor one that came long after it or after another answer", () => {
    for (const failed of [
      run(cancel, ...removal(204), thrown("TypeError: seats is undefined"), failing()),
      run(cancel, ...removal(204, 1_000), thrown(UNREAD), failing()),
      run(cancel, ...removal(200), thrown(UNREAD), failing()),
    ])
      expect(told(failed, usual).join()).not.toContain("which has no body to be read");
  });
});

import { expect, test } from "bun:test";
import { exchange, failing, page, passing, run, told } from "../../run.ts";

const script = (name: string) =>
  exchange("/app.js", {
    ...{ ts: 500, resource_type: "script", body: `sha256:${name}`, media_type: "text/javascript" },
  });
const status = (body: object) =>
  exchange("/api/status", { ts: 1_000, media_type: "application/json", body: JSON.stringify(body) });
const look = {
  title: "Expect \"toHaveText\" getByTestId('rest')",
  message: "expect(locator).toHaveText(expected) failed\nLocator: getByTestId('rest')",
  expected: '"4 free places"',
};
const causes = (body: object) => {
  const shown = (text: string) => page(`<p data-testid="rest">${text}</p>`);
  const usual = run(...script("old"), ...status(body), shown("4 free places"), passing(look));
  const mine = run(
    ...script("new"),
    ...status(body),
    shown("3 free places"),
    failing({ ...look, received: '"3 free places"' }),
  );
  return told(mine, usual, usual).join("\n");
};

test("a figure of one digit is that of an answer only where that goes by a word of what the page shows", () => {
  expect(causes({ freePlaces: 4 })).toContain("answered “4” for “freePlaces”");
  expect(causes({ unread: 4 })).not.toContain("answered “4”");
  expect(causes({ pupils: [1, 2, 3, 5] })).not.toContain("answered with 4 items");
});

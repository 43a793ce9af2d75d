import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const html = (name: string, city = name && "Soria") =>
  `<form><label>Name<input name="name" value="${name}"></label><label>City<input name="city" value="${city}"></label></form>`;
const write = (label: string, value: string, ts: number) =>
  click(`Fill "${value}" getByLabel('${label}')`, {
    ...{ ts, name: "page.fill", step_id: label },
    params: { selector: `internal:label="${label}"i`, value },
  });
const filled = [write("Name", "Leire Soto", 1_000), write("City", "Soria", 1_100)];
const open = click("Navigate /checkout", { ts: 3_000, name: "page.goto", step_id: "open" });
const served = (body = html("")) =>
  exchange("/checkout", { ts: 3_005, resource_type: "document", media_type: "text/html", body });
const value = {
  name: "toHaveValue",
  title: "Expect \"toHaveValue\" getByLabel('Name')",
  params: { selector: 'internal:label="Name"i' },
  expected: '"Leire Soto"',
};
const came = (shown: string, ...more: ReturnType<typeof click>[]) =>
  run(...filled, open, ...served(), ...more, page(html(shown)), failing({ ...value, received: '""' }));
const usual = (body?: string) =>
  run(...filled, open, ...served(body), page(html("Leire Soto")), passing(value));

test("a field that passes have filled again when a page comes, and that is empty here, is told with where it is kept", () => {
  expect(first(came(""), usual(), usual())).toBe(
    "page_changed: After “Navigate /checkout” the field “Name” was empty, where every pass has it filled with “Leire Soto”, which the test had written there before (so was “City”); no answer brings it there: it is kept in the browser's storage or a cookie",
  );
});

test("a field that is filled, that no pass fills, that was cleared since or that an answer fills is not told so", () => {
  const isTold = (failed: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
    told(failed, ...passes)
      .join()
      .includes("which the test had written there before");
  expect(isTold(came(""), usual())).toBeTrue();
  expect(isTold(came(""))).toBeFalse();
  expect(isTold(came("Leire Soto"), usual())).toBeFalse();
  expect(
    isTold(came(""), usual(), run(...filled, open, ...served(), page(html("")), passing(value))),
  ).toBeFalse();
  const clears = ["Name", "City"].map((label, at) =>
    click(`Clear ${label}`, {
      ...{ ts: 3_100 + at, name: "page.fill", step_id: `clear ${label}` },
      params: { selector: `internal:label="${label}"i`, value: "" },
    }),
  );
  expect(isTold(came("", ...clears), usual())).toBeFalse();
  expect(first(came(""), usual(html("Leire Soto")))).not.toContain("no answer brings it there");
});

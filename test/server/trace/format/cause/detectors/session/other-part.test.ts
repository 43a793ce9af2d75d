import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, told } from "../../run.ts";

const resume = click("Click getByRole('button', { name: 'Resume' })", { ts: 4_000 });
const at = (path: string, ts: number) => page("<h1>Form</h1>", { ts, url: `${SITE}${path}` });
const [mine, theirs] = ["1c3e6633-8cf4-4c8b-8ece-ffc14c559a3c", "922d49ba-bb81-4f3c-b2c3-48cc19fbe2f7"];
const went = (id: string, to: number, end: ReturnType<typeof passing>, from = "/home") =>
  run(
    ...exchange("/home", { ts: 900, resource_type: "document" }),
    at(`/forms/${id}/step/1`, 1_000),
    at(`/forms/${id}/step/2`, 2_000),
    at(from, 3_900),
    resume,
    at(`/forms/${id}/step/${to}`, 6_990),
    end,
  );
const usual = went(theirs!, 2, passing());

describe("a page that came to another step of what passes go through", () => {
  test("is told by both addresses", () => {
    expect(first(went(mine!, 1, failing()), usual, usual)).toBe(
      `redirected: The page came to /forms/${mine}/step/1 instead of /forms/${theirs}/step/2, where it had come to in the last pass`,
    );
  });

  test("is another one where it never left, where a pass does the same, or of a thing that no pass has", () => {
    const silent = (...args: Parameters<typeof told>) =>
      expect(told(...args).join()).not.toContain("came to");
    silent(went(mine!, 1, failing(), `/forms/${mine}/step/1`), usual, usual);
    silent(went(mine!, 1, failing()), usual, went(theirs!, 1, passing()));
    silent(went(mine!, 3, failing()), usual, usual);
    silent(went(mine!, 2, failing()), usual, usual);
    silent(went(mine!, 1, failing()), usual);
  });
});

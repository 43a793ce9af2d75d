import { expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { json, told } from "./scene.ts";

test("a filter that goes by another name in the things is told with both names", () => {
  const reports = (query: string, ...states: string[]) =>
    told(
      run(
        ...json(`/api/reports${query}`, {
          items: states.map((status, at) => ({ id: `r${at}`, title: `Trip ${at}`, status })),
        }),
        failing(),
      ),
    ).join();
  expect(reports("?state=approved", "draft", "approved", "approved")).toContain(
    "GET /api/reports?state=approved asked for “approved” for “state”, and 1 of the 3 things that it was answered with have another “status” (“draft”): the filter was ignored, or goes by the name “status”",
  );
  for (const [query, ...states] of [
    ["?state=approved", "approved", "approved", "approved"],
    ["?state=closed", "draft", "approved", "approved"],
    ["?sort=approved", "draft", "approved", "approved"],
    ["?q=approved", "draft", "approved", "approved"],
    ["?state=approved", "draft", "approved", "sent"],
    ["?state=approved", "not approved", "approved", "approved"],
  ] as [string, ...string[]][])
    expect(reports(query, ...states), query).not.toContain("the filter was ignored");
});

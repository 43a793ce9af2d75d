import { expect, test } from "bun:test";
import { exchange, failing, passing, run, save, told } from "../../run.ts";

test("a server action that has no page read anew is told by what that means, and one that set no cookie is not", () => {
  const acting = (value: string, ending: ReturnType<typeof failing>) =>
    run(
      save(),
      ...exchange("/people", {
        ts: 3_050,
        method: "POST",
        media_type: "text/x-component",
        headers: [{ name: "x-action-revalidated", value }],
      }),
      ending,
    );
  const usual = (value: string) => acting(value, passing());
  const said = (now: string, before: string) =>
    told(acting(now, failing()), usual(before), usual(before)).join("\n");
  expect(said("[[],0,0]", "[[],1,0]")).toContain(
    "answer_changed: POST /people was answered with 200 and no longer has what pages show read anew (x-action-revalidated “[[],0,0]”, where every pass has “[[],1,0]”): the page still lists what it had before",
  );
  expect(said("[[],0,0]", "[[],0,1]")).not.toContain("x-action-revalidated");
  expect(said("[[],1,0]", "[[],0,0]")).not.toContain("x-action-revalidated");
});

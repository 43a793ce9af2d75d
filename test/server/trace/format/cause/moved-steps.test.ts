import { expect, test } from "bun:test";
import { causeWithFiles, click, exchange, failing, passing, run } from "./run.ts";

const SPEC = "/work/tests/editors.spec.ts";
const at = (line: number) => [{ file: SPEC, line, column: 5 }];
const spec = (...body: string[]) => ['test("warns", async () => {', ...body, "});"].join("\n");

const OPEN = "await open();";
const OTHER = "await other.save();";
const SAVED = 'await expect(other.getByRole("status")).toHaveText("Saved.");';
const OWN = "await own.save();";
const CHECK = 'await expect(own.getByRole("alert")).toHaveText("Changed meanwhile.");';
const before = spec(OPEN, OTHER, SAVED, OWN, CHECK);
const moved = spec(OPEN, OWN, OTHER, CHECK);

const REFUSED = { media_type: "application/json", body: '{"message":"Changed meanwhile."}' };
const saved = (line: number, ts: number, status: number) => [
  click(`save ${line}`, { ts, stack: at(line) }),
  ...exchange("/events/7", {
    ts: ts + 10,
    method: "POST",
    status,
    request: { body: "city=Bern" },
    ...(status === 409 && REFUSED),
  }),
];
const opened = click("open", { ts: 1_000, stack: at(2) });
const script = (hash: string) =>
  exchange(`/assets/app-${hash}.js`, { ts: 900, resource_type: "script", media_type: "text/javascript" });
const end = { expected: '"Changed meanwhile."', received: '""', stack: at(5) };

/** What is told first of a test that now saves at once, and in the last pass was warned of it. */
function told(now: string, { mine = "1a2b3c4d", early = false } = {}): string | undefined {
  const [line, own] = early ? [2, 950] : [3, 2_000];
  const pass = run(
    ...script("1a2b3c4d"),
    opened,
    ...saved(line, own, 409),
    ...saved(5, 3_000, 303),
    passing(end),
  );
  const cause = causeWithFiles(
    [{ file: SPEC, now, before }],
    run(...script(mine), opened, ...saved(line, own, 303), ...saved(4, 3_000, 303), failing(end)),
    pass,
    pass,
  );
  return cause.suspects[0]?.title;
}

test("lines that were moved, of which a check was left out, are told as one and with what is answered otherwise for them", () => {
  const title = told(moved);
  expect(title).toContain(
    "“await other.save();” was moved: it comes after “await own.save();” now, and came before it; POST /events/7",
  );
});

test("lines of which another action was left out as well were not moved alone", () => {
  const more = spec(OPEN, OTHER, "await other.close();", OWN, CHECK);
  const cause = causeWithFiles(
    [{ file: SPEC, now: moved, before: more }],
    run(opened, ...saved(3, 2_000, 303), failing(end)),
    run(opened, ...saved(3, 2_000, 409), passing(end)),
  );
  expect(cause.suspects.map(({ title }) => title).join("\n")).not.toContain("was moved");
});

test("an answer that came before the moved lines, or beside other code of the product, does not come of them", () => {
  expect(told(moved, { early: true })).not.toContain("; POST /events/7");
  expect(told(moved, { mine: "9f8e7d6c" })).not.toContain("; POST /events/7");
});

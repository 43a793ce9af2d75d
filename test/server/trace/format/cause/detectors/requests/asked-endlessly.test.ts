import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const missing = { title: "Expect \"toHaveText\" getByTestId('since')", name: "toHaveText" };
const asked = (count: number, every: number, from = 3_000) =>
  Array.from({ length: count }, (_, at) =>
    exchange("/api/customers/7", { ts: from + at * every, body: '{"name":"Ana"}' }),
  ).flat();
const later = exchange("/api/other", { ts: 9_000 });
const pass = (count: number, every: number) => {
  const usual = run(...asked(count, every), passing(missing), ...later);
  return [usual, usual];
};

test("a question that is asked over and over until the step gives up, where a pass asks it once, is told with how often", () => {
  expect(first(run(...asked(30, 100), failing(missing)), ...pass(1, 0))).toBe(
    "request_repeated: GET /api/customers/7 was sent over and over: 30 times within 2.9 s, where the last pass sent it once",
  );
});

test("it is not told where passes ask as often, where it came to an end, or where no pass was watched for as long", () => {
  const cause = (mine: ReturnType<typeof asked>, passes: ReturnType<typeof pass>) =>
    told(run(...mine, failing(missing)), ...passes).join("\n");
  expect(cause(asked(30, 100), pass(20, 100))).not.toContain("over and over");
  expect(cause(asked(15, 100), pass(1, 0))).not.toContain("over and over");
  const short = run(...asked(1, 0, 4_000), passing({ ...missing, ts: 4_010, duration_ms: 20 }));
  expect(cause(asked(30, 100), [short, short])).not.toContain("over and over");
});

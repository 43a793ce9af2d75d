import { expect, test } from "bun:test";
import { exchange, failing, run, told } from "../run.ts";

const typed = {
  kind: "agent.action",
  step_id: "type",
  name: "keyboardType",
  title: 'Type "Dizzy since Monday"',
  params: { text: "Dizzy since Monday" },
  duration_ms: 100,
  ts: 2_000,
};
const logged = (text: string, ts: number, level = "debug") => ({
  kind: `console.${level}`,
  text,
  ts,
});
const reload = { ...typed, step_id: "reload", name: "reload", title: "Reload", params: {}, ts: 3_000 };
const read = exchange("/graphql", {
  ts: 3_200,
  method: "POST",
  request: { body: '{"operationName":"Record","variables":{"id":"p-1"}}' },
  body: "{}",
});
const IN_VAIN = failing({ expected: '"Dizzy since Monday"', received: '""' });
const READ_ONLY =
  "[drafts] skipped ReadOnlyError Failed to execute 'put' on 'IDBObjectStore': The transaction is read-only.";

test("an error of the browser's store explains that what was typed is gone when the page was opened anew", () => {
  expect(told(run(typed, logged(READ_ONLY, 2_500), reload, ...read, IN_VAIN))[0]).toBe(
    `storage: The page went on after an error that it only noted (debug): ${READ_ONLY}; “Dizzy since Monday” was gone when the page was opened anew`,
  );
  const full =
    "QuotaExceededError: Failed to execute 'setItem' on 'Storage': Setting the value of 'draft' exceeded the quota.";
  expect(told(run(typed, logged(full, 2_500, "error"), reload, ...read, IN_VAIN))[0]).toBe(
    `storage: The page logged the error: ${full}; “Dizzy since Monday” was gone when the page was opened anew`,
  );
});

test("nothing was gone where the page was not opened anew, and no store failed where another error was noted or it came later", () => {
  for (const one of [
    run(typed, logged(READ_ONLY, 2_500), IN_VAIN),
    run(typed, reload, logged(READ_ONLY, 3_400), IN_VAIN),
    run(typed, logged("TypeError: Monthly API quota reached", 2_500), reload, IN_VAIN),
    run(reload, logged(READ_ONLY, 2_500), IN_VAIN),
  ])
    expect(told(one).join("\n")).not.toContain("was gone");
});

test("what a page asks for after it was opened anew was not sent without what had been typed before", () => {
  expect(told(run(typed, reload, ...read, IN_VAIN)).join("\n")).not.toContain("sent without");
  const before = read.map((one) => ({ ...one, ts: (one.ts as number) - 800 }));
  expect(told(run(typed, before[0]!, { ...before[1]!, ts: 2_405 }, reload, IN_VAIN)).join("\n")).toContain(
    "sent without",
  );
});

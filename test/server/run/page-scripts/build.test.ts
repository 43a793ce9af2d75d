import { expect, test } from "bun:test";
import { buildPageRecorder } from "../../../../server/run/page-scripts/build.ts";

test("the script that every page of a run loads holds nothing of what only replays need", async () => {
  const script = await buildPageRecorder();
  expect(script).not.toContain("postcss");
  expect(script.length).toBeLessThan(100_000);
});

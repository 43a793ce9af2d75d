import { expect, test } from "bun:test";
import { buildViewer } from "../../server/viewer-build.ts";

/** As many as a browser fetches at a time from one server. */
const AT_A_TIME = 6;

test("the trace page needs few scripts, and all of them are in the build", async () => {
  const { files, pageScripts } = await buildViewer();
  const scripts = pageScripts["viewer/pages/trace.tsx"]!;
  expect(scripts.length).toBeLessThanOrEqual(AT_A_TIME);
  const names = new Set(files.map(({ name }) => name));
  expect(scripts.filter((name) => !names.has(name))).toEqual([]);
});

import { cut, oneLine } from "../error-text.ts";
import { scenarioTarget } from "./scenario-words.ts";
import type { Evidence } from "./types.ts";
import { quoted } from "./words.ts";

/** How the test names the element: its locator, or what a scenario calls it. */
export function targetOf({ failed }: Pick<Evidence, "failed">): string {
  const said =
    scenarioTarget(failed) ??
    /Locator:\s*(.+)/.exec(failed.message)?.[1] ??
    failed.step?.log
      .map((line) => /waiting for (.+)/.exec(line)?.[1]?.split(" to be ", 1)[0])
      .find((one) => one && !/^navigation|^event|^element|^scrolling|^load/.test(one)) ??
    /strict mode violation: (.+?) resolved to/.exec(failed.message)?.[1] ??
    /(?:locator|getBy\w+)\(.*\)/.exec(failed.title)?.[0];
  return said ? cut(oneLine(said), 140) : failed.title ? quoted(failed.title, 100) : "the element";
}

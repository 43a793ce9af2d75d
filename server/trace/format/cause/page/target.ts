import { cut, oneLine } from "../../error-text.ts";
import { scenarioTarget } from "../run/scenario-words.ts";
import type { Evidence } from "../types.ts";
import { quoted } from "../words.ts";

/** A chain of locators that is cut can neither be looked up on the page nor be told in words. */
const LONGEST = 400;

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
  return said ? cut(oneLine(said), LONGEST) : failed.title ? quoted(failed.title, 100) : "the element";
}

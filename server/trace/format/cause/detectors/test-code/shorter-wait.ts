import { oneLine } from "../../../error-text.ts";
import { counterpart } from "../../run/select.ts";
import type { Hunk } from "../../test-code/test-changes.ts";
import type { Evidence } from "../../types.ts";
import { bareOf, lapse, quoted } from "../../words.ts";

const SHOWN = 90;
const TIMEOUT = /,? ?\{? ?timeout: ?([\d_]{1,9}),? ?\}?/;

/**
 * That a changed line of a test differs in nothing but that it waits for less long, in words: for how long it waits, how
 * long that took in the last pass, and what the page showed by then. Null where the change is another one.
 */
export function waitsLess({ now, before }: Hunk, evidence: Evidence): string | null {
  const [mine, theirs] = [oneLine(now.join(" ")), oneLine(before.join(" "))];
  const limit = limitOf(mine);
  const usual = limitOf(theirs);
  const isSame = mine.replace(TIMEOUT, "") === theirs.replace(TIMEOUT, "");
  if (!isSame || limit === null || (usual !== null && limit >= usual)) return null;
  return `${quoted(theirs.replace(TIMEOUT, ""), SHOWN)} waits only ${lapse(limit)} now${usual === null ? "" : ` instead of ${lapse(usual)}`}${tookBefore(evidence, limit)}${shownBy(evidence)}`;
}

const limitOf = (line: string): number | null => {
  const said = TIMEOUT.exec(line)?.[1];
  return said === undefined ? null : Number(said.replaceAll("_", ""));
};

/** How long the step took in the last pass, where that is more than it has now. */
function tookBefore({ failed: { step }, run, passes: [newest] }: Evidence, limit: number): string {
  const same = step && newest ? counterpart(run.facts, step, newest.facts) : null;
  const took = same && !same.isFailed ? same.end - same.ts : 0;
  return took > limit ? `, where it took ${lapse(took)} in the last pass` : "";
}

/** What the page showed in its place when the step gave up. */
const shownBy = ({ failed: { received, step } }: Evidence): string =>
  step?.kind === "assertion" && received !== null && bareOf(received) !== ""
    ? `; the page had ${quoted(bareOf(received), 60)} by then`
    : "";

import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, pathOf } from "../words.ts";
import { CHANGING } from "./sent.ts";

const MOST = 20;

/**
 * Whether a write sent for a field what the last answer about the same thing had said for it: nothing of it was changed.
 *
 * @param path where it stands in what was sent: `the field from`, and `now` what it is there
 */
export function hadBefore(
  run: RunEvidence,
  one: Exchange,
  { path, now }: { path: string; now: unknown },
): boolean {
  if (!CHANGING.has(one.method) || !path.startsWith("the field ") || now === undefined || now === "")
    return false;
  const name = path.replace(/^the field (?:.*\.)?/, "");
  const reads = run.facts.exchanges.filter(
    ({ method, url, end, status }) =>
      method === "GET" && status === 200 && end !== null && end <= one.ts && pathOf(url) === pathOf(one.url),
  );
  const said = reads.slice(-MOST).flatMap((read) => {
    const leaf = leavesOf(jsonOf(bodyOf(read, run.bodies) ?? "")).find(
      (known) => known.path === name || known.path.endsWith(`.${name}`),
    );
    return leaf ? [leaf.value] : [];
  });
  return said.length > 0 && said.at(-1) === now;
}

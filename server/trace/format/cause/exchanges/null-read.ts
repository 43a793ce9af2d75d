import { ofSameTurn } from "../run/keys.ts";
import type { Exchange, Line } from "../run/run-facts.ts";
import { answersBefore } from "../run/select.ts";
import type { Evidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../words.ts";

const MOST = 20;
/** A script reads an answer as soon as it has it. */
const READ_WITHIN_MS = 1_000;
/** Recorders note an error this long before the answer that led to it. */
const AT_ONCE_MS = 300;
const NULL_READ =
  /(TypeError: (?:Cannot read properties of null \(reading '(\w+)'\)|null is not an object[^\n]{0,200}?\.(\w+)|(?:\S{1,200} is null)))/;
/** What scripts want of elements of a page that are not there. */
const OF_ELEMENTS =
  /^(?:addEventListener|removeEventListener|appendChild|append|remove|classList|style|value|textContent|inner\w+|outerHTML|dataset|focus|click|submit|checked|querySelector\w*|getAttribute|setAttribute|getContext|getBoundingClientRect|parent\w+|children|disabled|hidden|scroll\w*|content\w+|showModal|close)$/;

export interface NullRead {
  /** The error's own words. */
  said: string;
  one: Exchange;
  path: string;
}

/** The one value that the answers right before an error have nothing for, where a script read something of nothing; null where they are more. */
export function nullReadBy(evidence: Evidence, line: Line): NullRead | null {
  const [, said, name, other] = NULL_READ.exec(line.text) ?? [];
  if (said === undefined || line.level !== "error" || OF_ELEMENTS.test(name ?? other ?? "")) return null;
  const read = answersBefore(evidence, MOST).filter((one) => {
    const lapse = line.ts - (one.end ?? one.ts);
    return lapse >= -AT_ONCE_MS && lapse <= READ_WITHIN_MS;
  });
  const [only, ...others] = read.flatMap((one) =>
    leavesOf(jsonOf(bodyOf(one, evidence.run.bodies) ?? "")).flatMap(({ path, value }) =>
      value === null ? [{ said, one, path }] : [],
    ),
  );
  return only && others.length === 0 ? only : null;
}

/** What a script read something of that every pass has nothing for as well, as a clause: it is the script that takes it otherwise. Empty elsewhere. */
export function nullAsUsual(evidence: Evidence, line: Line): string {
  const { run, passes } = evidence;
  const found = passes.length > 0 ? nullReadBy(evidence, line) : null;
  if (!found) return "";
  const { one, path } = found;
  const isUsual = passes.every((pass) => {
    const same = ofSameTurn(one, run.facts, pass.facts);
    const leaves = same ? leavesOf(jsonOf(bodyOf(same, pass.bodies) ?? "")) : [];
    return leaves.some((leaf) => leaf.path === path && leaf.value === null);
  });
  return isUsual
    ? `; ${requestOf(one, run.facts)} had answered null for ${quoted(path, 80)}, as in the last pass, where nothing was thrown over it`
    : "";
}

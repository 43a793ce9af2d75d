import { isBeside } from "../../alone/beside.ts";
import { othersOf } from "../../exchanges/asked-again.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, told } from "../../page/wanted.ts";
import { exchangeKey } from "../../run/keys.ts";
import { isOneTooMuch } from "../../run/one-too-much.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore, counterpart } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, quoted, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { wasSeen } from "./left-standing.ts";

const MOST_ANSWERS = 40;
/** Of a person in a list of people it says nothing of the one who looks. */
const ROLE = /^(?:(?!\d+\.)[^.]+\.)*(?:roles?(?:\.0)?|access_?level)$/i;

/** What a page offers that it offers in no pass to the same role: of all that came to it only its script is another one. */
export function detectShownToRole(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [found] = run.page && isOneTooMuch(evidence) ? foundIn(evidence, run.page.elements) : [];
  const isKnown = passes.some(({ page }) => page === null || foundIn(evidence, page.elements).length > 0);
  if (!found || passes.length === 0 || isKnown || stoodBefore(evidence)) return [];
  const script = changedScript(evidence);
  const role = script && roleIn(evidence);
  if (!script || !role) return [];
  return [
    {
      kind: "page_changed",
      title: `The page now has ${told(found)}, which it has in no pass, though for the same role: ${requestOf(role.one, run.facts)} answered ${quoted(String(role.leaf.value), 40)} for ${quoted(role.leaf.path, 60)}, as in the last pass; ${script.words}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [role.one.seq, script.seq, run.page!.shot.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.84,
      about: `role ${failed.step?.seq}`,
    },
  ];
}

/** Whether a pass found it before: what was done since was to take it away. */
const stoodBefore = (evidence: Evidence): boolean =>
  evidence.passes.some((pass) => {
    const { step } = evidence.failed;
    const same = step && counterpart(evidence.run.facts, step, pass.facts);
    return same !== null && wasSeen(pass, same, evidence);
  });

const foundIn = (evidence: Evidence, elements: NonNullable<Evidence["run"]["page"]>["elements"]) =>
  foundWithin(targetOf(evidence), elements).filter(({ isHidden }) => !isHidden);

/** The last answer that says the role of the one who looks, where every pass was told the same. */
function roleIn(evidence: Evidence): { one: Exchange; leaf: Leaf } | null {
  const { run, passes } = evidence;
  const isOwn = (one: Exchange) =>
    /^(?:xhr|fetch)$/.test(one.type ?? "") && !isBeside(one) && !isForeign(one.url, run.facts);
  for (const one of answersBefore(evidence, MOST_ANSWERS, isOwn).toReversed()) {
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ path, value }) => typeof value === "string" && value !== "" && ROLE.test(path),
    );
    if (!leaf) continue;
    const key = exchangeKey(one, run.facts);
    const isSame = ({ path, value }: Leaf) => path === leaf.path && value === leaf.value;
    return passes.every((pass) =>
      othersOf(pass, key, one, run).some((other) => leavesOf(other.value).some(isSame)),
    )
      ? { one, leaf }
      : null;
  }
  return null;
}

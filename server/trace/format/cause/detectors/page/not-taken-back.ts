import { isRefusedBy } from "../../alone/requests/refused.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { isSameText, shownBy } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { ofSameTurn } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, isTracker, quoted, quotedStep, requestOf } from "../../words.ts";

/** A page that goes on showing what it showed ahead of an answer, though that refused it as in every pass, which show again what was before. */
export function detectNotTakenBack(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const last = actionBefore(facts, failed);
  const refused = last && passes.length > 0 ? refusedAfter(evidence, last) : undefined;
  if (!last || !refused) return [];
  const told = keptBy(evidence, last, refused) ?? notTakenOver(evidence, last, refused);
  if (told === null) return [];
  return [
    {
      kind: "page_changed",
      title: `${told.words}: ${requestOf(refused, facts)} was refused${refused.status! >= 400 ? ` with ${refused.status}` : ""}, as in the last pass, and the page ${told.failing}, as it does there`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [told.since.seq, refused.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: true,
      weight: 0.9,
      about: `kept ${refused.seq}`,
    },
  ];
}

/** The last write of the page from the last action on that was refused, as the same was in every pass. */
export function refusedAfter({ run, passes, failed }: Evidence, last: Step): Exchange | undefined {
  const { facts } = run;
  const refused = facts.exchanges.findLast(
    (one) =>
      one.ts >= last.ts - 5 && one.ts <= failed.to && isRefusedWrite(one, run) && !isForeign(one.url, facts),
  );
  const isMeant = (pass: RunEvidence) => {
    const same = refused && ofSameTurn(refused, facts, pass.facts);
    return same?.status === refused?.status && same !== undefined && isRefusedBy(same, pass);
  };
  return passes.every(isMeant) ? refused : undefined;
}

const isRefusedWrite = (one: Exchange, run: RunEvidence): boolean =>
  CHANGING.has(one.method) &&
  one.type !== "api" &&
  one.status !== null &&
  isRefusedBy(one, run) &&
  !isTracker(one.url);

/** What a page shows by a refusal, where it does not go on as it does in the passes. */
interface Kept {
  words: string;
  failing: string;
  since: Step;
}

const NOT_ROLLED_BACK = "did not roll back what it had shown ahead of the answer";

/** What an element showed before one of the last actions, and shows no more. */
function keptBy(evidence: Evidence, last: Step, refused: Exchange): Kept | null {
  const { run, failed } = evidence;
  const { page } = run;
  const target = targetOf(evidence);
  const isGone = isMissing(evidence);
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (!page || (!isGone && (want === got || want === ""))) return null;
  const now = foundWithin(target, page.elements);
  const isOfAttribute = /toHaveAttribute/.test(failed.message);
  const list = listIn(want!);
  const isOfPage = /html/.test(refused.mediaType);
  for (const { step, met } of metBefore(evidence, last)) {
    const found = foundWithin(target, met.elements);
    const [was, ...others] = found;
    if (list !== null && areShown(list, found)) return rolledOn(target, step, { want: want!, got: got! });
    // What was typed into a form that came back as a page was not shown ahead of that.
    if (!was || others.length > 0 || (isOfPage && FIELD.test(was.tag))) continue;
    if (isGone)
      return now.length > 0
        ? null
        : {
            words: `${target} is gone since ${quotedStep(step)}, before which it was there`,
            failing: NOT_ROLLED_BACK,
            since: step,
          };
    const isShown = isOfAttribute
      ? now.length === 1 && hasTurned(was, now[0]!, want!, got!)
      : shownBy(was, met.elements).some((text) => isSameText(text, want!));
    if (isShown) return rolledOn(target, step, { want: want!, got: got! });
  }
  return null;
}

const FIELD = /^(?:input|textarea)$/;

const rolledOn = (target: string, since: Step, { want, got }: { want: string; got: string }): Kept => ({
  words: `${target} shows ${quoted(got, 60)} since ${quotedStep(since)}, and ${quoted(want, 60)} before it`,
  failing: NOT_ROLLED_BACK,
  since,
});

/** The texts of a list that an assertion expects; null of anything else, and of a list of patterns. */
function listIn(want: string): string[] | null {
  const list = jsonOf(want);
  return Array.isArray(list) && list.every((text) => typeof text === "string") ? list : null;
}

const areShown = (list: readonly string[], found: readonly SeenElement[]): boolean =>
  list.length === found.length && list.every((text, at) => isSameText(text, found[at]!.text));

/** A value is typed before it is sent: the pages that the last actions met, newest first, the last one's own before all. */
function metBefore({ run }: Evidence, last: Step): { step: Step; met: SeenPage }[] {
  const acts = (run.acts ?? []).filter(({ step }) => step.seq < last.seq && step.end > last.ts - ONE_DEED_MS);
  return [...(run.before ? [{ step: last, met: run.before }] : []), ...acts.toReversed()];
}

/** Actions by which one thing is changed follow upon each other within this. */
const ONE_DEED_MS = 5_000;

/** What the refusing answer says that it is, which the page does not show: somebody else changed it meanwhile. */
function notTakenOver(evidence: Evidence, last: Step, refused: Exchange): Kept | null {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (isMissing(evidence) || !want || want === got) return null;
  const said = leavesOf(jsonOf(bodyOf(refused, run.bodies) ?? "")).find(({ value }) => value === want);
  return said
    ? {
        words: `${targetOf(evidence)} shows ${quoted(got!, 60)} since ${quotedStep(last)}`,
        failing: `did not take over what the answer says of it (${quoted(want, 60)} for ${quoted(said.path, 60)})`,
        since: last,
      }
    : null;
}

/** Whether an element has an attribute with the one value where it had the other: assertions do not say which. */
const hasTurned = (was: SeenElement, now: SeenElement, from: string, to: string): boolean =>
  Object.entries(was.attributes).some(([name, value]) => value === from && now.attributes[name] === to);

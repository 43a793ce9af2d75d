import { isWrite } from "../../exchanges/sent.ts";
import { knownActs } from "../../page/acts.ts";
import { isSameText } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { exchangeKey } from "../../run/keys.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { quoted, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { takenWell } from "../session/taken-well.ts";
import { isAskedBy } from "./idle.ts";

/**
 * What the test wants to be gone, and what every pass takes away by the last action, stands there as before it: of all that was
 * sent and answered since only the script that draws it is another one.
 */
export function detectLeftStanding(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const act = action && knownActs(evidence).find(({ step }) => step.seq === action.seq);
  const script = act && passes.length > 0 && isUnwanted(evidence) ? changedScript(evidence) : null;
  if (!act || !script || !run.page) return [];
  const [was, now] = [act.met, run.page].map((page) => shownOn(page, evidence)) as [
    string | null,
    string | null,
  ];
  if (was === null || now === null || !isSameText(was, now)) return [];
  const usual = passes.flatMap((pass) => changeIn(evidence, act.step, now, pass) ?? []);
  const [last] = usual;
  if (!last || usual.length < passes.length) return [];
  const mine = askedSince(run, act.step, failed.to);
  // What was never sent, or was refused, tells more.
  if ([...last.asked].some((key) => !mine.has(key) && usual.every(({ asked }) => asked.has(key)))) return [];
  const write = takenWell(evidence);
  if (!write && hasWritten(run, act.step, failed.to)) return [];
  return [
    {
      kind: "page_changed",
      title: `${targetOf(evidence)} still has ${quoted(now, 80)}, as before ${quotedStep(act.step)}, where the last pass has ${last.now === null ? "it no longer" : `${quoted(last.now, 80)} by then`}${write ? `, though ${requestOf(write, run.facts)} was answered with ${write.status}, as there` : ""}; ${script.words}`,
      detail: null,
      step_id: act.step.step_id,
      events: [act.step.seq, ...(write ? [write.seq] : []), run.page.shot.seq, script.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.88,
      about: `standing ${act.step.seq}`,
    },
  ];
}

/** Whether the test wants something to be gone. */
function isUnwanted({ failed: { step, title, message, expected } }: Evidence): boolean {
  const said = `${step?.name ?? ""} ${title} ${message}`;
  return GONE.test(said) || (/\btoHaveCount\b/.test(said) && expected === "0");
}

const GONE = /\bnot[ .]to(?:ContainText|HaveText|BeVisible|BeAttached)\b|\btoBeHidden\b/;

/** What the element says that the test looks at; null where none is there. */
function shownOn({ elements }: SeenPage, evidence: Evidence): string | null {
  const target = targetOf(evidence);
  const within = /hasText: '([^']{1,200})'/.exec(target)?.[1] ?? "";
  const found = foundWithin(target, elements).find(
    ({ isHidden, text }) => !isHidden && text.includes(within),
  );
  return found ? found.text || found.name : null;
}

/** What a pass has in its place by then; null where it has the same, or is not known to have had it before. */
function changeIn(evidence: Evidence, step: Step, mine: string, pass: RunEvidence): Change | null {
  const { run, failed } = evidence;
  const same = counterpart(run.facts, step, pass.facts);
  const by = momentIn(pass.facts, run.facts, failed);
  if (!same || same.isFailed || by === null || !pass.page) return null;
  const now = shownOn(pass.page, evidence);
  const isChanged =
    now === null ? wasSeen(pass, same, evidence) : !isSameText(plainOf(now, pass), plainOf(mine, run));
  return isChanged ? { now, asked: askedSince(pass, same, by) } : null;
}

interface Change {
  /** Null where it is gone. */
  now: string | null;
  /** What the pass asked for since the action, as it is called across runs. */
  asked: Set<string>;
}

const plainOf = (text: string, { facts }: RunEvidence): string => facts.normaliser.text(text);

/** Whether a pass found it before one of its steps. */
export function wasSeen({ facts }: RunEvidence, { seq }: Step, evidence: Evidence): boolean {
  const target = targetOf(evidence);
  return facts.steps.some(
    (step) => step.seq < seq && !step.isFailed && step.title.includes(target) && !OF_NONE.test(step.title),
  );
}

/** What goes well where nothing is there as well. */
const OF_NONE = /\bnot to[A-Z]|\btoBeHidden\b|\btoHaveCount\b/;

const askedSince = (run: RunEvidence, action: Step, by: number): Set<string> =>
  new Set(
    run.facts.exchanges.flatMap((one) =>
      one.ts >= action.ts && one.ts <= by && isAskedBy(action, one, run.facts)
        ? [exchangeKey(one, run.facts)]
        : [],
    ),
  );

const hasWritten = (run: RunEvidence, action: Step, by: number): boolean =>
  run.facts.exchanges.some(
    (one) => one.ts >= action.ts && one.ts <= by && isAskedBy(action, one, run.facts) && isWrite(one, run),
  );

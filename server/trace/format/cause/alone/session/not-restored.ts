import { OPENS } from "../../page/filled.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { GESTURES } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { addressOf, isForeign, isTracker, pathOf, quotedStep, requestOf, SIGN_IN } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { asksToSignIn } from "./sign-in.ts";

/** A page that was signed in, was opened anew and stands at its sign-in, though nothing was refused: its scripts did not read back what they had kept. */
export function detectNotRestored({ run, failed }: Evidence): Finding[] {
  const { facts, page } = run;
  // A product may have things that are called sessions.
  const isDoor = page?.elements.some(
    ({ attributes: { type }, isHidden }) => !isHidden && type === "password",
  );
  if (!page || !isDoor || !SIGN_IN.test(pathOf(page.shot.url))) return [];
  const opened = facts.steps.findLast(
    (step) =>
      OPENS.test(step.name) && !step.isFailed && step.end <= failed.from && step.page === page.shot.page,
  );
  const served = opened && servedBy(opened, facts.exchanges);
  // What is pressed since may have led there.
  const isLed = facts.steps.some(
    ({ name, ts }) => GESTURES.test(name) && ts >= (opened?.ts ?? 0) && ts < failed.from,
  );
  if (!opened || !served || SIGN_IN.test(pathOf(served.url)) || isLed) return [];
  const signIn = facts.exchanges.findLast(
    (one) => one.ts < opened.ts && isSignIn(one, run) && !isForeign(one.url, facts),
  );
  const isRefused = facts.exchanges.some(
    (one) =>
      one.ts >= opened.ts &&
      one.ts <= failed.to &&
      !isTracker(one.url) &&
      (one.status === 401 || one.status === 403),
  );
  const wasIn = facts.pages.some(
    ({ ts, url }) => signIn !== undefined && ts > signIn.ts && ts <= opened.ts && !SIGN_IN.test(pathOf(url)),
  );
  const isOut = facts.steps.some(
    ({ ts, title }) => ts > (signIn?.ts ?? 0) && ts < opened.ts && LEAVES.test(title),
  );
  if (!signIn || isRefused || !wasIn || isOut) return [];
  return [
    {
      kind: "redirected",
      title: `After ${quotedStep(opened)} the page went to its sign-in (${addressOf(page.shot.url, facts)}), though ${requestOf(signIn, facts)} had signed in before and no answer refused anything since: the page did not read its session back as it started`,
      detail: null,
      step_id: opened.step_id,
      events: [opened.seq, signIn.seq, page.shot.seq],
      ts: page.shot.ts,
      is_new: null,
      weight: 0.9,
      about: "session not restored",
    },
  ];
}

const LEAVES = /\b(?:sign|log)[ -]?(?:out|off)\b|clearCookies|localStorage|sessionStorage/i;

/** What the page was served with as it was opened, where that is the address itself and no other that it was sent to. */
const servedBy = ({ ts, end, page }: Step, exchanges: readonly Exchange[]): Exchange | undefined =>
  exchanges.findLast(
    (one) =>
      one.type === "document" && one.status === 200 && one.page === page && one.ts >= ts && one.ts <= end,
  );

const isSignIn = (one: Exchange, run: RunEvidence): boolean =>
  asksToSignIn(one, run) &&
  /^(?:xhr|fetch)$/.test(one.type ?? "") &&
  one.status !== null &&
  one.status < 300 &&
  !isBeside(one);

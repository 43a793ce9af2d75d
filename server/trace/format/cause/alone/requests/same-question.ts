import { askedFor, askedIn, isAskedAlike, isRead } from "../../exchanges/sent.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isTracker, quoted, requestOf, withoutQuery } from "../../words.ts";
import { askedTheSame } from "./asked-the-same.ts";

const MOST = 60;
/** What a person presses to see another part of a list or of the calendar. */
export const MOVES_ON =
  /\b(?:next|previous|prev|later|earlier|forward|older|newer|nächste|vorherige|suivant|précédent|siguiente|anterior)\b/i;
/** By what a page asks for such a part. */
const PART =
  /^(?:from|to|start|end|since|until|date|day|week|month|year|offset|skip|page|cursor|after|before)/i;

/** The test went on to another part of what the page lists, and the page asked for the same one again. */
export function detectSameQuestion(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed, /(?:^|\.)(?:click|tap|press)$/i);
  if (!action || !MOVES_ON.test(action.title)) return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && /^(?:xhr|fetch)$/.test(one.type ?? "") && !isTracker(one.url),
  );
  for (const one of reads.filter(({ ts }) => ts >= action.ts)) {
    const part = askedFor(one, run).find(([name]) => PART.test(name));
    const alike = reads.filter((other) => isAskedAlike(other, one));
    const before = alike.findLast(({ ts }) => ts < action.ts);
    const isMoved = alike.some(
      (other) =>
        other.ts >= action.ts && before !== undefined && askedIn(other, run) !== askedIn(before, run),
    );
    if (!part || !before || isMoved) continue;
    const request = requestOf({ ...one, url: withoutQuery(one.url) }, run.facts);
    const words = `${request} for the same part again (${quoted(part.join("="), 60)}), and for no other`;
    return [askedTheSame(action, one, words)];
  }
  return [];
}

import { isBefore, isNew } from "../../compare.ts";
import { isConsole, lineKey } from "../../run/keys.ts";
import type { Line } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isTracker, quoted } from "../../words.ts";
import { aboutLine } from "./console.ts";

/** As Chromium and Firefox say it, and as WebKit does: the origin that a message was for, and that of the window it went to. */
const DROPPED = [
  /Failed to execute ['‘]postMessage['’] on ['‘]\w+['’]: The target origin provided \(['‘]([^'’]{1,300})['’]\) does not match the recipient window['’]s origin \(['‘]([^'’]{1,300})['’]\)/,
  /Unable to post message to (\S{1,300}?)\. Recipient has origin (\S{1,300}?)\.?$/,
];

/** How much it explains that a message was dropped; without a pass, and there where it was sent since the last action. */
const WEIGHTS = {
  /** Nothing in the run is at the origin that it was for. */
  nowhere: { compared: 0.84, alone: 0.45, since: 0.93 },
  /** Most often it was sent before that window's page had come: players and widgets of others do so on every page. */
  early: { compared: 0.66, alone: 0.3, since: 0.3 },
};

/** Messages between windows and frames that the browser dropped, since they were for another origin. */
export function detectDroppedMessages(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts } = run;
  const dropped = facts.lines.flatMap((line) => {
    const [, to, at] = (isConsole(line) && isBefore(evidence, line.ts) && droppedIn(line)) || [];
    return to === undefined || at === undefined ? [] : [{ line, to, at }];
  });
  if (dropped.length === 0) return [];
  const known = new Set(facts.exchanges.flatMap(({ url }) => URL.parse(url)?.origin ?? []));
  const acted = actionBefore(facts, failed);
  return dropped.slice(-MOST).map(({ line, to, at }) => {
    const key = lineKey(line, facts);
    const { compared, alone, since } = known.has(URL.parse(to)?.origin ?? "")
      ? WEIGHTS.early
      : WEIGHTS.nowhere;
    return {
      kind: "browser_policy",
      title: `The browser dropped a message between frames (postMessage): it was for the origin ${quoted(to, 80)}, and the window that it went to is at ${quoted(at, 80)}`,
      detail: line.text,
      step_id: line.step_id,
      events: [line.seq],
      ts: line.ts,
      is_new: isNew(evidence, (pass) => pass.facts.hasLine(key)),
      weight: passes.length > 0 ? compared : acted !== null && line.ts >= acted.ts ? since : alone,
      about: aboutLine(line, facts),
      isOwn: !isTracker(to) && !isTracker(at),
    };
  });
}

const MOST = 50;

const droppedIn = ({ text }: Line): RegExpExecArray | null =>
  DROPPED[text.startsWith("Unable") ? 1 : 0]!.exec(text);

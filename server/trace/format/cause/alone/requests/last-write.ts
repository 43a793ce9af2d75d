import { givenIn, isStoring, SECRET } from "../../exchanges/sent.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { isForeign, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isReport } from "./reports.ts";

/** The last thing that a page stored before the step failed. */
export interface LastWrite {
  write: Exchange;
  /** The action of the test that it followed. */
  action: Step;
  /** What it was sent with. */
  leaves: readonly Leaf[];
}

const MOST = 5;

/** What the page itself last sent to be stored; null where it sent nothing. */
export function lastWrite(evidence: Evidence): LastWrite | null {
  const { run } = evidence;
  const { facts } = run;
  const [write] = answersBefore(
    evidence,
    MOST,
    (one) =>
      isStoring(one, run) &&
      one.type !== "api" &&
      !isBeside(one) &&
      !isReport(run, one) &&
      !isForeign(one.url, facts),
  ).toReversed();
  const action = write && facts.steps.findLast(({ kind, ts }) => kind === "agent.action" && ts <= write.ts);
  return write && action ? { write, action, leaves: leavesOf(givenIn(write, run)) } : null;
}

/** The one part of a write that goes by the label of the field that a step gave something to; null where none or several do. */
export function leafOfField({ leaves }: LastWrite, { params }: Step): { label: string; leaf: Leaf } | null {
  const label = typeof params.selector === "string" ? wantedBy(lastPartOf(params.selector)).name : null;
  if (label === null) return null;
  const [leaf, ...others] = leaves.filter(
    ({ path }) => !SECRET.test(path) && bareName(path) === bareName(label),
  );
  return leaf && others.length === 0 ? { label, leaf } : null;
}

/** `task.unitCents`, “Unit”. */
export const bareName = (path: string): string =>
  path
    .split(".")
    .at(-1)!
    .replace(/_?cents$/i, "")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();

/** That a write was sent with something else than a step had given the page. */
export const sentAnew = (
  { write }: LastWrite,
  { facts }: Evidence["run"],
  step: Step,
  how: string,
): Pick<Finding, "kind" | "title" | "detail" | "step_id" | "events" | "ts" | "is_new" | "about"> => ({
  kind: "page_changed",
  title: `${requestOf(write, facts)} was sent with ${how}`,
  detail: null,
  step_id: step.step_id,
  events: [step.seq, write.requestSeq ?? write.seq],
  ts: write.ts,
  is_new: null,
  about: `body ${write.seq}`,
});

import { cut, headline } from "../error-text.ts";
import { alignTwice } from "./align.ts";
import type { AlignedSteps, Comparison } from "./comparison.ts";
import type { StepFact, TraceFacts } from "./facts.ts";
import type { Normaliser } from "./normalise.ts";
import type { Change, Difference, DiffSide, PlacedItem } from "./types.ts";
import { differenceAt, differencesOf, type Normalisers } from "./values.ts";

const OUTCOME_RANK = 9;
const MAX_SHOWN = 500;
/** Told by other differences, or the same for all steps of a run. */
const PARAMS_LEFT_OUT = new Set(["selector", "url", "timeout", "strict", "waitUntil", "omitReturnValue"]);

/** Aligns the steps by what they do to what; those between two aligned ones by what they do. */
export function alignSteps(a: TraceFacts, b: TraceFacts): AlignedSteps {
  const rows = alignTwice(keysOf(a), keysOf(b));
  const [rowsA, rowsB]: [number[], number[]] = [[], []];
  for (const [row, [left, right]] of rows.entries()) {
    if (left !== null) rowsA[left] = row;
    if (right !== null) rowsB[right] = row;
  }
  return { rows, rowsA, rowsB };
}

function keysOf({ steps, normaliser }: TraceFacts): { strong: string[]; weak: string[] } {
  const strong: string[] = [];
  const weak: string[] = [];
  for (const { kind, name, target } of steps) {
    // A step of the test, whose name is its own, is no other step of the same kind.
    const general = name === "" || name === target ? kind : `${kind} ${name}`;
    weak.push(general);
    strong.push(`${general} ${normalTarget(target, normaliser)}`);
  }
  return { strong, weak };
}

/** Versions of a recorder write one locator in two ways: `locator('#count')`, or `#count`. */
function normalTarget(raw: string, normaliser: Normaliser): string {
  const target = raw.replace(/\blocator\('((?:[^'\\]|\\.)*)'\)/g, "$1");
  return /^(?:https?:\/\/|\/)\S*$/.test(target) ? normaliser.url(target) : normaliser.text(target);
}

/** An item per row. What only one runner did to set up or clean up is left out as long as it went well. */
export function compareSteps({ a, b, aligned, by }: Comparison): PlacedItem[] {
  const items: PlacedItem[] = [];
  for (const [row, [left, right]] of aligned.rows.entries()) {
    const one = left === null ? null : a.steps[left]!;
    const other = right === null ? null : b.steps[right]!;
    const alone = one && other ? null : (one ?? other);
    if (alone?.isMachinery && !alone.isFailed) continue;
    const differences = one && other ? differencesBetween(one, other, by) : [];
    const isOutcome = differences.length > 0 && differences.every(({ path }) => OUTCOMES.test(path));
    const shown = (one ?? other)!;
    items.push({
      key: cut((one ? a : b).normaliser.text(shown.title), MAX_SHOWN),
      change: changeOf(one, other, differences),
      ...(one && { a: sideOf(one) }),
      ...(other && { b: sideOf(other) }),
      ...detailOf(one, other, differences),
      place: { row, rank: isOutcome ? OUTCOME_RANK : 0, offset: 0 },
    });
  }
  return items;
}

const OUTCOMES = /^\/(?:status|error|received)$/;

export function changeOf(one: unknown, other: unknown, differences: Difference[]): Change {
  if (!one) return "added";
  if (!other) return "removed";
  return differences.length > 0 ? "changed" : "same";
}

function differencesBetween(one: StepFact, other: StepFact, by: Normalisers): Difference[] {
  const found = differenceAt("/status", statusOf(one), statusOf(other));
  // How a runner sets a browser up is its own affair, and another one with each version.
  if (one.isMachinery && other.isMachinery && !one.isFailed && !other.isFailed) return found;
  const isSame = (name: "error" | "expected" | "received") =>
    by.a.text(unquoted(one[name] ?? "")) === by.b.text(unquoted(other[name] ?? ""));
  if (normalTarget(one.target, by.a) !== normalTarget(other.target, by.b))
    found.push(
      ...(one.title === other.title
        ? differenceAt("/target", one.target, other.target)
        : differenceAt("/title", one.title, other.title)),
    );
  if (one.isFailed && other.isFailed && !isSame("error"))
    found.push(...differenceAt("/error", headline(one.error ?? ""), headline(other.error ?? "")));
  if (one.expected !== null && other.expected !== null && !isSame("expected"))
    found.push(...differenceAt("/expected", one.expected, other.expected));
  if (one.received !== null && other.received !== null && !isSame("received"))
    found.push(...differenceAt("/received", one.received, other.received));
  found.push(...differencesOf("/params", paramsOf(one), paramsOf(other), by));
  return found;
}

function paramsOf({ params }: StepFact): unknown {
  if (typeof params !== "object" || params === null) return params;
  return Object.fromEntries(Object.entries(params).filter(([name]) => !PARAMS_LEFT_OUT.has(name)));
}

/** Matchers quote a text when they fail, and not when they pass. */
const unquoted = (text: string) => text.replace(/^"([\s\S]*)"$/, "$1");

const statusOf = ({ isFailed }: StepFact) => (isFailed ? "failed" : "passed");

function detailOf(one: StepFact | null, other: StepFact | null, differences: Difference[]) {
  if (differences.length === 0) return {};
  return { detail: { differences, ...turned(one?.isFailed, other?.isFailed) } };
}

/** Which way it turned, when it went well on one side only. */
export function turned(one?: boolean, other?: boolean): { now?: "failing" | "passing" } {
  if (one === undefined || other === undefined || one === other) return {};
  return { now: other ? "failing" : "passing" };
}

function sideOf(step: StepFact): DiffSide {
  const { seq, ts, step_id, kind, title, duration_ms, parent_step_id, error, expected, received } = step;
  return {
    seq,
    ts,
    step_id,
    kind,
    title: cut(title, MAX_SHOWN),
    status: statusOf(step),
    duration_ms,
    parent_step_id,
    ...(error !== null && { error: headline(error, MAX_SHOWN) }),
    ...(expected !== null && { expected: cut(expected, MAX_SHOWN) }),
    ...(received !== null && { received: cut(received, MAX_SHOWN) }),
  };
}

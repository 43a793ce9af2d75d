import { cut, oneLine } from "../error-text.ts";
import { AFTERWARDS_MS } from "./compare.ts";
import { clausesOf, type Sameness, samenessOf } from "./one-suspect.ts";
import {
  CAUSE_KINDS,
  type Cause,
  type CauseKind,
  type Failed,
  type Finding,
  MAX_ALSO,
  MAX_HEADLINE,
  MAX_SUSPECTS,
  type Suspect,
} from "./types.ts";
import { titleWithin } from "./words.ts";

const MAX_TITLE = 400;
const MAX_DETAIL = 1_500;
const MAX_EVENTS = 20;

/**
 * Orders findings by how well they explain the failure: what a thing of that kind explains by itself, times how near it
 * came before the step gave up, whether passes lack it, and whether it is of the site under test. What passes have as
 * well explains nothing and is only counted. Independent of the order of the findings.
 */
export function rankFindings(
  findings: readonly Finding[],
  failed: Failed,
): Pick<Cause, "suspects" | "also_when_passing"> {
  const sorted = findings.map((finding) => ({ finding, score: scoreOf(finding, failed) })).sort(byScore);
  const suspects = joined(sorted.filter(({ finding }) => finding.is_new !== false))
    .slice(0, MAX_SUSPECTS)
    .map(({ finding, score }, at) => toSuspect(finding, score, at + 1));
  return { suspects, also_when_passing: alsoOf(findings.filter(({ is_new }) => is_new === false)) };
}

interface Scored {
  finding: Finding;
  score: number;
}

function scoreOf(finding: Finding, failed: Failed): number {
  const { weight, is_new, isOwn, ts } = finding;
  const novelty = is_new === null ? (UNCOMPARED[finding.kind] ?? 0.9) : 1;
  const score = weight * novelty * nearness(ts, failed) * (isOwn === false ? 0.6 : 1);
  return Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : 0;
}

/** Without a pass anything may be noise that is always there; what the failed step's own log says is not. */
const UNCOMPARED: Partial<Record<CauseKind, number>> = {
  console_error: 0.6,
  crash: 1,
  element_covered: 1,
  element_hidden: 1,
  element_unstable: 1,
  element_disabled: 1,
  element_detached: 1,
  element_outside: 1,
  element_ambiguous: 1,
  element_renamed: 1,
  time: 1,
  test_code: 1,
  injected_fault: 1,
};

/** What happens while the step waits, or right before it, explains it best; what comes when it has given up, nothing. */
function nearness(ts: number | null, { from, to }: Failed): number {
  if (ts === null) return 0.95;
  if (ts > to + AFTERWARDS_MS) return 0.2;
  return NEAR.find(([within]) => from - ts <= within)?.[1] ?? 0.78;
}

/** Ms before the failed step began. */
const NEAR: [number, number][] = [
  [0, 1],
  [300, 0.995],
  [1_000, 0.98],
  [3_000, 0.95],
  [8_000, 0.9],
  [20_000, 0.84],
];

function byScore(a: Scored, b: Scored): number {
  return (
    b.score - a.score ||
    ORDER.get(a.finding.kind)! - ORDER.get(b.finding.kind)! ||
    (a.finding.ts ?? 0) - (b.finding.ts ?? 0) ||
    compareText(a.finding.title, b.finding.title) ||
    compareText(JSON.stringify(a.finding), JSON.stringify(b.finding))
  );
}

const ORDER = new Map<CauseKind, number>(CAUSE_KINDS.map((kind, at) => [kind, at]));
const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What another finding about the same thing adds; the browser's own line for a bad answer only says it again. */
function detailOf(other: Finding, first: Finding): string | null {
  if ((other.title === first.title && other.kind === first.kind) || first.title.includes(toldAs(other)))
    return other.detail;
  return /Failed to load resource/.test(other.title) ? null : other.title;
}

/** How a finding stands in the title of one that tells it: see `because`. */
const toldAs = ({ title }: Finding): string => `; ${titleWithin(title)}`;

/** Whether a title may tell another one's: most do not, and a run has thousands of findings. */
const isTelling = ({ title }: Finding): boolean => title.includes("; ");

/** Findings that are one suspect, the best one first. */
interface Joined extends Scored {
  /** Requests that others say the same of. */
  alike: string[];
}

/** Findings about one thing are one suspect, and so is what another one tells with it: the best one, with the events of all. */
function joined(sorted: Scored[]): Scored[] {
  const byThing = new Map<string, Joined>();
  const out: Joined[] = [];
  const telling: Joined[] = [];
  const said = new Set<string>();
  for (const { finding, score } of sorted) {
    const { about, title, kind } = finding;
    const [clause = "", ...more] = clausesOf(title);
    const unsaid = more.filter((one) => !said.has(titleWithin(one)));
    const thing = about ?? `${kind} ${title}`;
    const same = samenessOf(finding, clause);
    const told = toldAs(finding);
    const first = byThing.get(thing) ?? telling.find((one) => one.finding.title.includes(told));
    // What tells something besides stays a suspect of its own.
    const akin = same && (same.isOvertaken || unsaid.length === 0) ? byThing.get(same.key) : undefined;
    if (first) join(first, finding);
    else if (akin) joinAkin(akin, finding, same!);
    if (first || akin) continue;
    const kept = {
      finding: { ...finding, title: [clause, ...unsaid].join("; "), events: [...finding.events] },
      score,
      alike: [],
    };
    for (const one of [clause, ...unsaid]) said.add(titleWithin(one));
    byThing.set(thing, kept);
    if (same && !same.isEcho) byThing.set(same.key, kept);
    out.push(kept);
    if (isTelling(kept.finding)) telling.push(kept);
  }
  return out.map(withAlike);
}

function join({ finding }: Joined, other: Finding): void {
  finding.events.push(...other.events);
  finding.detail ??= detailOf(other, finding);
}

function joinAkin({ finding, alike }: Joined, other: Finding, { request, adds }: Sameness): void {
  finding.events.push(...other.events);
  if (request !== undefined) alike.push(request);
  else finding.detail ??= adds ?? null;
}

/** Requests that are told beside the first. */
const MOST_ALIKE = 4;

function withAlike({ finding, score, alike }: Joined): Scored {
  const others = [...new Set(alike)];
  if (others.length === 0) return { finding, score };
  const more = others.length - MOST_ALIKE;
  const names = `${others.slice(0, MOST_ALIKE).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const detail = [finding.detail, `The same with ${names}.`].filter((line) => line !== null).join("\n");
  return { finding: { ...finding, detail }, score };
}

function toSuspect(
  { kind, title, detail, step_id, events, is_new }: Finding,
  score: number,
  rank: number,
): Suspect {
  return {
    rank,
    kind,
    title: toldTitle(title),
    detail: toldDetail(detail),
    confidence: Math.round(score * 100) / 100,
    step_id,
    events: [...new Set(events)].slice(0, MAX_EVENTS),
    is_new,
  };
}

/** A finding's title as suspects tell it. */
export const toldTitle = (title: string): string => fitting(oneLine(title), MAX_TITLE);

/** What is too long leaves by clauses from its end; of the last one that stays at least half is told: less of it says nothing. */
function fitting(title: string, most: number): string {
  if (title.length <= most) return title;
  const clauses = clausesOf(title);
  let told = title;
  while (clauses.length > 1) {
    const whole = clauses.at(-1)!.length;
    if (told.length - most <= whole / 2) break;
    told = told.slice(0, told.length - whole - "; ".length);
    clauses.pop();
    if (told.length <= most) return told;
  }
  return cut(told, most);
}

/** A finding's detail as suspects tell it; null where it says nothing. */
export const toldDetail = (detail: string | null): string | null =>
  detail === null || detail.trim() === "" ? null : cut(detail.trim(), MAX_DETAIL);

function alsoOf(findings: Finding[]): Cause["also_when_passing"] {
  const counts = new Map<string, number>();
  for (const { title } of findings) {
    const line = toldTitle(title);
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts]
    .map(([title, count]) => ({ title, count }))
    .sort((a, b) => b.count - a.count || compareText(a.title, b.title))
    .slice(0, MAX_ALSO);
}

/** Below it a sentence is a guess, and says so. */
const UNSURE = 0.45;

/** The first suspect in one sentence of at most `MAX_HEADLINE` characters; else what the failure says of itself. */
export function headlineOf(suspects: readonly Suspect[], failed: Pick<Failed, "title" | "message">): string {
  const [first] = suspects;
  const said = oneLine(first?.title ?? "");
  const words =
    (first && said !== "" && first.confidence < UNSURE && first.kind !== "assertion"
      ? `Perhaps: ${said}`
      : said) ||
    oneLine(failed.message.split("\n")[0] ?? "") ||
    oneLine(failed.title);
  return fitting(words || "The run failed, and nothing that was recorded says why", MAX_HEADLINE);
}

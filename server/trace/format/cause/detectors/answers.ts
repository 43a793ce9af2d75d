import { oneLine } from "../../error-text.ts";
import { isTooDeep } from "../../event.ts";
import { isBefore } from "../compare.ts";
import { leavesOf } from "../json-leaves.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange, RunFacts } from "../run-facts.ts";
import { operationOf, sentOtherwise } from "../sent.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, bodyOf, headerOf, isTracker, quoted, requestOf, saidIn } from "../words.ts";
import { isFailedExchange } from "./requests.ts";
import { isTimeMoved } from "./time.ts";

const MOST = 60;

/** Answers that say something else than in the passes, most of all where the page shows it. */
export function detectAnswers(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const candidates = run.facts.exchanges.filter(
    (one) =>
      one.status !== null &&
      !isFailedExchange(one) &&
      isBefore(evidence, one.end ?? one.ts) &&
      one.ts <= failed.to,
  );
  return candidates
    .slice(-MOST * 5)
    .flatMap((one) => findingsOf(evidence, one))
    .slice(-MOST);
}

function findingsOf(evidence: Evidence, one: Exchange): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const key = exchangeKey(one, facts);
  const text = bodyOf(one, run.bodies);
  const shared = {
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    about: aboutUrl(one.url, facts),
    isOwn: !isTracker(one.url),
    detail: null,
  };
  const wrongType = scriptAsHtml(one);
  const others = evidence.passes.map((pass) =>
    othersOf(pass, key, one, { facts, operation: operationOf(one, run) }),
  );
  const hasOthers = others.some((list) => list.length > 0);
  if (wrongType && !others.flat().some(({ exchange }) => scriptAsHtml(exchange)))
    return [
      {
        ...shared,
        kind: "script_failed",
        title: `The script ${requestOf(one, facts)} was answered with a page instead of a script`,
        is_new: hasOthers ? true : null,
        // The browser's own words for it come second.
        weight: 0.97,
      },
    ];
  if (text === undefined) return [];
  const name = operationOf(one, run);
  const operation = name === null ? "" : ` (${name})`;
  const value = jsonOf(text);
  const trouble = value && errorWithin(value.value);
  if (trouble && !others.flat().some(({ value: other }) => other && errorWithin(other.value)))
    return [
      {
        ...shared,
        kind: "request_failed",
        title: `${requestOf(one, facts)}${operation}${sentOtherwise(evidence, one)} was answered with ${one.status}, but says ${quoted(trouble)}`,
        is_new: evidence.passes.length === 0 ? null : true,
        weight: 0.9,
      },
    ];
  if (!value || !hasOthers) return [];
  const before = closest(
    others.flat().flatMap(({ value: other }) => (other ? [other.value] : [])),
    value.value,
    facts,
  );
  const differences =
    before && before.differences.length > 0
      ? before.differences
      : steadyDifferences(
          value.value,
          others.flatMap((list) => list.flatMap(({ value: other }) => (other ? [other.value] : []))),
        );
  if (differences.length === 0) return [];
  const shown = differences
    .filter((one) => rankOf(evidence, one) >= 1)
    .toSorted((a, b) => rankOf(evidence, b) - rankOf(evidence, a));
  const told = (shown.length > 0 ? shown : differences)[0]!;
  const stale = staleness(one);
  return [
    {
      ...shared,
      kind: stale === null ? "answer_changed" : "stale_answer",
      title: `${requestOf(one, facts)}${operation}${sentOtherwise(evidence, one)} answered ${tell(told)}${stale === null ? "" : `, ${stale}`}${reasonIn(differences, told)}`,
      detail: differences
        .slice(0, 8)
        .map((one) => `${one.path}: ${short(one.before)} → ${short(one.now)}`)
        .join("\n"),
      is_new: true,
      weight:
        shown.length > 0
          ? 0.86 + (rankOf(evidence, told) > 1 ? 0.06 : 0)
          : differences.some(isEmptied)
            ? 0.8
            : differences.some((one) => rankOf(evidence, one) > 0)
              ? 0.66
              : 0.5,
    },
  ];
}

/** Times and numbers that vary are left out of a comparison; what all passes say alike does not vary. */
function steadyDifferences(now: unknown, passes: unknown[]): Difference[] {
  if (passes.length < 2) return [];
  const theirs = passes.map((value) => new Map(leavesOf(value).map((leaf) => [leaf.path, leaf.value])));
  return leavesOf(now)
    .flatMap(({ path, value }) => {
      const before = theirs[0]!.get(path);
      const isSteady = before !== undefined && theirs.every((values) => values.get(path) === before);
      return isSteady && before !== value
        ? [{ path: `/${path.replaceAll(".", "/")}`, before, now: value }]
        : [];
    })
    .slice(0, MOST_DIFFERENCES);
}

const REASON = /(?:^|\/)(?:reason|message|error|warning|notice|note|detail|hint)$/i;

/** What the answer itself says of why it is another one. */
function reasonIn(differences: Difference[], told: Difference): string {
  const reason = differences.find(
    (one) =>
      one !== told && REASON.test(one.path) && typeof one.now === "string" && one.now.trim().length > 3,
  );
  return reason === undefined ? "" : `; it says ${quoted(String(reason.now), 100)}`;
}

const ORDER = "another order";

/** The same things in another order. */
function isReordered(before: unknown[], now: unknown[]): boolean {
  const [one, other] = [before.map((item) => JSON.stringify(item)), now.map((item) => JSON.stringify(item))];
  return one.some((item, at) => item !== other[at]) && one.toSorted().join() === other.toSorted().join();
}

/** A field that went by another name with the same value. */
function renamedIn(
  before: Record<string, unknown>,
  now: Record<string, unknown>,
): { from: string; to: string } | null {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(now, name));
  const fresh = Object.keys(now).filter((name) => !Object.hasOwn(before, name));
  if (gone.length !== 1 || fresh.length !== 1) return null;
  const [from, to] = [gone[0]!, fresh[0]!];
  return typeof before[from] === typeof now[to] ? { from, to } : null;
}

interface Difference {
  renamedTo?: string;
  path: string;
  before: unknown;
  now: unknown;
}

function othersOf(
  pass: RunEvidence,
  key: string,
  one: Exchange,
  { facts, operation }: { facts: RunFacts; operation: string | null },
) {
  const same = exchangesOf(pass.facts, key).filter(
    (other) => other.status !== null && operationOf(other, pass) === operation,
  );
  const exact = same.filter((other) => queryOf(other.url) === queryOf(one.url));
  return (exact.length > 0 ? exact : same).map((exchange) => {
    const text = bodyOf(exchange, pass.bodies);
    return { exchange, value: text === undefined ? null : jsonOf(text), facts };
  });
}

const queryOf = (url: string) => URL.parse(url)?.search ?? "";

/** The answer of the passes that differs least. */
function closest(values: unknown[], now: unknown, facts: RunFacts): { differences: Difference[] } | null {
  let best: { differences: Difference[] } | null = null;
  const mine = facts.normaliser.json(now);
  for (const value of values.slice(-30)) {
    const differences: Difference[] = [];
    compare("", facts.normaliser.json(value), mine, differences, 0);
    if (best === null || differences.length < best.differences.length) best = { differences };
    if (differences.length === 0) break;
  }
  return best;
}

const MOST_DIFFERENCES = 40;
const MAX_DEPTH = 20;

function compare(path: string, before: unknown, now: unknown, into: Difference[], depth: number): void {
  if (into.length >= MOST_DIFFERENCES || depth > MAX_DEPTH || Object.is(before, now)) return;
  if (Array.isArray(before) && Array.isArray(now)) {
    if (before.length === now.length && before.length > 1 && isReordered(before, now)) {
      into.push({ path: path || "/", before: "its former order", now: ORDER });
      return;
    }
    if (before.length !== now.length)
      into.push({ path: path || "/", before: counted(before), now: counted(now) });
    for (let at = 0; at < Math.min(before.length, now.length, 50); at++)
      compare(`${path}/${at}`, before[at], now[at], into, depth + 1);
    return;
  }
  if (isRecord(before) && isRecord(now)) {
    const renamed = renamedIn(before, now);
    if (renamed) {
      into.push({
        path: `${path}/${renamed.from}`,
        before: before[renamed.from],
        now: undefined,
        renamedTo: renamed.to,
      });
      return;
    }
    for (const name of new Set([...Object.keys(before), ...Object.keys(now)]))
      compare(`${path}/${name}`, before[name], now[name], into, depth + 1);
    return;
  }
  into.push({ path: path || "/", before, now });
}

const counted = (list: unknown[]) =>
  list.length === 0 ? "no items" : list.length === 1 ? "1 item" : `${list.length} items`;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isEmptied = ({ now, before }: Difference) =>
  now === "no items" || ((now === null || now === undefined) && before != null);

/** From 1 on the test or the page shows the value. */
function rankOf({ failed, run, passes }: Evidence, { path, before, now, renamedTo }: Difference): number {
  const symptom = `${failed.expected ?? ""} ${failed.received ?? ""} ${failed.message}`;
  let rank = renamedTo === undefined && now !== ORDER ? 0 : 1.5;
  for (const value of [before, now]) {
    const text = wordsOf(value);
    if (text === null) continue;
    if (within(symptom, text)) rank += text.length > 2 ? 2 : 1;
  }
  if (rank > 0) return rank;
  if (now === "no items" || /items?$/.test(String(now))) return 1;
  const texts = (page: RunEvidence["page"]) => page?.elements.map(({ own }) => own).join("\n") ?? "";
  const [shown, shownBefore] = [wordsOf(now), wordsOf(before)];
  if (shown !== null && shown.length > 2 && within(texts(run.page), shown)) return 1;
  if (
    shownBefore !== null &&
    shownBefore.length > 2 &&
    within(passes.map(({ page }) => texts(page)).join("\n"), shownBefore)
  )
    return 1;
  const isOfTime = [before, now].every((value) => typeof value === "string" && ISO_TIME.test(value));
  if (isOfTime && isTimeMoved(failed.expected ?? "", failed.received ?? "")) return 2;
  if (typeof before === "boolean" || typeof now === "boolean") return 0.6;
  return /(?:status|state|enabled|flag|feature|role|permission|available|stock|total|price|count|version|locale|currency)/i.test(
    path,
  )
    ? 0.5
    : 0;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:[T ]|$)/;

function wordsOf(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "" && value !== "<id>" && value !== "<time>")
    return oneLine(value);
  return typeof value === "number" ? String(value) : null;
}

function within(text: string, words: string): boolean {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0 || words.length > 3) return at >= 0;
  return new RegExp(`(?<![\\w.])${words.replace(/[^\w]/g, "\\$&")}(?![\\w])`, "i").test(text);
}

function tell({ path, before, now, renamedTo }: Difference): string {
  if (renamedTo !== undefined)
    return `with a field ${quoted(renamedTo, 60)} where the last pass had ${quoted(path.slice(1).replaceAll("/", "."), 80)} (${short(before)})`;
  if (now === ORDER)
    return `in another order than in the last pass${path === "/" ? "" : `: ${quoted(path.slice(1).replaceAll("/", "."), 80)}`}`;
  const name = path === "/" ? "" : ` for ${quoted(path.slice(1).replaceAll("/", "."), 80)}`;
  if (typeof now === "string" && /items?$/.test(now) && typeof before === "string" && /items?$/.test(before))
    return `with ${now}${name} instead of ${before}`;
  return `${short(now)}${name}, where the last pass had ${short(before)}`;
}

function short(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return quoted(value, 60);
  return quoted(JSON.stringify(value), 60);
}

function jsonOf(text: string): { value: unknown } | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text, value) ? null : { value };
  } catch {
    return null;
  }
}

/** What an answer of success says went wrong all the same (GraphQL's `errors`, `ok: false`). */
function errorWithin(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const { errors, error, ok, success, status } = value;
  const isRefused =
    ok === false ||
    success === false ||
    /^(?:error|failed|failure)$/i.test(typeof status === "string" ? status : "");
  if (Array.isArray(errors) ? errors.length > 0 : isRecord(errors) && Object.keys(errors).length > 0)
    return saidIn(JSON.stringify(errors)) ?? "an error";
  if (typeof error === "string" ? error !== "" : isRecord(error))
    return saidIn(JSON.stringify({ error })) ?? "an error";
  return isRefused ? (saidIn(JSON.stringify(value)) ?? "that it failed") : null;
}

function scriptAsHtml({ type, mediaType, status }: Exchange): boolean {
  return type === "script" && status !== null && status < 400 && /text\/html/.test(mediaType);
}

/** Says where an answer came from when it did not come from the network just now; null when it did. */
export function staleness({ headers, status, fromNetwork }: Exchange): string | null {
  if (fromNetwork === false) return "out of a service worker or the browser's cache";
  if (status === 304) return "from the browser's cache (304)";
  const age = Number(headerOf(headers, "age"));
  if (age > 0)
    return `from a cache, ${age < 7_200 ? `${age} s` : age < 172_800 ? `${Math.round(age / 3_600)} hours` : `${Math.round(age / 86_400)} days`} old`;
  return /\bhit\b/i.test(headerOf(headers, "x-cache") ?? headerOf(headers, "cf-cache-status") ?? "")
    ? "from a cache in between"
    : null;
}

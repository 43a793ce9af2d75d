import { exchangeKey } from "../../trace/format/cause/run/keys.ts";
import type { Exchange, RunFacts } from "../../trace/format/cause/run/run-facts.ts";
import { addressOf, isForeign, isTracker } from "../../trace/format/cause/words.ts";

/** What a run that passed did, beside what its scenario looks at. */
export interface Effects {
  facts: RunFacts;
  /** The page that it ended on; null when none was recorded. */
  last: { url: string; title: string; heading: string } | null;
}

/** They change nothing. */
const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * What a repetition with a change no longer does, one clause each, without a full stop. A scenario may pass without having done
 * what it is for, when a button has lost its action or a link leads elsewhere and nothing that is expected afterwards notices.
 */
export function effectsLost(pass: Effects, trial: Effects): string[] {
  const [before, now] = [changesOf(pass.facts), changesOf(trial.facts)];
  const news = [...now].filter(([key]) => !before.has(key)).map(([, one]) => one);
  const lost = [...before].filter(([key]) => !now.has(key)).map(([, one]) => one);
  const clauses: string[] = [];
  for (const one of lost) {
    // The same thing at an address with a part more or less, such as a version.
    const at = news.findIndex(
      (other) =>
        other.method === one.method &&
        isLonger(trial.facts.normaliser.url(other.url), pass.facts.normaliser.url(one.url)),
    );
    if (at >= 0) news.splice(at, 1);
    else
      clauses.push(
        `it no longer sends ${one.method} ${addressOf(one.url, pass.facts)}, which the last pass sent`,
      );
  }
  if (pass.last && trial.last && !isSame(pass, trial))
    clauses.push(
      `it ends on "${trial.last.title}" (${addressOf(trial.last.url, trial.facts)}), and the last pass ended on "${pass.last.title}" (${addressOf(pass.last.url, pass.facts)})`,
    );
  return clauses;
}

/** What was sent to the site itself to change something, and was taken. */
function changesOf(facts: RunFacts): Map<string, Exchange> {
  const sent = facts.exchanges.filter(
    ({ method, status, type, url }) =>
      !READS.has(method) &&
      type !== "ping" &&
      status !== null &&
      status < 400 &&
      !isForeign(url, facts) &&
      !isTracker(url),
  );
  return new Map(sent.map((one) => [exchangeKey(one, facts), one]));
}

function isSame(pass: Effects, trial: Effects): boolean {
  const [before, now] = [pass.last!, trial.last!];
  return (
    pass.facts.normaliser.url(before.url) === trial.facts.normaliser.url(now.url) ||
    pathOf(before.url) === pathOf(now.url) ||
    (before.title !== "" && before.title === now.title) ||
    (before.heading !== "" && before.heading === now.heading)
  );
}

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? url;

/**
 * Whether one of two addresses, without their ids, holds all parts of the other in their order and ends like it. Another part in a
 * part's place is other data.
 */
function isLonger(one: string, other: string): boolean {
  const [short, long] = [partsOf(one), partsOf(other)].sort((a, b) => a.length - b.length) as [
    string[],
    string[],
  ];
  let from = 0;
  for (const part of short) {
    const at = long.indexOf(part, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return short.length > 0 && short.at(-1) === long.at(-1);
}

const partsOf = (url: string): string[] => pathOf(url).split("/").filter(Boolean);

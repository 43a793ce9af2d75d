import type { ServedElement } from "../../exchanges/served-elements.ts";
import { isSameText } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, TEST_IDS, wantedBy } from "../../page/wanted.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { bareOf, bodyOf, quoted } from "../../words.ts";
import { elementsOf } from "./served-element.ts";

const LONGEST = 80;

/** What the very element that the test looks at has on a page, and what it has in every pass. */
export interface ValueApart {
  words: string;
  now: string;
  before: string;
  /** Whether it has what it had before, as in the passes it had before as well. */
  isStill: boolean;
}

/**
 * The text that the test met in the element that it looks at by its id, as the page was served, where every pass has another one
 * there: so short a text stands on a page many times, so that nothing but the element tells which of them is meant.
 */
export function valueApart(evidence: Evidence, one: Exchange): ValueApart | null {
  const { run, passes, failed } = evidence;
  const named = namedIn(evidence);
  const got = failed.received === null ? "" : bareOf(failed.received);
  if (named === null || got === "" || got.length > LONGEST) return null;
  const valueIn = (its: RunEvidence, page: Exchange | undefined): string | null => {
    const body = page && bodyOf(page, its.bodies);
    return body?.includes(named.value) ? textOf(elementsOf(evidence, body).filter(named.isIt)) : null;
  };
  const nth = visitsOf(run, one, run).indexOf(one);
  const visits = (its: RunEvidence) =>
    [nth - 1, nth].map((at) => valueIn(its, at < 0 ? undefined : visitsOf(its, one, run)[at]));
  const [earlier, now] = visits(run);
  if (now == null || !isSameText(now, got)) return null;
  const theirs = passes.map(visits);
  const before = theirs[0]?.[1];
  if (before == null || theirs.some(([, value]) => value !== before)) return null;
  const { text: plain } = run.facts.normaliser;
  if (plain(before) === plain(now)) return null;
  return {
    words: `${quoted(now, 60)} for ${named.words}, where the last pass had ${quoted(before, 60)}`,
    now,
    before,
    isStill: earlier === now && theirs.every(([value]) => value === now),
  };
}

const visitsOf = ({ facts }: RunEvidence, one: Exchange, run: RunEvidence): Exchange[] =>
  exchangesOf(facts, exchangeKey(one, run.facts)).filter(({ type }) => type === one.type);

export interface Named {
  value: string;
  words: string;
  isIt(element: ServedElement): boolean;
}

/** How the test names the element that it looks at. */
export const namedIn = (evidence: Evidence): Named | null => namedBy(targetOf(evidence));

/** How a locator names an element: by a test id or an id of its own; null where by anything else. */
export function namedBy(locator: string): Named | null {
  const last = lastPartOf(locator);
  const { testId } = wantedBy(last);
  if (testId !== null)
    return {
      value: testId,
      words: `the test id ${quoted(testId, 60)}`,
      isIt: ({ attributes }) => TEST_IDS.some((by) => attributes.get(by) === testId),
    };
  const id = /^(?:page\.)?(?:locator\(['"])?#([\w-]+)(?:['"]\)?)?$/.exec(last)?.[1];
  if (id === undefined) return null;
  return {
    value: id,
    words: `the id ${quoted(id, 60)}`,
    isIt: ({ attributes }) => attributes.get("id") === id,
  };
}

/** The text of the one element; null where there are none or several. */
const textOf = ([element, ...others]: readonly ServedElement[]): string | null =>
  element && others.length === 0 ? element.text : null;

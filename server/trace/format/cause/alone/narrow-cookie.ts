import { cookieNames, cookiePath, hasRawHeaders, isSentTo } from "../cookie-terms.ts";
import { cookiesOf } from "../detectors/headers.ts";
import type { Exchange } from "../run-facts.ts";
import { answersBefore } from "../select.ts";
import type { Evidence, Finding } from "../types.ts";
import { isForeign, pathOf, quoted, requestOf } from "../words.ts";
import { leadsTo } from "./cookies.ts";

const MOST = 200;

/** A cookie whose path keeps it from where it is needed: the page that its own answer leads to, or requests of the thing that it is named for. */
export function detectNarrowCookie(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const answers = answersBefore(evidence, MOST, ({ url }) => !isForeign(url, facts));
  for (const setter of answers.toReversed())
    for (const [name, terms] of cookiesOf(setter)) {
      const path = cookiePath(terms);
      const without = path === "/" ? undefined : neededBy(answers, { setter, name, path });
      if (!without || answers.some((one) => cookieNames(one).has(name) && one.ts > without.ts)) continue;
      return [
        {
          kind: "storage",
          title: `${requestOf(setter, facts)} sets the cookie ${quoted(name, 60)} with Path=${path}, so that ${requestOf(without, facts)} came without it`,
          detail: null,
          step_id: without.step_id,
          events: [setter.seq, without.seq],
          ts: without.end ?? without.ts,
          is_new: null,
          weight: 0.84,
          about: `cookie ${name}`,
        },
      ];
    }
  return [];
}

/** What is asked for after a cookie was set, needs it and does not get it. */
function neededBy(
  answers: readonly Exchange[],
  { setter, name, path }: { setter: Exchange; name: string; path: string },
): Exchange | undefined {
  const to = leadsTo(setter);
  const isOfSetter = isSentTo(setter.url, path);
  return answers.find(
    (one) =>
      one.ts > setter.ts &&
      hasRawHeaders(one) &&
      !isSentTo(one.url, path) &&
      !cookieNames(one).has(name) &&
      // One that the page's own address gets was set for it, and so for what it leads to in the same part of the site.
      (isOfSetter
        ? to !== null && one.type === "document" && isSame(one.url, to) && isBeside(one.url, path)
        : isNamed(name, one.url) && isNamed(name, setter.url)),
  );
}

const isSame = (one: string, other: string): boolean => pathOf(one) === pathOf(other);

/** Whether an address lies in the folder that a path lies in. */
const isBeside = (url: string, path: string): boolean => {
  const folder = path.replace(/\/[^/]*\/?$/, "/");
  return folder !== "/" && pathOf(url).startsWith(folder);
};

/** Whether an address is of the thing that a cookie is named for: `basket` and `/api/basket/items`. */
const isNamed = (name: string, url: string): boolean =>
  name.length >= 4 &&
  pathOf(url)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .includes(name.toLowerCase());

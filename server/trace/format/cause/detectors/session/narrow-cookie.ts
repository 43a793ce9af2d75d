import { isBeside } from "../../alone/beside.ts";
import { leadsTo } from "../../alone/session/cookies.ts";
import {
  cookieNames,
  cookiePath,
  FOR_RENEWAL,
  hasRawHeaders,
  isSentTo,
  namesPath,
} from "../../exchanges/cookie-terms.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isForeign, pathOf, quoted, requestOf } from "../../words.ts";
import { cookiesOf } from "../answers/headers.ts";
import { setBy } from "./storage.ts";

const MOST = 200;

/** A cookie whose path keeps it from where it is needed: the page that its own answer leads to, requests of the thing that it is named for, or, where no path was chosen, the rest of the site. */
export function detectNarrowCookie(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const answers = answersBefore(evidence, MOST, ({ url }) => !isForeign(url, facts));
  const isAlone = evidence.passes.length === 0;
  let seen: Seen | undefined;
  for (const setter of answers.toReversed())
    for (const [name, terms] of cookiesOf(setter)) {
      const path = cookiePath(terms, setter);
      if (path === "/" || !setBy(setter).includes(name)) continue;
      const isChosen = namesPath(terms);
      const cookie = { setter, name, path };
      if (!isChosen) seen ??= seenIn(answers, evidence);
      const without = seen && !isChosen ? leftWithout(answers, cookie, seen) : neededBy(answers, cookie);
      if (!without || answers.some((one) => cookieNames(one).has(name) && one.ts > without.ts)) continue;
      if (!evidence.passes.every((pass) => isCarriedIn(pass, name, exchangeKey(without, facts)))) continue;
      return [
        {
          kind: "storage",
          title: `${requestOf(setter, facts)} sets the cookie ${quoted(name, 60)} ${isChosen ? `with Path=${path}, so that` : `without a Path, so that only ${path} gets it and`} ${requestOf(without, facts)} came without it`,
          detail: null,
          step_id: without.step_id,
          events: [setter.seq, without.seq],
          ts: without.end ?? without.ts,
          is_new: isAlone ? null : true,
          weight: isAlone ? (isChosen || isDeed(setter) ? 0.84 : 0.65) : 0.98,
          about: `cookie ${name}`,
        },
      ];
    }
  return [];
}

/** Whether a run sent the cookie with a request of that kind. */
const isCarriedIn = ({ facts }: RunEvidence, name: string, key: string): boolean =>
  exchangesOf(facts, key).some((one) => cookieNames(one).has(name));

interface Cookie {
  setter: Exchange;
  name: string;
  path: string;
}

/** By the names of cookies, when a request carried one last and the paths that answers set it under. */
interface Seen {
  carried: Map<string, number>;
  paths: Map<string, Set<string>>;
}

function seenIn(answers: readonly Exchange[], { run: { facts } }: Evidence): Seen {
  const carried = new Map(
    facts.exchanges.flatMap((one) => [...cookieNames(one)].map((name) => [name, one.ts] as const)),
  );
  const paths = new Map<string, Set<string>>();
  for (const one of answers)
    for (const [name, terms] of cookiesOf(one))
      paths.set(name, (paths.get(name) ?? new Set()).add(cookiePath(terms, one)));
  return { carried, paths };
}

/** What is asked for after a cookie was set, needs it and does not get it. */
function neededBy(answers: readonly Exchange[], { setter, name, path }: Cookie): Exchange | undefined {
  const to = leadsTo(setter);
  const isOfSetter = isSentTo(setter.url, path);
  const left = answers.findLast(({ type, ts }) => type === "document" && ts < setter.ts);
  return answers.find(
    (one) =>
      one.ts > setter.ts &&
      hasRawHeaders(one) &&
      !isSentTo(one.url, path) &&
      !cookieNames(one).has(name) &&
      // One that the page's own address gets was set for it, and so for what it leads to in the same part of the site, or back to.
      (isOfSetter
        ? to !== null &&
          one.type === "document" &&
          isSame(one.url, to) &&
          (isInFolder(one.url, path) || (left !== undefined && isSame(to, left.url)))
        : isNamed(name, one.url) && isNamed(name, setter.url)),
  );
}

const OF_PAGES = /^(?:document|xhr|fetch)$/;

/** Whether something was done by it, and no page just read. */
const isDeed = (one: Exchange): boolean => CHANGING.has(one.method) || leadsTo(one) !== null;

/** A page, else data, that was asked for beyond the folder of a cookie without a path, which nothing has carried since. */
function leftWithout(
  answers: readonly Exchange[],
  { setter, name, path }: Cookie,
  { carried, paths }: Seen,
): Exchange | undefined {
  const isKnown = (carried.get(name) ?? Number.NEGATIVE_INFINITY) > setter.ts || paths.get(name)!.size > 1;
  if (isKnown || !OF_PAGES.test(setter.type ?? "") || isBeside(setter)) return undefined;
  if (FOR_RENEWAL.test(`${name} ${setter.url}`)) return undefined;
  const host = URL.parse(setter.url)?.hostname;
  const outside = answers.filter(
    (one) =>
      one.ts >= (setter.end ?? setter.ts) &&
      OF_PAGES.test(one.type ?? "") &&
      URL.parse(one.url)?.hostname === host &&
      hasRawHeaders(one) &&
      !isSentTo(one.url, path) &&
      !isBeside(one),
  );
  return outside.find(({ type }) => type === "document") ?? outside[0];
}

const isSame = (one: string, other: string): boolean => pathOf(one) === pathOf(other);

/** Whether an address lies in the folder that a path lies in. */
const isInFolder = (url: string, path: string): boolean => {
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

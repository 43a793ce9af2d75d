import { isBefore } from "../compare.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange, RunFacts } from "../run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, isTracker, quoted, requestOf } from "../words.ts";
import { isFailedExchange } from "./requests.ts";
import { attributesOf, isAway, isWhole, laterCookies, setBy } from "./storage.ts";

/** Forms whose cookies are looked at. */
const MOST_FORMS = 10;

/** Cookies that the browser has and does not send, goes on sending though a newer one was set, or was never given. */
export function detectCookies(evidence: Evidence): Finding[] {
  return [...leftOut(evidence), ...notRenewed(evidence), ...notGiven(evidence)];
}

/** Cookies that an answer sets in every pass and did not set here, so that no later request carried them. */
function notGiven(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const told = new Set<string>();
  return run.facts.exchanges.flatMap((one): Finding[] => {
    if (one.headers.length === 0 || isFailedExchange(one) || !isBefore(evidence, one.end ?? one.ts))
      return [];
    const key = exchangeKey(one, run.facts);
    const theirs = passes.map(({ facts }) =>
      exchangesOf(facts, key).filter((other) => other.status === one.status && other.type === one.type),
    );
    const [first] = theirs[0]!;
    if (first === undefined || theirs.some((list) => list.length === 0)) return [];
    const mine = new Set(setBy(one));
    const names = [...new Set(setBy(first))].filter(
      (name) =>
        !mine.has(name) &&
        !told.has(name) &&
        theirs.every((list) => list.every((other) => setBy(other).includes(name))) &&
        theirs.every((list, at) => laterCookies(passes[at]!.facts, list[0]!, name).some(({ has }) => has)) &&
        !run.facts.exchanges.some((other) => other.ts > one.ts && valuesOf(other).has(name)),
    );
    if (names.length === 0) return [];
    for (const name of names) told.add(name);
    const words = names.slice(0, 2).map((name) => quoted(name, 60));
    return [
      {
        kind: "storage",
        title: `${requestOf(one, run.facts)} did not set the cookie${words.length > 1 ? "s" : ""} ${words.join(" and ")}, as it does in the last pass: no later request carried ${words.length > 1 ? "them" : "it"}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        // It matters where it lacks.
        ts: Math.max(one.end ?? one.ts, evidence.failed.from),
        is_new: true,
        weight: 0.97,
        about: `cookie ${names[0]}`,
      },
    ];
  });
}

/**
 * A cookie that an earlier page was asked for with and the page that sent away was not, as they were in no pass: a
 * browser that sends two of one name keeps one of them for some paths only (RFC 6265, 5.4).
 */
function leftOut(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const { exchanges } = run.facts;
  const away = exchanges.findLast(
    (one) =>
      (isAway(one) || one.status === 401 || one.status === 403) &&
      one.method === "GET" &&
      isBefore(evidence, one.ts) &&
      isWhole(one),
  );
  if (!away) return [];
  const sent = valuesOf(away);
  const host = URL.parse(away.url)?.host;
  const wasTwice = passes.some(({ facts }) =>
    facts.exchanges.some((one) => [...valuesOf(one).values()].some((values) => values.length > 1)),
  );
  const before = exchanges.findLast(
    (one) =>
      one.ts < away.ts &&
      URL.parse(one.url)?.host === host &&
      [...valuesOf(one)].some(([name, values]) => values.length > 1 && sent.get(name)?.length === 1),
  );
  if (!before || wasTwice) return [];
  const [name] = [...valuesOf(before)].find(([, values]) => values.length > 1)!;
  return [
    {
      kind: "storage",
      title: `${requestOf(away, run.facts)} did not carry the cookie ${quoted(name, 60)} that ${requestOf(before, run.facts)} carried beside an older one: it is set for that path only (its Path leaves this page out), and in the last pass it is not`,
      detail: null,
      step_id: away.step_id,
      events: [before.seq, away.seq],
      ts: away.ts,
      is_new: true,
      weight: 0.98,
      about: aboutUrl(away.url, run.facts),
    },
  ];
}

/** A cookie that every pass sent with a new value after a form was posted, and this run with the old one. */
function notRenewed(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const told = new Set<string>();
  return run.facts.exchanges
    .filter(({ method, ts, url }) => method === "POST" && !isTracker(url) && isBefore(evidence, ts))
    .slice(-MOST_FORMS)
    .flatMap((one) => {
      const kept = [...cookiesAround(run.facts, one)].filter(([, { before, after }]) => before === after);
      return kept.flatMap(([name]): Finding[] => {
        const isRenewed = passes.every(({ facts }) => {
          const other = exchangesOf(facts, exchangeKey(one, run.facts))[0];
          const around = other && cookiesAround(facts, other).get(name);
          return around !== undefined && around.before !== around.after;
        });
        if (!isRenewed || told.has(name)) return [];
        told.add(name);
        return [
          {
            kind: "storage",
            title: `After ${requestOf(one, run.facts)} the browser went on with the old cookie ${quoted(name, 60)}, where it had a new one in the last pass: the new one was not set, or the browser refused it (by its Domain, Path, SameSite or Secure)`,
            detail: attributesOf(one, name),
            step_id: one.step_id,
            events: [one.seq],
            // It matters where the old one is sent.
            ts: Math.max(one.ts, evidence.failed.from),
            is_new: true,
            weight: 0.96,
            about: `cookie ${name}`,
          },
        ];
      });
    });
}

/** The cookies that the next request after one carried, each with its values then and with the last one before. */
function cookiesAround(facts: RunFacts, one: Exchange): Map<string, { before: string; after: string }> {
  const host = URL.parse(one.url)?.host;
  const ofHost = facts.exchanges.filter(
    ({ url, requestHeaders, headers }) =>
      requestHeaders.length + headers.length > 0 && URL.parse(url)?.host === host,
  );
  const next = ofHost.find((later) => later.ts > one.ts && isWhole(later));
  const known = new Map<string, string>();
  for (const earlier of ofHost) {
    if (earlier.ts > one.ts) continue;
    for (const [name, values] of valuesOf(earlier)) known.set(name, values.join());
    if (earlier !== one) for (const [name, value] of valuesSetBy(earlier)) known.set(name, value);
  }
  return new Map(
    [...(next ? valuesOf(next) : [])].flatMap(([name, values]) => {
      const before = known.get(name);
      return before === undefined ? [] : [[name, { before, after: values.join() }] as const];
    }),
  );
}

const valuesSetBy = ({ headers }: Exchange): [string, string][] =>
  headers.flatMap(({ name, value }) => {
    const [, cookie, its] = (name === "set-cookie" && /^([^=;\s]+)=([^;]*)/.exec(value)) || [];
    return cookie === undefined ? [] : [[cookie, its!] as [string, string]];
  });

/** The values that a request sent of each cookie. */
function valuesOf({ requestHeaders }: Exchange): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of requestHeaders) {
    if (name !== "cookie") continue;
    for (const part of value.split(/;\s*/)) {
      const at = part.indexOf("=");
      if (at > 0)
        values.set(part.slice(0, at), [...(values.get(part.slice(0, at)) ?? []), part.slice(at + 1)]);
    }
  }
  return values;
}

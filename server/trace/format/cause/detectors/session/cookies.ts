import { isBefore } from "../../compare.ts";
import { isWhole } from "../../exchanges/sent-credentials.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isTracker, quoted, requestOf } from "../../words.ts";
import { attributesOf, isAway, laterCookies, saidTooSoon, setBy } from "./storage.ts";

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
  const alwaysSet = createAlwaysSet(evidence);
  return run.facts.exchanges.flatMap((one): Finding[] => {
    if (one.headers.length === 0 || isFailedExchange(one) || !isBefore(evidence, one.end ?? one.ts))
      return [];
    const always = alwaysSet(one);
    if (always === null || always.names.length === 0) return [];
    const mine = new Set(setBy(one));
    const names = always.names.filter(
      (name) =>
        !mine.has(name) &&
        !told.has(name) &&
        always.firsts.every((first, at) =>
          laterCookies(passes[at]!.facts, first, name).some(({ has }) => has),
        ) &&
        !run.facts.exchanges.some((other) => other.ts > one.ts && valuesOf(other).has(name)),
    );
    if (names.length === 0) return [];
    for (const name of names) told.add(name);
    const words = names.slice(0, 2).map((name) => quoted(name, 60));
    const them = words.length > 1 ? "them" : "it";
    const tooSoon = saidTooSoon(one, names);
    return [
      {
        kind: "storage",
        title: `${requestOf(one, run.facts)} ${tooSoon === null ? `did not set the cookie${words.length > 1 ? "s" : ""} ${words.join(" and ")}, as it does in the last pass: no later request carried ${them}` : `${tooSoon}, and no later request carried ${them}`}`,
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

/** The first answer of its kind in each pass, and the cookies that all of them in all passes set. */
interface AlwaysSet {
  firsts: Exchange[];
  names: string[];
}

/**
 * Tells of an exchange what passes always set where they had the same; null where one of them had not. Each kind is looked at
 * once: thousands of addresses may be called alike.
 */
function createAlwaysSet({ run, passes }: Evidence): (one: Exchange) => AlwaysSet | null {
  const known = new Map<string, AlwaysSet | null>();
  function look(key: string, { status, type }: Exchange): AlwaysSet | null {
    const theirs = passes.map(({ facts }) =>
      exchangesOf(facts, key).filter((other) => other.status === status && other.type === type),
    );
    const firsts = theirs.flatMap((list) => list.slice(0, 1));
    if (firsts.length < passes.length) return null;
    const names = [...new Set(setBy(firsts[0]!))].filter((name) =>
      theirs.every((list) => list.every((other) => setBy(other).includes(name))),
    );
    return { firsts, names };
  }
  return (one) => {
    const key = exchangeKey(one, run.facts);
    const kind = JSON.stringify([key, one.status, one.type]);
    const before = known.get(kind);
    if (before !== undefined) return before;
    const found = look(key, one);
    known.set(kind, found);
    return found;
  };
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
  const forms = lastOf(
    run.facts.exchanges,
    MOST_FORMS,
    ({ method, ts, url }) => method === "POST" && !isTracker(url) && isBefore(evidence, ts),
  );
  if (forms.length === 0) return [];
  const told = new Set<string>();
  const cookiesAround = createCookies(run.facts);
  const theirs = passes.map(({ facts }) => ({ facts, cookiesAround: createCookies(facts) }));
  return forms.flatMap((one) => {
    const kept = [...cookiesAround(one)].filter(
      ([, { before, after, isElsewhere }]) => before === after && !isElsewhere(),
    );
    return kept.flatMap(([name]): Finding[] => {
      const isRenewed = theirs.every((pass) => {
        const other = ofSameTurn(one, run.facts, pass.facts);
        const around = other && pass.cookiesAround(other).get(name);
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

interface Values {
  before: string;
  after: string;
  /** Whether another page carries what the request was answered with. */
  isElsewhere: () => boolean;
}
type Around = Map<string, Values>;

/** Tells of the requests of a run the cookies that the next one carried, each with its values then and with the last one before. */
function createCookies({ exchanges }: RunFacts): (one: Exchange) => Around {
  // Once for all forms: a run has thousands of addresses.
  const byHost = Map.groupBy(
    exchanges.filter(({ requestHeaders, headers }) => requestHeaders.length + headers.length > 0),
    ({ url }) => URL.parse(url)?.host,
  );
  return (one) => {
    const ofHost = byHost.get(URL.parse(one.url)?.host) ?? [];
    // Another page may be another person's.
    const next = ofHost.find((later) => later.ts > one.ts && later.page === one.page && isWhole(later));
    const carried = next ? [...valuesOf(next)] : [];
    if (carried.length === 0) return new Map();
    const known = new Map<string, string>();
    for (const earlier of ofHost) {
      if (earlier.ts > one.ts) continue;
      for (const [name, values] of valuesOf(earlier)) known.set(name, values.join());
      if (earlier !== one) for (const [name, value] of valuesSetBy(earlier)) known.set(name, value);
    }
    const setMeanwhile = new Set(
      ofHost.flatMap((later) =>
        later.ts > one.ts && later.ts < next!.ts ? valuesSetBy(later).map(([name]) => name) : [],
      ),
    );
    // Who signs in twice in one test has two sets of cookies: what another page carries was set, and not refused.
    const isCarriedElsewhere = (name: string) => {
      const value = valuesSetBy(one).findLast(([set]) => set === name)?.[1];
      return (
        value !== undefined &&
        ofHost.some(
          (later) =>
            later.ts > one.ts && later.page !== next!.page && valuesOf(later).get(name)?.includes(value),
        )
      );
    };
    return new Map(
      carried.flatMap(([name, values]) => {
        const before = known.get(name);
        return before === undefined || setMeanwhile.has(name)
          ? []
          : [[name, { before, after: values.join(), isElsewhere: () => isCarriedElsewhere(name) }] as const];
      }),
    );
  };
}

/** The cookies that an answer set, each with its value. */
export const valuesSetBy = ({ headers }: Exchange): [string, string][] =>
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

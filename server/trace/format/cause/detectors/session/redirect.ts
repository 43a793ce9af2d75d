import { cut } from "../../../error-text.ts";
import { isOpenedByTest } from "../../alone/session/stayed.ts";
import { isBefore } from "../../compare.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange, PageShot, RunFacts } from "../../run/run-facts.ts";
import { actionBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import {
  aboutUrl,
  addressOf,
  familyOf,
  headerOf,
  isTracker,
  pathOf,
  quoted,
  requestOf,
  SIGN_IN,
} from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { ledByHeader } from "./led-by-header.ts";
import { ledByScript } from "./led-by-script.ts";
import { inOtherCase } from "./other-case.ts";
import { otherQuery } from "./other-query.ts";
import { sessionEnded } from "./session-ended.ts";
import { takenWell } from "./taken-well.ts";

const SIGNED_OUT = new RegExp(`${SIGN_IN.source}|expired|unauthori[sz]ed`, "i");
const ELSEWHERE =
  /error|denied|forbidden|maintenance|not-?found|\b404\b|\b500\b|captcha|challenge|consent|verify|upgrade|paywall|suspended/i;

/** The page, or something that it asked for, is at another address than it was in the passes. */
export function detectRedirect(evidence: Evidence): Finding[] {
  return [...pageElsewhere(evidence), ...sentAway(evidence), ...ledElsewhere(evidence)];
}

/** Pages that led on to another address than they did in every pass, in the same turn. */
function ledElsewhere({ run, passes, failed }: Evidence): Finding[] {
  if (passes.length === 0) return [];
  const { facts } = run;
  return lastOf(facts.exchanges, MOST_SENT, (one) => isLeading(one) && one.ts <= failed.to).flatMap(
    (one): Finding[] => {
      const leading = passes.map((pass) => ofSameTurn(one, facts, pass.facts, isLeading));
      const usual = leading.map((other) => other && leadsTo(other));
      const [to, before] = [leadsTo(one), usual[0]];
      // Where nobody is signed in any more, the page itself tells more.
      if (!to || !before || SIGNED_OUT.test(pathOf(to))) return [];
      const [now, ...others] = [to, ...usual].map((url) => url && pathOf(facts.normaliser.url(url)));
      if (others.some((path) => path === undefined || path !== others[0]) || now === others[0]) return [];
      const origin = otherOrigin(leading[0]!.url, before) === null ? otherOrigin(one.url, to) : null;
      return [
        {
          kind: "redirected",
          title: `${requestOf(one, facts)} was answered with ${one.status} and led to ${addressOf(to, facts)}, where it led to ${addressOf(before, passes[0]!.facts)} in the last pass${origin !== null && isOtherHost(one.url, to) ? ": that is another host, to which no cookie of this one is sent" : inOtherCase(to, failed)}`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: one.end ?? one.ts,
          is_new: true,
          weight: 0.9,
          about: aboutUrl(one.url, facts),
          ...(origin !== null && { otherOrigin: origin }),
        },
      ];
    },
  );
}

/** The origin of the second address, where it is another one than that of the first. */
function otherOrigin(from: string, to: string): string | null {
  const [before, now] = [from, to].map((url) => URL.parse(url)?.origin ?? null);
  return now === before ? null : now!;
}

/** Whether two hosts have no domain in common that cookies could be of. */
function isOtherHost(from: string, to: string): boolean {
  const [mine, theirs] = [from, to].map((url) => familyOf(URL.parse(url)?.hostname ?? ""));
  return mine !== theirs;
}

/** Forms are sent by scripts, too. */
const isLeading = (one: Exchange): boolean =>
  isAway(one) &&
  (one.type === "document" || (CHANGING.has(one.method) && /^(?:xhr|fetch)$/.test(one.type ?? "")));

/** Where a redirect leads, as its answer says; undefined where it does not. */
function leadsTo({ headers, url }: Exchange): string | undefined {
  const location = headerOf(headers, "location") ?? "";
  return location === "" ? undefined : URL.parse(location, url)?.href;
}

/** Data that a page asked for and was sent elsewhere for, where every pass was answered: what came is another page's. */
function sentAway(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return lastOf(
    run.facts.exchanges,
    MOST_SENT,
    (one) =>
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      isAway(one) &&
      !isTracker(one.url) &&
      isBefore(evidence, one.end ?? one.ts) &&
      passes.every(({ facts }) => {
        const others = exchangesOf(facts, exchangeKey(one, run.facts));
        return others.length > 0 && others.every(({ status }) => status !== null && status < 300);
      }),
  ).map((one) => {
    const location = headerOf(one.headers, "location");
    const to =
      location !== null
        ? URL.parse(location, one.url)?.href
        : run.facts.exchanges.find(
            ({ ts, type }) =>
              ts >= one.ts && type === one.type && ts <= (one.end ?? one.ts) + 1_000 && ts > one.ts,
          )?.url;
    return {
      kind: "redirected" as const,
      title: `${requestOf(one, run.facts)} was redirected${to ? ` to ${addressOf(to, run.facts)}` : ""} (${one.status}); in the last pass it was answered`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq],
      ts: one.end ?? one.ts,
      is_new: true,
      weight: 0.93,
      about: aboutUrl(one.url, run.facts),
    };
  });
}

const MOST_SENT = 10;

const isAway = ({ status }: Exchange) => status !== null && status >= 300 && status < 400 && status !== 304;

/** The page is at another address than it was in the passes. */
function pageElsewhere(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const here = run.page?.shot ?? run.facts.pages.findLast(({ ts }) => ts <= failed.to + 1_000);
  if (!here || !/^https?:/.test(here.url)) return [];
  const { facts } = run;
  const address = facts.normaliser.url(here.url);
  const sender = senderOf(evidence, here) ?? refusalBefore(evidence, here.ts);
  const events = [here.seq, ...(sender ? [sender.seq] : [])];
  const place = `${pathOf(here.url)}${routeOf(here.url)}`;
  const by = sender
    ? `: ${sentBy(sender, facts)}${SIGNED_OUT.test(place) ? sessionEnded(facts, sender) : ""}`
    : "";
  const isElsewhere = SIGNED_OUT.test(place) || ELSEWHERE.test(place);
  const base = {
    kind: "redirected",
    detail: null,
    step_id: here.step_id,
    events,
    ts: Math.min(here.ts, failed.to),
    ...(sender && sentTo(sender) !== undefined && { sentAt: sender.ts }),
  } as const;
  const visited = passes.some((pass) =>
    pass.facts.pages.some(({ url }) => pass.facts.normaliser.url(url) === address),
  );
  const there = passes.flatMap(({ page }) => page?.shot ?? [])[0];
  if (passes.length === 0) {
    // What is asked for and lies elsewhere now; a front page that leads on is none of that.
    const isMoved =
      sender !== undefined && isAway(sender) && sender.method === "GET" && pathOf(sender.url) !== "/";
    const asked = sender ? undefined : askedBeforeSignIn(evidence, here);
    if (asked)
      return [
        {
          ...base,
          title: `The page was sent to ${addressOf(here.url, facts)} after ${requestOf(asked, facts)}: nobody is signed in any more`,
          events: [here.seq, asked.seq],
          is_new: null,
          weight: 0.8,
        },
      ];
    if (!sender || !(isElsewhere || isMoved)) return [];
    // Nobody was sent to where the test itself had gone.
    if (sentTo(sender) === undefined && isOpenedByTest(facts, here)) return [];
    return [
      {
        ...base,
        title: `The page was sent to ${addressOf(here.url, facts)}${by}`,
        is_new: null,
        weight: isElsewhere ? 0.75 : 0.6,
      },
    ];
  }
  if (!there || !/^https?:/.test(there.url)) return [];
  const [now, expected] = [placeOf(here.url, facts), placeOf(there.url, passes[0]!.facts)];
  if (now === expected) return [];
  const asked = sender ? null : otherQuery(evidence, here, there.url);
  if (asked !== null)
    return [
      {
        ...base,
        title: `The page was at ${now} instead of ${expected}: ${asked}`,
        is_new: true,
        weight: 0.95,
      },
    ];
  if (passes.some((pass) => pass.page && pass.facts.normaliser.url(pass.page.shot.url) === address))
    return [];
  const isSamePage = addressOf(here.url, facts) === addressOf(there.url, passes[0]!.facts);
  const isWithin = isSamePage && routeOf(here.url) === routeOf(there.url);
  // Who was there already and is at the sign-in again was signed out.
  const wasThere = facts.pages.some(
    (shot) => shot.ts < here.ts && shot.page === here.page && placeOf(shot.url, facts) === expected,
  );
  if (visited && isElsewhere && !isWithin && wasThere && !sender)
    return [
      {
        ...base,
        title: `The page went back to ${now}, though it had been at ${expected} already; in the last pass it stayed there`,
        is_new: true,
        weight: 0.86,
      },
    ];
  // Whom nobody sent to the sign-in, the sign-in did not let through.
  const taken = visited && !isWithin && !sender ? takenWell(evidence) : undefined;
  if (taken) {
    const script = changedScript(evidence);
    return [
      {
        ...base,
        title: `The page stayed at ${now}, though ${requestOf(taken, facts)} was answered with ${taken.status}, as in the last pass, which then went to ${expected}${script === null ? "" : `; ${script.words}`}`,
        events: [here.seq, taken.seq, ...(script === null ? [] : [script.seq])],
        is_new: true,
        weight: 0.8,
        isStill: true,
      },
    ];
  }
  if (isWithin || (visited && (!isElsewhere || !sender)))
    return [
      {
        ...base,
        title: `The page was ${visited ? "still " : ""}at ${now}; in the last pass it had gone to ${expected} by then`,
        is_new: true,
        weight: 0.42,
        isStill: visited,
      },
    ];
  const led = by === "" ? leadBack(evidence, there.url) : "";
  const ledBy = by || led || ledByScript(evidence, here, there.url);
  return [
    {
      ...base,
      title: `The page was at ${now} instead of ${expected}${ledBy}`,
      is_new: true,
      // Of one that was refused the refusal says why.
      weight: isRefusedAt(evidence, here.url)
        ? 0.74
        : led !== ""
          ? 0.93
          : isElsewhere
            ? 0.9
            : sender
              ? 0.86
              : 0.74,
    },
  ];
}

/** Where an answer sends the page, by a redirect or by a header for the page's script; undefined where it does not. */
const sentTo = (one: Exchange): string | undefined => (isAway(one) ? leadsTo(one) : ledByHeader(one)?.to);

function sentBy(sender: Exchange, facts: RunFacts): string {
  const header = isAway(sender) ? undefined : ledByHeader(sender)?.header;
  return `${requestOf(sender, facts)} was answered with ${sender.status}${header === undefined ? "" : ` and the header ${header}`}`;
}

/** A page on the way that was told to lead elsewhere than in the last pass, or nowhere, where it was told to lead to that address. */
function leadBack({ run, passes }: Evidence, address: string): string {
  const { pathname = "", search = "" } = URL.parse(address) ?? {};
  const wanted = pathname + search;
  for (const url of addressesIn(passes[0]!.facts)) {
    const [name] = [...url.searchParams].find(([, value]) => value === wanted) ?? [];
    if (name === undefined) continue;
    const values = addressesIn(run.facts)
      .filter((other) => other.pathname === url.pathname)
      .map((other) => other.searchParams.get(name) ?? "");
    if (values.length === 0 || values.includes(wanted)) continue;
    const other = values.find((value) => value !== "");
    return `: ${url.pathname} came ${other === undefined ? `without ${quoted(name, 40)}` : `with ${quoted(other, 80)} for ${quoted(name, 40)}`}, where the last pass had ${quoted(wanted, 80)}`;
  }
  return "";
}

const addressesIn = ({ pages, exchanges }: RunFacts): URL[] =>
  [...pages, ...exchanges.filter(({ type }) => type === "document")].flatMap(
    ({ url }) => URL.parse(url) ?? [],
  );

const isRefusedAt = ({ run: { facts } }: Evidence, url: string): boolean => {
  const page = facts.exchanges.findLast((one) => one.type === "document" && pathOf(one.url) === pathOf(url));
  return (page?.status ?? 0) >= 400;
};

/** The answer that sent the page there; undefined where each pass was sent there as often, and went on, or the page had gone on since. */
function senderOf(evidence: Evidence, here: PageShot): Exchange | undefined {
  const { run, passes } = evidence;
  const sendersIn = ({ exchanges }: RunFacts) =>
    exchanges.filter((one) => pathOf(sentTo(one) ?? "") === pathOf(here.url));
  const senders = sendersIn(run.facts).filter((one) => isBefore(evidence, one.ts));
  const [sender] = senders.slice(-1);
  const isUsual = passes.length > 0 && passes.every(({ facts }) => sendersIn(facts).length >= senders.length);
  return !sender || isUsual || isLeftSince(run.facts, sender, here) ? undefined : sender;
}

/** Whether a page that a redirect had led there was elsewhere before it came there again. */
function isLeftSince({ pages }: RunFacts, sender: Exchange, here: PageShot): boolean {
  const isThere = ({ url }: PageShot) => pathOf(url) === pathOf(here.url);
  const since = pages.filter(
    ({ ts, page }) => ts > (sender.end ?? sender.ts) && ts < here.ts && page === here.page,
  );
  const arrived = since.findIndex(isThere);
  return arrived >= 0 && since.slice(arrived).some((one) => /^https?:/.test(one.url) && !isThere(one));
}

const SIGN_IN_PAGE = /\/(?:log-?in|sign-?in)\b/i;
const LEAVES = /log ?out|sign ?out|log ?in|sign ?in/i;
const SENT_WITHIN_MS = 2_000;

/** What a page had asked for right before its script went to the sign-in, where the person had been elsewhere and left nothing. */
function askedBeforeSignIn({ run: { facts }, failed }: Evidence, here: PageShot): Exchange | undefined {
  if (!SIGN_IN_PAGE.test(pathOf(here.url))) return undefined;
  const wasElsewhere = facts.pages.some(
    (shot) =>
      shot.ts < here.ts &&
      shot.page === here.page &&
      /^https?:/.test(shot.url) &&
      pathOf(shot.url) !== pathOf(here.url),
  );
  const action = actionBefore(facts, failed);
  if (!wasElsewhere || LEAVES.test(action?.title ?? "")) return undefined;
  const signIn = facts.exchanges.findLast(
    ({ type, url, ts }) => type === "document" && ts <= failed.to && pathOf(url) === pathOf(here.url),
  );
  return (
    signIn &&
    facts.exchanges.findLast(
      (one) =>
        /^(?:xhr|fetch)$/.test(one.type ?? "") &&
        one.end !== null &&
        one.end <= signIn.ts + 50 &&
        signIn.ts - one.end <= SENT_WITHIN_MS &&
        !isTracker(one.url) &&
        (one.status ?? 0) < 400,
    )
  );
}

const REFUSED_WITHIN_MS = 5_000;

/** The refusal that the page's own script went away for. */
function refusalBefore({ run, passes }: Evidence, ts: number): Exchange | undefined {
  return run.facts.exchanges.findLast(
    (one) =>
      (one.status === 401 || one.status === 403) &&
      one.end !== null &&
      one.end <= ts &&
      ts - one.end <= REFUSED_WITHIN_MS &&
      !passes.some(({ facts }) =>
        exchangesOf(facts, exchangeKey(one, run.facts)).some(({ status }) => status === one.status),
      ),
  );
}

const HASH = 60;

/** An address with its fragment, which many products lead a person by. */
const placeOf = (url: string, facts: Pick<RunFacts, "authority">) =>
  `${addressOf(url, facts)}${cut(URL.parse(url)?.hash ?? "", HASH)}`;

/** A fragment that is a place of its own (`#/login`), and none within the page. */
const routeOf = (url: string) => (/^#!?\//.test(URL.parse(url)?.hash ?? "") ? URL.parse(url)!.hash : "");

import { cookiePath } from "../../exchanges/cookie-terms.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { REQUEST_IDS } from "../../run/event-fields.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import {
  aboutUrl,
  bodyOf,
  headerOf,
  isForeign,
  isWorkerScript,
  lapse,
  quoted,
  requestOf,
} from "../../words.ts";
import type { AnswerRule, Told } from "./answer-rule.ts";
import { otherOwnHeader, otherRedirect, otherSuccess } from "./answer-rules.ts";
import { otherPolicy } from "./other-policy.ts";
import { unexposed } from "./unexposed.ts";

const MOST = 200;
/** What is asked for time and again comes with the same headers: so many of a pass tell. */
const MOST_OTHERS = 20;

/** What browsers do as an answer's headers say: keep a cookie, keep a copy, read letters, open a page or a file. */
export function detectHeaders(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return answersBefore(evidence, MOST, ({ url }) => !isForeign(url, run.facts)).flatMap((one) => {
    const others = passes.map((pass) =>
      lastOf(
        exchangesOf(pass.facts, exchangeKey(one, run.facts)),
        MOST_OTHERS,
        (other) => other.status !== null && other.type === one.type && !isFailedExchange(other),
      ),
    );
    if (others.some((list) => list.length === 0)) return [];
    return RULES.flatMap((rule) => {
      const told = rule(evidence, one, others.flat());
      return told === null ? [] : [{ ...baseOf(evidence, one), ...told }];
    });
  });
}

const baseOf = ({ run, failed }: Evidence, one: Exchange) => ({
  detail: null,
  step_id: one.step_id,
  events: [one.seq],
  // It matters where the browser follows it.
  ts: Math.max(one.end ?? one.ts, failed.from),
  is_new: true,
  about: aboutUrl(one.url, run.facts),
});

/** A cookie that is set for other pages, or under other terms. */
function otherCookie(evidence: Evidence, one: Exchange, others: readonly Exchange[]): Told | null {
  for (const [name, terms] of cookiesOf(one)) {
    const theirs = others.flatMap((other) => {
      const known = cookiesOf(other).get(name);
      return known === undefined ? [] : [known];
    });
    const [before] = theirs;
    if (isRefused(terms) && !others.some((other) => isRefused(cookiesOf(other).get(name) ?? [])))
      return {
        kind: "storage",
        title: `${requestOf(one, evidence.run.facts)} sets the cookie ${quoted(name, 60)} with SameSite=None and without Secure: browsers refuse such a cookie, and go on without it or with the one before`,
        weight: 0.97,
        about: `cookie ${name}`,
      };
    if (before === undefined || theirs.length < others.length) continue;
    if (theirs.some((other) => String(other) !== String(before)) || String(terms) === String(before))
      continue;
    const fresh = terms.filter((term) => !before.includes(term));
    const gone = before.filter((term) => !terms.includes(term));
    return {
      kind: "storage",
      title: `${requestOf(one, evidence.run.facts)} sets the cookie ${quoted(name, 60)} ${fresh.length > 0 ? `with ${fresh.join("; ")}` : `without ${gone.join("; ")}`}${fresh.length > 0 && gone.length > 0 ? `, where the last pass had ${gone.join("; ")}` : fresh.length > 0 ? ", which it has not in the last pass" : ", which it has in the last pass"}${meaningOf(terms, before, one)}`,
      weight: 0.97,
      about: `cookie ${name}`,
      otherCookie: name,
    };
  }
  return null;
}

/** What the terms of a cookie (RFC 6265bis) mean for the pages that want it. */
function meaningOf(terms: readonly string[], before: readonly string[], one: Exchange): string {
  const path = cookiePath(terms, one);
  if (path !== "/" && path !== cookiePath(before, one)) return `: pages outside of ${path} do not get it`;
  const domain = terms
    .find((term) => term.startsWith("Domain="))
    ?.slice(7)
    .replace(/^\./, "");
  const host = URL.parse(one.url)?.hostname ?? "";
  // RFC 6265, 5.3: a host may set cookies for itself and for what it belongs to.
  return domain && host !== domain && !host.endsWith(`.${domain}`)
    ? `: browsers refuse such a cookie of ${host}`
    : "";
}

/** Whether browsers refuse a cookie under such terms, whatever it is for. */
export const isRefused = (terms: readonly string[]) =>
  terms.includes("SameSite=None") && !terms.includes("Secure");

const NAMES: Record<string, string> = {
  path: "Path",
  domain: "Domain",
  samesite: "SameSite",
  secure: "Secure",
  httponly: "HttpOnly",
  partitioned: "Partitioned",
};

/** The terms under which an answer sets its cookies, by their names. Ends of life differ each time, and are left out. */
export function cookiesOf({ headers }: Exchange): Map<string, string[]> {
  return new Map(
    headers.flatMap(({ name, value }) => {
      const [pair = "", ...terms] = value.split(";");
      if (name !== "set-cookie" || !pair.includes("=")) return [];
      const told = terms.flatMap((term) => {
        const [key = "", said] = term.trim().split("=");
        const known = NAMES[key.toLowerCase()];
        return known ? [said === undefined ? known : `${known}=${said}`] : [];
      });
      return [[pair.slice(0, pair.indexOf("=")).trim(), told.sort()] as const];
    }),
  );
}

/** A page that says its letters are written otherwise. */
function otherLetters(evidence: Evidence, one: Exchange, others: readonly Exchange[]): Told | null {
  const charsetOf = ({ mediaType, headers }: Exchange) =>
    /charset=["']?([\w-]+)/i.exec(headerOf(headers, "content-type") ?? mediaType)?.[1]?.toLowerCase() ?? null;
  const [mine, theirs] = [charsetOf(one), others.map(charsetOf)];
  const [before] = theirs;
  if (isAway(one) || others.some(isAway) || mine === before || theirs.some((other) => other !== before))
    return null;
  const isGarbled = evidence.run.page?.elements.some(({ own }) => GARBLED.test(own)) ?? false;
  // Scripts read their data as UTF-8 whatever it says of itself.
  if (one.type !== "document" && !isGarbled) return null;
  return {
    kind: "answer_changed",
    title: `${requestOf(one, evidence.run.facts)} is served as ${mine === null ? "text without a charset" : `charset=${mine}`}, where the last pass had ${before === null ? "none" : `charset=${before}`}${isGarbled ? ": its letters are garbled" : ""}`,
    weight: isGarbled ? 0.92 : 0.5,
  };
}

/** UTF-8 that was read as Latin-1, and what stands for letters that cannot be read. */
export const GARBLED = /Ã[\u0080-\u00bf…†‡‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|Â[\u00a0-\u00bf]|\ufffd/;

/** A page where there was a file, or a file where there was a page. */
function otherType(evidence: Evidence, one: Exchange, others: readonly Exchange[]): Told | null {
  const [mine, theirs] = [typeOf(one), others.map(typeOf)];
  const [before] = theirs;
  if (isAway(one) || others.some(isAway) || mine === "" || !before || mine === before) return null;
  if (theirs.some((other) => other !== before) || one.type === "script" || one.type === "stylesheet")
    return null;
  const isPage = /html/.test(mine);
  // A script that gets a page instead of data is told of by itself.
  if (one.type !== "document") return null;
  const said = isPage ? saidIn(bodyOf(one, evidence.run.bodies)) : null;
  return {
    kind: /^application\/(?:pdf|zip|octet)|csv|spreadsheet/.test(before) ? "download" : "answer_changed",
    title: `${requestOf(one, evidence.run.facts)} was answered with ${isPage ? `a page${said ? ` (${quoted(said, 100)})` : ""}` : mine} instead of ${nameOf(before)}`,
    weight: isPage ? 0.93 : 0.7,
  };
}

const typeOf = ({ mediaType, headers }: Exchange): string =>
  (headerOf(headers, "content-type") ?? mediaType).split(";")[0]!.trim().toLowerCase();

const isAway = ({ status }: Exchange) =>
  status !== null && (status === 304 || status === 204 || (status >= 300 && status < 400));

const nameOf = (type: string) =>
  type === "application/pdf"
    ? "a PDF"
    : type === "text/html"
      ? "a page"
      : type === "application/json"
        ? "JSON"
        : type.includes("/")
          ? type
          : "a file";

/** A file that is saved, or shown in the page. */
function otherDisposition(evidence: Evidence, one: Exchange, others: readonly Exchange[]): Told | null {
  const isSaved = ({ headers }: Exchange) =>
    /^\s*attachment/i.test(headerOf(headers, "content-disposition") ?? "");
  const mine = isSaved(one);
  if (isAway(one) || others.some((other) => isSaved(other) === mine)) return null;
  return {
    kind: "download",
    title: mine
      ? `${requestOf(one, evidence.run.facts)} is sent as a file to be saved (Content-Disposition: attachment), where the last pass opened it`
      : `${requestOf(one, evidence.run.facts)} came without Content-Disposition: attachment, which it has in the last pass: the browser opens it instead of saving it`,
    weight: 0.8,
  };
}

/** A copy of an earlier answer, where every pass asked the server again. */
function keptCopy(evidence: Evidence, one: Exchange, others: readonly Exchange[]): Told | null {
  const { run, passes } = evidence;
  const copied = copyOf(one, run.facts);
  if (!copied || passes.some(({ facts }) => others.some((other) => copyOf(other, facts)))) return null;
  // What is the same whenever it is asked for is never too old.
  if (others.every(({ body }) => body === one.body)) return null;
  const [now, before] = [one, others[0]!].map(({ headers }) => headerOf(headers, "cache-control"));
  const why =
    now === before ? "" : ` (Cache-Control: ${now ?? "none"}; in the last pass ${before ?? "none"})`;
  return {
    kind: "stale_answer",
    title: `${requestOf(one, run.facts)} was answered out of ${keeperOf(one)}, with the copy of ${lapse(one.ts - copied.ts)} earlier${why}; in the last pass the server answered it`,
    weight: 0.93,
    // What the recorder itself says that it is a copy is told as such with what it says.
    ...(staleness(one) === null && { isCopy: true }),
  };
}

const READ = /^(?:document|xhr|fetch)$/;

/**
 * The earlier answer of which one is a copy: it goes by the same id of a request, or is of the same second and the same content, though the
 * server dates each.
 */
export function copyOf(one: Exchange, { exchanges }: Pick<RunFacts, "exchanges">): Exchange | undefined {
  const date = headerOf(one.headers, "date");
  if (one.body === null || one.method !== "GET" || !READ.test(one.type ?? "")) return undefined;
  return exchanges.find(
    (other) =>
      other.ts < one.ts &&
      other.url === one.url &&
      other.type === one.type &&
      other.body === one.body &&
      (hasSameId(one, other) ||
        (date !== null &&
          headerOf(other.headers, "date") === date &&
          (isStorable(one) || isLater(one, other)))),
  );
}

/**
 * Whether both answers are those to one request. What a worker got from the network is the answer to the page's request as well: a copy
 * came the same way as the answer before it, either both from a worker or both from the network.
 */
const hasSameId = (one: Exchange, other: Exchange): boolean =>
  one.fromNetwork === other.fromNetwork &&
  one.ts - (other.end ?? other.ts) > AT_ONCE_MS &&
  [...REQUEST_IDS].some((name) => {
    const id = headerOf(one.headers, name);
    return id !== null && id === headerOf(other.headers, name);
  });

const AT_ONCE_MS = 50;

/** Whether the server would have dated it otherwise: dates are of whole seconds (RFC 9110, 6.6.1). */
const isLater = (one: Exchange, other: Exchange): boolean => one.ts - (other.end ?? other.ts) > 1_500;

/** Who may have kept a copy: browsers do so by leave of the server alone (RFC 9111, 3). */
export const keeperOf = (one: Exchange): string =>
  isStorable(one) ? "the browser's cache" : "a cache or a service worker";

const isStorable = ({ headers }: Exchange) => {
  const control = headerOf(headers, "cache-control") ?? "";
  return !/no-store|no-cache|max-age=0/i.test(control) && /max-age=[1-9]|immutable/i.test(control);
};

/** A script or a style sheet that is served as something else: browsers take neither then (Fetch, "nosniff"; Service Workers, 4.3). */
function otherCodeType(evidence: Evidence, one: Exchange, others: readonly Exchange[]): Told | null {
  const isScript = one.type === "script" || isWorkerScript(one);
  const fits = isScript ? /(?:java|ecma)script|wasm/ : /css/;
  if (!(isScript || one.type === "stylesheet") || fits.test(typeOf(one))) return null;
  const [before] = others.map(typeOf);
  // A refusal, what leads elsewhere, or what answers with a page, is told of by itself.
  if (
    isFailedExchange(one) ||
    isAway(one) ||
    typeOf(one) === "" ||
    /html/.test(typeOf(one)) ||
    !before ||
    !others.every((other) => fits.test(typeOf(other)))
  )
    return null;
  return {
    kind: "script_failed",
    title: `The ${isScript ? "script" : "style sheet"} ${requestOf(one, evidence.run.facts)} was served as ${quoted(typeOf(one), 60)}, where the last pass had ${quoted(before, 60)}: browsers do not take it so`,
    weight: 0.93,
    file: isScript ? "script" : "style sheet",
  };
}

const RULES: AnswerRule[] = [
  otherCodeType,
  otherCookie,
  otherLetters,
  otherType,
  otherDisposition,
  otherOwnHeader,
  otherPolicy,
  otherRedirect,
  otherSuccess,
  unexposed,
  keptCopy,
];

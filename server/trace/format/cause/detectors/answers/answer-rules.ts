import { SECRET } from "../../exchanges/sent.ts";
import { REQUEST_IDS } from "../../run/event-fields.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { jsonOf } from "../../values/json-leaves.ts";
import { headerOf, quoted, requestOf } from "../../words.ts";
import type { AnswerRule } from "./answer-rule.ts";
import { givenAgain } from "./given-again.ts";

/** Another status of success than in every pass: pollers, caches and clients go by it. */
export const otherSuccess: AnswerRule = (evidence, one, others) => {
  const { run } = evidence;
  const [before] = others.map(({ status }) => status);
  if (![one, ...others].every(isSuccess) || one.status === before) return null;
  if (others.some(({ status }) => status !== before)) return null;
  const again = givenAgain(evidence, one);
  return {
    kind: "answer_changed",
    title: `${requestOf(one, run.facts)} was answered with ${one.status}, where every pass got ${before}${again}`,
    weight: again === "" ? 0.72 : 0.97,
    isOtherSuccess: true,
  };
};

/** What is left out of a part, or was not changed, comes of what the browser asked for. */
const isSuccess = ({ status }: Exchange): boolean =>
  status !== null && status >= 200 && status < 300 && status !== 206;

/** Another way of sending a request elsewhere: what is asked there, and with what, depends on it (RFC 9110, 15.4). */
export const otherRedirect: AnswerRule = ({ run }, one, others) => {
  const [before] = others.map(({ status }) => status);
  if (![one, ...others].every(isRedirect) || one.status === before) return null;
  if (others.some(({ status }) => status !== before)) return null;
  const isRead = one.method === "GET" || one.method === "HEAD";
  const [mine, theirs] = [one, others[0]!].map(methodAfter);
  return {
    kind: "redirected",
    title: `${requestOf(one, run.facts)} was sent elsewhere with ${one.status}, where every pass got ${before}${mine === theirs ? "" : `: the browser asks there with ${mine} in the place of ${theirs}`}`,
    weight: isRead || mine === theirs ? 0.6 : 0.93,
  };
};

const isRedirect = ({ status, headers }: Exchange): boolean =>
  status !== null && /^30[12378]$/.test(String(status)) && headerOf(headers, "location") !== null;

/** The method that browsers go on with (Fetch, "HTTP-redirect fetch"). */
function methodAfter({ status, method }: Exchange): string {
  const isToGet =
    status === 303 ? method !== "HEAD" : method === "POST" && (status === 301 || status === 302);
  return isToGet ? "GET" : method;
}

/** What servers say of themselves, of their limits and of the machine, and what browsers keep pages safe by. */
const OF_SERVERS =
  /version|build|release|commit|revision|deploy|rate-?limit|remaining|powered|frame-options|content-type-options|xss|dns-prefetch|permitted|cache|duration|time|host|node|pod|region|nonce|variant|experiment/;

/** A header by which a product tells its own scripts something, and which every pass has. */
export const otherOwnHeader: AnswerRule = ({ run, passes }, one, others) => {
  const { normaliser } = run.facts;
  const valueIn = ({ headers }: Exchange, name: string) => {
    const value = headerOf(headers, name);
    return value === null ? null : normaliser.text(value);
  };
  for (const { name } of others[0]!.headers) {
    if (!/^(?:x|hx)-/.test(name) || REQUEST_IDS.has(name) || OF_SERVERS.test(name)) continue;
    const before = valueIn(others[0]!, name);
    const now = valueIn(one, name);
    if (now === before || others.some((other) => valueIn(other, name) !== before)) continue;
    if (name === REVALIDATED) {
      if (!isRevalidating(before) || isRevalidating(now)) continue;
      return {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} was answered with ${one.status} and no longer has what pages show read anew (${name} ${quoted(now ?? "", 40)}, where every pass has ${quoted(before ?? "", 40)}): the page still lists what it had before`,
        weight: 0.7,
      };
    }
    const isTold = !SECRET.test(name);
    const said = (value: string | null) =>
      isTold && value !== null && value !== "" ? ` ${quoted(value, 80)}` : "";
    return {
      kind: "answer_changed",
      title:
        now === null
          ? `${requestOf(one, run.facts)} came without the header ${name}${said(before)}, which it has in every pass${meaningWithout(name, before)}`
          : `${requestOf(one, run.facts)} came with the header ${name}${said(now)}, where every pass has${said(before) || " another value"}`,
      weight: (now === null ? 0.84 : 0.7) * (passes.length === 1 ? 0.9 : 1),
      ...(!isTold && { isOfToken: true }),
    };
  }
  return null;
};

/** How Next tells its router what a server action did: `[[paths],tags,cookies]`. */
const REVALIDATED = "x-action-revalidated";
const isRevalidating = (value: string | null): boolean => {
  const said = jsonOf(value ?? "");
  return Array.isArray(said) && said[1] === 1;
};

/** What a proxy in front does without a header: nginx holds back what comes until its buffer is full, unless this one tells it not to. */
const meaningWithout = (name: string, value: string | null): string =>
  name === "x-accel-buffering" && value === "no" ? ": a proxy in front may hold back what it brings" : "";

import { addressPattern } from "../../../run/globs.ts";
import type { Action, Text } from "../../../run/language/ast.ts";
import type { Exchange } from "../../../trace/format/cause/run/run-facts.ts";
import { overlap } from "../counterpart.ts";
import { meaningOf } from "../meant.ts";
import { pageNow, pageThen } from "../pages.ts";
import type { Failure } from "../types.ts";
import type { Found } from "./element.ts";

/**
 * A request that is expected, or waited for, and that goes to another address now: the same method, the same answer, and
 * nobody asks the old address any more.
 */
export function mendRequest(failure: Failure): Found {
  const wanted = requestOf(failure.step.action);
  if (!wanted || typeof wanted.url !== "string") return null;
  const { run, pass, step } = failure;
  if (!pass) return { why: "No pass of this scenario shows which request was meant." };
  const { url, method, status } = wanted;
  const pattern = addressPattern(wanted.url);
  const fits = (one: Exchange) => (method === null || one.method === method) && pattern.test(one.url);
  const old = pass.evidence.facts.exchanges.findLast(
    (one) => fits(one) && (status === null || one.status === status),
  );
  if (!old) return { why: "The last pass sent no such request." };
  if (run.evidence.facts.exchanges.some(fits)) return null;
  const known = new Set(pass.evidence.facts.exchanges.map(keyOf));
  const news = run.evidence.facts.exchanges.filter(
    (one) =>
      one.method === old.method &&
      one.type === old.type &&
      one.status === old.status &&
      hostOf(one.url) !== null &&
      !known.has(keyOf(one)) &&
      isLike(pathOf(one.url), pathOf(old.url)),
  );
  const addresses = new Set(news.map(keyOf));
  const [now] = news;
  if (!now || addresses.size !== 1)
    return { why: "No single request was sent in the place of the one that is expected." };
  const written = addressLike(url as string, pathOf(old.url), pathOf(now.url));
  if (written === null) return { why: "The new address cannot be written like the old one." };
  return {
    mending: {
      kind: "assertion_drift",
      sources: [],
      edits: [{ kind: "replace", step: step.index, action: wanted.put(written) }],
      summary: `The request to ${pathOf(old.url)} goes to ${pathOf(now.url)} now.`,
      confidence: 0.75,
      evidence: [
        {
          text: `In the last pass ${old.method} ${pathOf(old.url)} was answered with ${old.status}.`,
          step_id: step.id,
          events: [old.seq],
          of: "pass",
        },
        {
          text: `Now ${now.method} ${pathOf(now.url)} is answered with ${now.status}, and nobody asks ${pathOf(old.url)}.`,
          step_id: step.id,
          events: [now.seq],
          of: "run",
        },
      ],
      fromStep: step.index,
    },
  };
}

function requestOf(action: Action) {
  if (action.verb === "wait_for_request")
    return {
      url: action.url,
      method: action.method,
      status: null,
      put: (url: Text): Action => ({ ...action, url }),
    };
  if (action.verb !== "expect" || action.not || action.expectation.type !== "request") return null;
  const { expectation } = action;
  return {
    url: expectation.url,
    method: expectation.method,
    status: expectation.status,
    put: (url: Text): Action => ({ ...action, expectation: { ...expectation, url } }),
  };
}

/** An address, or a title, that is another one now while the page is the same. */
export function mendPlace(failure: Failure): Found {
  const { action } = failure.step;
  const [now, then] = [pageNow(failure), pageThen(failure)];
  if (action.verb !== "expect" || action.not || !now) return null;
  const { expectation } = action;
  if (expectation.type !== "url" && expectation.type !== "title") return null;
  if (!then) return { why: "No pass of this scenario shows where the page was." };
  if (typeof expectation.text !== "string")
    return { why: "The expected address is put together by the run." };
  const headings = (page: typeof now) =>
    page.parts
      .filter(({ element }) => element.tag === "h1")
      .map(({ element }) => element.name)
      .join(" ");
  if (expectation.type === "url") {
    if (headings(now) !== headings(then) || headings(now) === "" || now.title !== then.title)
      return { why: "The page that is shown is another one than in the last pass." };
    const written = addressLike(expectation.text, pathOf(then.url), pathOf(now.url));
    if (written === null || pathOf(then.url) === pathOf(now.url))
      return { why: "The new address cannot be written like the old one." };
    return mended(
      failure,
      written,
      `The page "${now.title}" is at ${pathOf(now.url)} now, and was at ${pathOf(then.url)}.`,
      0.7,
    );
  }
  const before = expectation.text;
  const at = then.title.indexOf(before);
  if (at < 0) return { why: "The page of the last pass has another title." };
  const [head, tail] = [then.title.slice(0, at), then.title.slice(at + before.length)];
  if (!now.title.startsWith(head) || !now.title.endsWith(tail))
    return { why: "More than the expected part of the title has changed." };
  const after = now.title.slice(head.length, now.title.length - tail.length).trim();
  const old = then.parts.find(({ element }) => element.tag === "h1") ?? then.parts[0]!;
  const part = now.parts.find(({ element }) => element.tag === "h1") ?? now.parts[0]!;
  const meaning = meaningOf(before, after, failure, { old, now: part, isSure: true });
  if (!meaning.isMeant) return { why: meaning.why };
  return mended(
    failure,
    after,
    `The page's title "${before}" is "${after}" now.`,
    meaning.confidence,
    meaning.evidence,
  );
}

function mended(
  { step }: Failure,
  text: string,
  summary: string,
  confidence: number,
  evidence: Extract<NonNullable<Found>, { mending: unknown }>["mending"]["evidence"] = [],
): Found {
  const { action } = step;
  if (action.verb !== "expect" || (action.expectation.type !== "url" && action.expectation.type !== "title"))
    return null;
  return {
    mending: {
      kind: "assertion_drift",
      sources: [],
      edits: [
        {
          kind: "replace",
          step: step.index,
          action: { ...action, expectation: { ...action.expectation, text } },
        },
      ],
      summary,
      confidence,
      evidence: [{ text: summary, step_id: step.id, events: [], of: "run" }, ...evidence],
      fromStep: step.index,
    },
  };
}

/**
 * An expected address with the parts of the path anew that changed; stars and the length of what is expected stay. Null when the
 * two paths have not as many parts in common, or what changed is data.
 */
export function addressLike(expected: string, was: string, is: string): string | null {
  if (expected.includes(was) && was.length > 1) return expected.replace(was, is);
  const [old, now] = [was.split("/"), is.split("/")];
  if (old.length !== now.length) return null;
  let written = expected;
  for (const [at, part] of old.entries()) {
    if (part === now[at] || part === "") continue;
    // What has digits is most likely an id.
    if (/\d/.test(part) && /\d/.test(now[at]!)) continue;
    const parts = written.split("/");
    const place = parts.indexOf(part);
    if (place < 0) return null;
    parts[place] = now[at]!;
    written = parts.join("/");
  }
  return written === expected ? null : written;
}

/** Whether two paths ask for the same kind of thing: what stands last says which. */
function isLike(a: string, b: string): boolean {
  const wordsIn = (path: string) => path.split(/[/_.-]/).join(" ");
  const last = (path: string) =>
    path
      .split("/")
      .filter((part) => /\p{L}/u.test(part))
      .at(-1) ?? "";
  return overlap(wordsIn(a), wordsIn(b)) >= 0.3 && overlap(wordsIn(last(a)), wordsIn(last(b))) >= 0.3;
}

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? url;
const hostOf = (url: string): string | null => URL.parse(url)?.host ?? null;
const keyOf = ({ method, url }: Exchange): string => `${method} ${pathOf(url)}`;

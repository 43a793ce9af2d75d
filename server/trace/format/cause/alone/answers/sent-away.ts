import { fetchesPages } from "../../exchanges/fetched-pages.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import {
  aboutUrl,
  addressOf,
  bodyOf,
  hasSeveralWords,
  headerOf,
  pathOf,
  quoted,
  requestOf,
  SIGN_IN,
} from "../../words.ts";

const MOST = 60;
/** Words of pages that stand between a person and the site. */
const CHALLENGE =
  /checking your browser|not a robot|are you (?:a )?human|verify (?:that )?you are|just a moment|attention required|under maintenance|be right back|be back soon/i;
const FILE = /\.(?:pdf|csv|zip|xlsx?|docx?|tgz|gz|tar|ics)$/i;

/** What came was not what was asked for, by the answer's own words: a sign-in, a challenge, a page instead of a file. */
export function detectOtherAnswer(evidence: Evidence): Finding[] {
  const answers = answersBefore(evidence, MOST);
  return answers.flatMap((one) => {
    const told =
      sentAway(evidence, one) ??
      pageForFile(evidence, one) ??
      challenge(evidence, one) ??
      formBack(evidence, one);
    return told === null
      ? []
      : [
          {
            detail: null,
            step_id: one.step_id,
            events: [one.seq],
            ts: one.end ?? one.ts,
            is_new: null,
            about: aboutUrl(one.url, evidence.run.facts),
            ...told,
          },
        ];
  });
}

type Told = Pick<Finding, "kind" | "title" | "weight">;

/** Data that a script asked for and was sent elsewhere for: to the sign-in, or to another thing. */
function sentAway(evidence: Evidence, one: Exchange): Told | null {
  const { facts } = evidence.run;
  const location = headerOf(one.headers, "location");
  const to = location === null ? null : URL.parse(location, one.url);
  const from = URL.parse(one.url);
  if (!/^(?:xhr|fetch)$/.test(one.type ?? "") || !to || !from || !isRedirect(one)) return null;
  const bare = (path: string) => path.replace(/(?<!\/)\/+$/, "");
  if (bare(to.pathname) === bare(from.pathname)) return null;
  const isSignIn = SIGN_IN.test(to.pathname) && !SIGN_IN.test(from.pathname);
  // What a form sent leads on to a page.
  if (!isSignIn && one.method !== "GET" && (fetchesPages(evidence) || isLedOn(evidence, one, to)))
    return null;
  return {
    kind: "redirected",
    title: `${requestOf(one, facts)} was redirected to ${addressOf(to.href, facts)} (${one.status})${isSignIn ? ": what came is the sign-in, not what the page asked for" : ""}`,
    weight: isSignIn ? 0.93 : 0.6,
  };
}

/** Whether the page then stood where it was led to, and the step does not say that it should be elsewhere. */
const isLedOn = ({ run, failed }: Evidence, one: Exchange, to: URL): boolean =>
  !/URL/.test(failed.title) &&
  run.facts.pages.some(({ ts, url }) => ts >= one.ts && pathOf(url) === to.pathname);

const isRedirect = ({ status }: Exchange) =>
  status !== null && status >= 300 && status < 400 && status !== 304;

/** A page where the address names a file. */
function pageForFile({ run }: Evidence, one: Exchange): Told | null {
  const path = pathOf(one.url);
  if (!FILE.test(path) || !/html/.test(one.mediaType) || isRedirect(one)) return null;
  const said = saidIn(bodyOf(one, run.bodies));
  return {
    kind: "download",
    title: `${requestOf(one, run.facts)} was answered with a page${said ? ` (${quoted(said, 100)})` : ""} instead of the file`,
    weight: 0.93,
  };
}

/** A page that asks who is there, in the place of the site's own. */
function challenge({ run, failed }: Evidence, one: Exchange): Told | null {
  if (one.type !== "document" || one.ts > failed.to || isFailedExchange(one)) return null;
  const texts = textsOf(bodyOf(one, run.bodies) ?? "");
  const said = texts.length > 12 ? undefined : texts.find((text) => CHALLENGE.test(text));
  return said === undefined
    ? null
    : {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} was answered with a page that stands before the site's own: ${quoted(texts.slice(0, 3).join(" "), 160)}`,
        weight: 0.92,
      };
}

/** A form that came back under the address that it was sent to, with words that its first page has not. */
function formBack({ run, failed }: Evidence, one: Exchange): Told | null {
  if (one.type !== "document" || one.method === "GET" || (one.status ?? 0) >= 300) return null;
  const path = pathOf(one.url);
  const first = run.facts.exchanges.findLast(
    (other) =>
      other.ts < one.ts && other.method === "GET" && other.type === "document" && pathOf(other.url) === path,
  );
  const [body, before] = [one, first].map((other) => other && bodyOf(other, run.bodies));
  if (body === undefined || before === undefined || !/<form\b/i.test(body) || !/<form\b/i.test(before))
    return null;
  const known = new Set(textsOf(before));
  const said = textsOf(body).find((text) => !known.has(text) && hasSeveralWords(text));
  return said === undefined || one.ts < failed.from - 60_000
    ? null
    : {
        kind: "page_message",
        title: `${requestOf(one, run.facts)} gave the form back instead of leading on: the page says ${quoted(said, 120)}`,
        weight: 0.84,
      };
}

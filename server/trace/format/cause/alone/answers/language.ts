import { GARBLED } from "../../detectors/answers/headers.ts";
import { OPENS } from "../../page/filled.ts";
import { chosenIn, languageOfPage } from "../../page/page-language.ts";
import { targetOf } from "../../page/target.ts";
import { isMissing } from "../../run/missing-element.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { aboutUrl, bareOf, headerOf, quoted, requestOf } from "../../words.ts";
import { soughtBy } from "../requests/sought.ts";

const MOST = 60;
/** Common words of English, in which most suites name things. */
const ENGLISH = /\b(?:the|your|you|what|where|when|and|of|to|for|from|with|new|add|save|sign|search|name)\b/i;

/** Letters that were read in another encoding than they were written in, and a page in another language than the test's. */
export function detectLanguage(evidence: Evidence): Finding[] {
  return [...garbled(evidence), ...otherLanguage(evidence)];
}

function garbled(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const element = run.page?.elements.find(({ own, isHidden }) => !isHidden && GARBLED.test(own));
  const one = answersBefore(evidence, MOST, ({ type }) => type === "document").at(-1);
  if (!element || !one) return [];
  const charset = /charset=["']?([\w-]+)/i.exec(headerOf(one.headers, "content-type") ?? one.mediaType)?.[1];
  return [
    {
      kind: "answer_changed",
      title: `The page's letters are garbled (${quoted(element.own, 60)}): ${requestOf(one, run.facts)} is served ${charset ? `as charset=${charset}` : "without a charset"}, and was written in another encoding`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq, run.page!.shot.seq],
      ts: failed.from,
      is_new: null,
      weight: isMissing(evidence) || GARBLED.test(failed.received ?? "") ? 0.96 : 0.5,
      about: aboutUrl(one.url, run.facts),
    },
  ];
}

function otherLanguage(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const lang = languageOfPage(run)?.toLowerCase();
  const wanted = soughtBy(evidence)?.text ?? targetOf(evidence);
  if (!run.page || !lang || lang.startsWith("en")) return [];
  const one = answersBefore(evidence, MOST, ({ type }) => type === "document").at(-1);
  const asked = one && headerOf(one.requestHeaders, "accept-language");
  if (!one || !asked) return [];
  const isAsked = asked.toLowerCase().startsWith(lang.slice(0, 2));
  const chosen = isAsked ? null : chosenIn(evidence, lang);
  // A page of one language has it whatever a browser asks for.
  if (!isAsked && chosen === null) return [];
  const isEnglish = ENGLISH.test(wanted);
  const isSought = isMissing(evidence) && (isEnglish || chosen !== null || isFirstByName(evidence));
  if (!isSought && !isSameFigure(evidence)) return [];
  const texts = run.page.elements.filter(({ own, isHidden }) => !isHidden && own.length > 2);
  // What people wrote stays as it is, in whatever language the page comes.
  if (chosen === null && texts.filter(({ own }) => ENGLISH.test(own)).length * 5 > texts.length) return [];
  const came =
    chosen === null
      ? `and the page came in ${quoted(lang, 20)}`
      : `and the page came in ${quoted(lang, 20)}, which ${chosen.words}`;
  const looked = isEnglish
    ? `looks for English words (${quoted(wanted, 60)})`
    : `looks for ${quoted(wanted, 60)}`;
  return [
    {
      kind: "time",
      title: `The browser asked for the language ${quoted(asked, 40)} ${came}; the test ${isSought ? looked : `wants ${quoted(bareOf(failed.expected!), 60)}`}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [one.seq, ...(chosen === null ? [] : [chosen.seq]), run.page.shot.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.7,
    },
  ];
}

/** Whether the test has found nothing by a name since it opened the page: then nothing shows that it is of the page's language. */
function isFirstByName({ run: { facts }, failed }: Evidence): boolean {
  const opened = facts.steps.findLast(({ name, ts }) => OPENS.test(name) && ts < failed.from);
  return !facts.steps.some(
    ({ ts, isFailed, params: { selector } }) =>
      !isFailed && ts < failed.from && ts >= (opened?.ts ?? 0) && BY_NAME.test(String(selector ?? "")),
  );
}

const BY_NAME = /internal:(?:label|text|has-text)=|\[(?:name|placeholder|title|alt)="[^"]*\p{L}{3}/u;

/** Whether the test met the figure that it wants, with another word beside it: “24 Treffer” for “24 results”. */
function isSameFigure({ failed: { expected, received } }: Evidence): boolean {
  const [want, got] = [expected ?? "", received ?? ""].map((text) => bareOf(text).toLowerCase());
  const figures = [want, got].map((text) => figureOf(text!)?.text);
  return want !== got && figures[0] !== undefined && figures[0] === figures[1] && /\p{L}{3}/u.test(got!);
}

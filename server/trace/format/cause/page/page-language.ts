import { answersBefore } from "../run/select.ts";
import type { Evidence, RunEvidence, SeenPage } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../words.ts";

/** The language that a page says of itself (HTML's `lang`); null where it says none. */
export const languageOf = (page: SeenPage | null): string | null =>
  page?.elements.find(({ tag }) => tag === "html")?.attributes.lang ?? null;

/** The same of the page that the run ended on. */
export const languageOfPage = ({ page }: RunEvidence): string | null => languageOf(page);

/** The language that the page came in, where it came in another one in every pass; with that of the last. */
export function otherLanguage({ run, passes }: Evidence): { now: string; before: string } | null {
  const now = languageOfPage(run);
  const theirs = passes.map(languageOfPage);
  const [before] = theirs;
  return now !== null && before != null && theirs.every((lang) => lang !== null && lang !== now)
    ? { now, before }
    : null;
}

/** The last answer that gives a language by name, as somebody chose it for themselves: `POST /session answered for “user.locale”`. */
export function chosenIn(evidence: Evidence, lang: string): { words: string; seq: number } | null {
  const { bodies, facts } = evidence.run;
  for (const one of answersBefore(evidence, MOST, ({ mediaType }) => /json/.test(mediaType)).toReversed()) {
    const leaf = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).find(
      ({ path, value }) =>
        OF_LANGUAGE.test(path) &&
        typeof value === "string" &&
        value.toLowerCase().split(/[-_]/)[0] === lang.toLowerCase().split("-")[0],
    );
    if (leaf)
      return { words: `${requestOf(one, facts)} answered for ${quoted(leaf.path, 60)}`, seq: one.seq };
  }
  return null;
}

const MOST = 60;
const OF_LANGUAGE = /(?:^|\.)(?:\w*[lL]anguage|lang|\w*[lL]ocale)$/;

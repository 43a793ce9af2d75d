import { type Attempt, plainly } from "./attempt.ts";
import { detectIn } from "./detectors.ts";
import { headlineOf, toldDetail, toldTitle } from "./rank.ts";
import type { Cause, CauseKind, Evidence, Finding, Suspect } from "./types.ts";
import { requestOf } from "./words.ts";

/** What is said of a suspect that only the comparison shows; of a request its name comes first. */
const WORDS: Partial<Record<CauseKind, string>> = {
  answer_changed: "answered something else than in the last pass",
  stale_answer: "was not answered by the server as in the last pass",
  request_unsent: "A request of the last pass was not sent",
  redirected: "The page is at another address than in the last pass",
  script_failed: "A script is another one than in the last pass",
  page_changed: "The page looks otherwise than in the last pass",
  element_missing: "The page lacks something that it has in the last pass",
  time: "Time, zone or locale are others than in the last pass",
  storage: "Cookies or storage are others than in the last pass",
};
const GENERAL = "Something went otherwise than in the last pass";

/**
 * A cause as whoever is handed the failed run alone may have it. The passes are other traces, with values of their own: what
 * is kept word for word is what the run tells when it is looked at without them. Order and events stay.
 */
export function sharedCause(cause: Cause, evidence: Evidence, attempt: Attempt = plainly): Cause {
  if (evidence.passes.length === 0) return cause;
  const { failed } = evidence;
  const own = { ...evidence, failed: failed.isExpectedByPasses ? { ...failed, expected: null } : failed };
  const alone = detectIn({ ...own, passes: [] }, attempt);
  const words = new Set(alone.flatMap(textsOf));
  const suspects = cause.suspects.map((suspect): Suspect => {
    if (words.has(suspect.title)) return { ...suspect, detail: ownDetail(suspect, words) };
    const same = alone.find(
      ({ kind, events }) => kind === suspect.kind && events.some((seq) => suspect.events.includes(seq)),
    );
    const title = same ? toldTitle(same.title) : inGeneral(suspect, evidence);
    return { ...suspect, title, detail: ownDetail(suspect, words) };
  });
  return {
    failed_step: cause.failed_step,
    headline: headlineOf(suspects, evidence.failed),
    suspects,
    also_when_passing: cause.also_when_passing.filter(({ title }) => words.has(title)),
  };
}

/** A suspect's detail may be the title of another finding about the same thing. */
const textsOf = ({ title, detail }: Finding): string[] =>
  [toldTitle(title), toldDetail(title), toldDetail(detail)].filter((text) => text !== null);

const ownDetail = ({ detail }: Suspect, own: ReadonlySet<string>): string | null =>
  detail !== null && own.has(detail) ? detail : null;

function inGeneral({ kind, events }: Suspect, { run: { facts } }: Evidence): string {
  const words = WORDS[kind];
  const exchange = facts.exchanges.find(
    ({ seq, requestSeq }) => events.includes(seq) || (requestSeq !== null && events.includes(requestSeq)),
  );
  if (!exchange) return words && /^[A-Z]/.test(words) ? words : GENERAL;
  return `${requestOf(exchange, facts)} ${words && /^[a-z]/.test(words) ? words : "went otherwise than in the last pass"}`;
}

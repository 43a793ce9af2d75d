import type { Finding, RunEvidence } from "../types.ts";
import { quoted } from "../words.ts";
import { WRITE } from "./one-thing.ts";
import { askedOfOtherHost } from "./other-host.ts";
import { readEmpty } from "./read-empty.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import { SINCE } from "./since.ts";
import { TOLD_AS_ONE } from "./told-as-one.ts";

/** The address of a write without its last word, and the method: what is done with a thing, by whichever word. */
const sideOf = (about: string | undefined): string | null =>
  /^(?:sent url|unsent [A-Z]+) (\S+)\/[a-z_-]+$/i.exec(about ?? "")?.[1] ?? null;

/** Whether a write went out once more after the step after which the passes send its counterpart: undone is what is done again. */
const isInstead = (again: Finding, unsent: Finding, { facts }: RunEvidence): boolean => {
  const side = sideOf(again.about);
  const isAfter = () => facts.steps.some(({ seq, ts }) => seq === unsent.events[0] && ts <= (again.ts ?? 0));
  return (
    again.kind === "request_repeated" &&
    unsent.kind === "request_unsent" &&
    again.is_new === true &&
    unsent.is_new === true &&
    side !== null &&
    side === sideOf(unsent.about) &&
    WRITE.test(unsent.title) &&
    WRITE.exec(unsent.title)![0].split(" ")[0] === again.title.split(" ")[0] &&
    isAfter()
  );
};

/** What was sent in the place of another write is told with that, and before what is read afterwards. */
const sentInstead: Rule = (finding, { news, evidence: { run } }) => {
  if (finding.kind === "request_unsent")
    return news.some((one) => isInstead(one, finding, run)) ? explained : null;
  if (finding.kind !== "request_repeated") return null;
  const unsent = news.find((one) => isInstead(finding, one, run));
  return unsent ? all(because(unsent), atLeast(0.98)) : null;
};

/** What the test prepared otherwise comes before an answer that lacks, or has, that very thing. */
const seededOtherwise: Rule = ({ seeded }, { news }) =>
  seeded !== undefined &&
  news.some(
    ({ kind, is_new, weight, title }) =>
      kind === "answer_changed" &&
      is_new === true &&
      weight >= TELLING &&
      seeded.some((text) => title.includes(quoted(text, 80))),
  )
    ? atLeast(0.97)
    : null;

/** Below it an answer says little of the failure. */
const TELLING = 0.8;

/** Rules of what was sent in the place of something else, of what is one with another finding, and of where it went another way first. */
export const INSTEAD: readonly Rule[] = [
  sentInstead,
  askedOfOtherHost,
  seededOtherwise,
  readEmpty,
  ...TOLD_AS_ONE,
  ...SINCE,
];

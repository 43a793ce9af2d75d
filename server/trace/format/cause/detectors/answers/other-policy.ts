import { headerOf, quoted, requestOf } from "../../words.ts";
import type { AnswerRule } from "./answer-rule.ts";

/** Headers that set a page apart from others or take something from it, with what browsers do by them. */
const POLICIES: readonly { name: string; meaning: string; isOfWindows?: true }[] = [
  {
    name: "cross-origin-opener-policy",
    meaning:
      "windows of other origins that the page opens cannot reach it, and it cannot reach them (window.opener is null)",
    isOfWindows: true,
  },
  {
    name: "cross-origin-embedder-policy",
    meaning: "what comes from other origins is taken only where it allows that",
  },
  { name: "cross-origin-resource-policy", meaning: "pages of other origins may not use it" },
  { name: "permissions-policy", meaning: "the page may use no feature that it takes away" },
  { name: "referrer-policy", meaning: "it rules what other addresses hear of where a request comes from" },
];

/** Where a window was opened, its tie to the page is what the test is about; else nobody knows what depends on a policy. */
const OF_WINDOWS = 0.9;
const OTHERWISE = 0.5;

/** A header by which browsers keep pages apart (HTML, opener and embedder policies; Fetch; Permissions Policy; Referrer Policy), that no pass has or that has another value in each. */
export const otherPolicy: AnswerRule = ({ run }, one, others) => {
  const changed = POLICIES.find(({ name }) => {
    const [before, ...usual] = others.map(({ headers }) => headerOf(headers, name));
    return usual.every((value) => value === before) && headerOf(one.headers, name) !== before;
  });
  if (!changed) return null;
  const { name, meaning, isOfWindows } = changed;
  const [now, before] = [one, others[0]!].map(({ headers }) => headerOf(headers, name));
  const hasOpened = run.facts.happenings.some(({ what }) => what === "popup");
  return {
    kind: "answer_changed",
    title:
      now == null
        ? `${requestOf(one, run.facts)} came without the header ${name}, which is ${quoted(before!, 80)} in the last pass: by that header ${meaning}`
        : `${requestOf(one, run.facts)} came with the header ${name} ${quoted(now, 80)}, ${before == null ? "which it has not in the last pass" : `where the last pass had ${quoted(before, 80)}`}: ${meaning}`,
    weight: isOfWindows && hasOpened ? OF_WINDOWS : OTHERWISE,
  };
};

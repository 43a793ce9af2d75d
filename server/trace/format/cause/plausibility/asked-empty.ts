import { typedIn } from "../exchanges/asked-typed.ts";
import { quoted } from "../words.ts";
import { isEmptied } from "./asked-old.ts";
import { all, atLeast, type Rule, say } from "./rule.ts";

/** A list that has nothing for what a test typed is told with that question. */
export const askedEmpty: Rule = (finding, { evidence: { run } }) => {
  const { kind, is_new, title, events } = finding;
  if (kind !== "answer_changed" || is_new === false || !(isEmptied(finding) || EMPTY.test(title)))
    return null;
  const one = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const asked = one && typedIn(one, run);
  if (!asked || title.includes(quoted(asked.text, 60))) return null;
  const words = say(`it was asked for ${quoted(asked.text, 60)} (${asked.name}), which the test had typed`);
  return is_new === null ? all(words, atLeast(0.8)) : words;
};

const EMPTY = /\bno items\b/;

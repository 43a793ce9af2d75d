import { inEnglish } from "./german.ts";
import { type Intent, SIGNS } from "./signs.ts";
import { mended } from "./slips.ts";

/** A question as the analyst read it. */
export interface Meant {
  intent: Intent;
  /** The number of the step that it names. */
  step: number | null;
  /** The part of an address that it names. */
  path: string | null;
  /** The text to look for. */
  text: string | null;
}

/** What is asked of a person or of the server, and no question about the recording. */
const ORDERS =
  /^(?:please )?(?:delete|remove|assign|rename|book|write|send|mail|deploy|merge|close|create|upload|buy|translate|pin|share)\b/;

const STEP = /\bsteps?\s*(?:number|no\.?|#)?\s*#?(\d{1,6})\b|\b(\d{1,6})(?:st|nd|rd|th) step\b/;
const PATH =
  /(?:^|[\s"'`(])(?:(?:get|post|put|patch|delete|head)\s+)?((?:https?:\/\/[^\s"'`]+)|\/[\w.~%-][^\s"'`?)]*)/i;
const QUOTED = /["“”„`]([^"“”„`]{1,200})["“”`]|(?<![\p{L}\p{N}])['‘]([^'’]{1,200})['’](?![\p{L}\p{N}])/u;
const LOOK_FOR =
  /^(?:please )?(?:search(?: for)?|find|grep(?: for)?|look for|look up|locate|suche nach)\s+(?:the (?:text|word|string) )?(.{1,200}?)[?.!]*$/i;
const A_WORD = /\b(?:word|text|string|phrase|term) (?!was|is|of|on|in|that|which)([\w.-]{2,60})/i;
const SEEKS =
  /\b(?:where|appear(?:s|ed)?|anything about|come[s]? up|mention\w*|contains?|anywhere|occur(?:s|red)?|show up|find|search|grep)\b/;

/** Whether something is to be done, which no question is. */
export const isOrder = (question: string): boolean => {
  const words = question.trim().toLowerCase();
  return ORDERS.test(inEnglish(words) ?? words);
};

/** Words that a question may be about where it is not understood, the longest first. */
export function subjectsOf(question: string): string[] {
  const words = question.match(/[\p{L}\p{N}_][\p{L}\p{N}_.-]{3,58}[\p{L}\p{N}_]/gu) ?? [];
  return [...new Set(words)]
    .filter((word) => !COMMON.test(word))
    .sort((a, b) => b.length - a.length)
    .slice(0, 3);
}
const COMMON =
  /^(?:about|after|again|also|because|been|before|being|could|does|doing|done|every|from|have|just|know|like|make|many|more|much|need|never|only|other|please|really|recording|should|some|something|still|tell|than|that|their|them|then|there|these|they|thing|things|this|those|trace|until|very|want|were|what|when|where|which|while|will|with|would|your)$/i;

/** What a question wants to know. @param previous what the one before it was about, for questions that go on with it */
export function readQuestion(question: string, previous: Meant | null = null): Meant {
  const typed = question.toLowerCase().replace(/[’‘]/g, "'").replace(/\s+/g, " ").trim();
  const words = inEnglish(typed) ?? mended(typed);
  const number = STEP.exec(words);
  const found = PATH.exec(question);
  const quoted = QUOTED.exec(question) ?? (SEEKS.test(words) ? A_WORD.exec(question) : null);
  const meant: Meant = {
    intent: "unknown",
    step: number ? Number(number[1] ?? number[2]) : null,
    path: found ? found[1]!.replace(/(?<![.,;:!])[.,;:!]+$/, "") : null,
    text: quoted ? (quoted[1] ?? quoted[2] ?? null) : null,
  };
  const wanted = LOOK_FOR.exec(question.trim());
  if (meant.text !== null && (SEEKS.test(words) || wanted)) return { ...meant, intent: "search" };
  if (wanted && !/\b(?:a|the) (?:fix|cause|reason|bug|problem)\b/.test(words))
    return { ...meant, intent: "search", text: meant.text ?? wanted[1]! };
  if (ORDERS.test(words)) return meant;
  if (meant.path !== null && !/\bon my machine\b/.test(words)) return { ...meant, intent: "request" };
  const best = strongest(words);
  // A step that is named is meant, unless the question is about something of it.
  if (meant.step !== null && !OF_A_STEP.has(best ?? "unknown")) return { ...meant, intent: "step" };
  if (best !== null) return { ...meant, intent: best };
  if (meant.text !== null) return { ...meant, intent: "search" };
  return goesOn(words, previous) ? { ...previous!, ...given(meant) } : meant;
}

/** What the tools can tell of one step. */
const OF_A_STEP = new Set<string>(["page", "fix", "reproduce"]);

function strongest(words: string): Intent | null {
  const sums = new Map<Intent, number>();
  for (const [intent, weight, sign] of SIGNS)
    if (sign.test(words)) sums.set(intent, (sums.get(intent) ?? 0) + weight);
  let best: Intent | null = null;
  for (const [intent, sum] of sums) if (best === null || sum > sums.get(best)!) best = intent;
  return best;
}

/** “And in step 4?”, “what about it”, “more” ask the same again. */
const goesOn = (words: string, previous: Meant | null): boolean =>
  previous !== null &&
  /^(?:and|what about|how about|more|go on|tell me more|continue|also|same)\b/.test(words);

const given = ({ step, path, text }: Meant): Partial<Meant> => ({
  ...(step === null ? {} : { step }),
  ...(path === null ? {} : { path }),
  ...(text === null ? {} : { text }),
});

import { type Meant, readQuestion } from "./intents.ts";

/** Questions that are answered at once. */
const MOST = 4;
/** Parts of a message that are looked at: what has more of them was pasted. */
const MOST_PARTS = 12;

/** What a message asks. */
export interface Asked {
  /** Each once, in their order; one that is `unknown` where none was understood. */
  questions: { words: string; meant: Meant }[];
  /** Questions that were not understood beside others that were, or are too many. */
  left: string[];
}

/** How a question begins, in a message that has several. */
const START =
  "(?:(?:why|since|what|which|how|is|was|did|does|where|when|who|should|can|warum|wieso|seit|welche|wie|ist|wo|wann)\\b|step \\d|schritt \\d|\\/\\w)";
const BEGINS = new RegExp(
  `^(?:please |bitte )?(?:${START}|(?:show|tell|give|list|explain|describe|compare|find|search|look|zeig|erzähl|suche|vergleiche)\\b)`,
  "i",
);
const BETWEEN = new RegExp(
  `(?<=[?!])\\s+|(?<=[a-z\\d)"]\\.)\\s+|\\s*[\\r\\n;]+\\s*|,?\\s+(?:and|und)\\s+(?:then\\s+|also\\s+|dann\\s+)?(?=${START})|,\\s+(?=${START})`,
  "i",
);

/**
 * Reads a message, which may ask several things: by sentences, lines, and an “and” before a word that begins a question.
 * @param previous what was asked before it, for questions that go on with it
 */
export function readQuestions(message: string, previous: Meant | null): Asked {
  const whole = { words: message, meant: readQuestion(message, previous) };
  const all = message
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  // Beside questions, sentences and pasted lines only say what they are about.
  const asking = all.filter((part) => part.endsWith("?") || BEGINS.test(part));
  const parts = (asking.length > 0 ? asking : all).slice(0, MOST_PARTS);
  if (all.length < 2) return { questions: [whole], left: [] };
  const known: Asked["questions"] = [];
  const left: string[] = [];
  let before = previous;
  for (const words of parts) {
    const meant = readQuestion(words, before);
    if (meant.intent === "unknown") {
      if (words.endsWith("?")) left.push(words);
      continue;
    }
    before = meant;
    if (!known.some((one) => isSame(one.meant, meant))) known.push({ words, meant });
  }
  const [first] = known;
  if (!first) return { questions: [whole], left: [] };
  // A greeting is none beside a question.
  const asked = known.length > 1 ? known.filter(({ meant }) => meant.intent !== "help") : known;
  return {
    questions: asked.slice(0, MOST),
    left: [...left, ...asked.slice(MOST).map(({ words }) => words)],
  };
}

const isSame = (one: Meant, other: Meant): boolean =>
  one.intent === other.intent &&
  one.step === other.step &&
  one.path === other.path &&
  one.text === other.text;

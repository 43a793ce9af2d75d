import { isBefore } from "../../compare.ts";
import { isNamedByTest } from "../../exchanges/difference-rank.ts";
import { tell } from "../../exchanges/difference-words.ts";
import { type Difference, differencesOf, varyingIn } from "../../exchanges/differences.ts";
import { type OtherSent, otherSent } from "../../exchanges/other-sent.ts";
import { requestBodyOf, SECRET, VARYING } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isFigureOf } from "../../values/figures.ts";
import { pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { isOfTest } from "./sent-again.ts";

const MOST = 10;

/** What the test itself sent to prepare its data otherwise than in every pass. One pass does not tell whether that varies. */
export function detectSeededOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length < 2) return [];
  // Which one of more or fewer answers to which nobody knows.
  const isAsOften = (one: Exchange) => {
    const key = exchangeKey(one, run.facts);
    const [mine, ...theirs] = [run, ...passes].map(
      ({ facts }) => exchangesOf(facts, key).filter(isOfTest).length,
    );
    return theirs.every((count) => count === mine);
  };
  const seeds = run.facts.exchanges
    .filter((one) => isOfTest(one) && isBefore(evidence, one.ts))
    .slice(0, MOST)
    .filter(isAsOften);
  return seeds.flatMap((one): Finding[] => {
    const other = bodySent(evidence, one) ?? fieldSent(evidence, one);
    if (other === null) return [];
    return [
      {
        kind: "test_code",
        title: `The test itself ${SIGN_IN.test(pathOf(one.url)) && OF_ACCOUNT.test(other.words) ? "signed in as somebody else" : "prepared other data"}: ${requestOf(one, run.facts)} was sent ${other.words}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq],
        // However long ago it was.
        ts: failed.from,
        is_new: true,
        weight: other.isTold ? 0.97 : 0.6,
        isOfSetUp: true,
        ...(other.texts && { seeded: other.texts }),
      },
    ];
  });
}

/** What an account is known by. */
const OF_ACCOUNT = /^with the field (?:e_?mail|user(?:_?name)?|login|handle) /i;

interface Other {
  words: string;
  /** Whether the failed step speaks of it. */
  isTold: boolean;
  /** Of a field: the texts of the thing that it is of. */
  texts?: string[];
}

/** A list that was sent with more or fewer things than every pass sends, or a text that none sends. */
function bodySent(evidence: Evidence, one: Exchange): Other | null {
  const { run, passes, failed } = evidence;
  const key = exchangeKey(one, run.facts);
  const mine = sentIn(one, run);
  const theirs = passes.map((pass) =>
    exchangesOf(pass.facts, key)
      .filter(isOfTest)
      .map((other) => sentIn(other, pass)),
  );
  if (mine === undefined || theirs.some(({ length }) => length !== 1)) return null;
  const apart = differencesOf(theirs[0]![0], mine, varyingIn(theirs));
  const isUsual = (one: Difference) =>
    theirs.every(([other]) => differencesOf(other, mine).some((another) => isSame(another, one)));
  const resized = apart.find((one) => isResized(one) && isUsual(one));
  const added = apart.find((one) => isAdded(one) && isUsual(one));
  if (!resized) return added ? addedWords(evidence, added) : null;
  const [before, now] = [resized.before, resized.now].map((items) => Number.parseInt(String(items), 10) || 0);
  return {
    words: tell(resized, evidence),
    isTold:
      isNamedByTest([...(resized.gone ?? []), ...(resized.come ?? [])], evidence) ||
      (isFigureOf(before, failed.expected) && isFigureOf(now, failed.received)),
  };
}

const sentIn = (one: Exchange, run: RunEvidence): unknown => {
  const body = requestBodyOf(one, run);
  return body === undefined ? undefined : run.facts.normaliser.json(body);
};

const isResized = ({ before, now }: Difference): boolean =>
  before !== now &&
  [before, now].every((items) => typeof items === "string" && /^(?:no|\d+) items?$/.test(items));

/** What is told by its name alone, or is made for each run, tells nothing. */
const isAdded = ({ path, before, now, renamedTo }: Difference): boolean =>
  before === undefined &&
  renamedTo === undefined &&
  typeof now === "string" &&
  now.length > 2 &&
  !VARYING.test(now) &&
  !SECRET.test(path);

const addedWords = (evidence: Evidence, { path, now }: Difference): Other => ({
  words: `with ${quoted(String(now), 80)} for ${quoted(path.slice(1).replaceAll("/", "."), 80)}, which no pass sends`,
  isTold: isNamedByTest([String(now)], evidence),
});

const isSame = (one: Difference, other: Difference): boolean =>
  one.path === other.path && one.before === other.before;

/** A field that was sent with another value, told with what the thing is called by. */
function fieldSent(evidence: Evidence, one: Exchange): Other | null {
  const other = otherSent(evidence, one);
  if (!other?.path.startsWith("the field")) return null;
  const texts = [...aroundOf(other, one, evidence.run), other.before, other.now].filter(
    (text): text is string => typeof text === "string" && text.length > 2,
  );
  const named = texts.find((text) => isNamedByTest([text], evidence));
  const isOfDays = [other.before, other.now].every((value) => DAY.test(String(value)));
  // A day is no secret, whatever it is a part of.
  const words = isOfDays
    ? `with ${other.path} ${quoted(String(other.now), 40)} where the last pass sent ${quoted(String(other.before), 40)}`
    : other.words;
  return {
    words: `${words}${named === undefined || words.includes(named) ? "" : `, of ${quoted(named, 60)}`}`,
    isTold: named !== undefined,
    texts,
  };
}

const DAY = /^\d{4}-\d\d-\d\d(?:T|$)/;

/** The texts of the thing whose field it is. */
function aroundOf({ path }: OtherSent, one: Exchange, run: RunEvidence): unknown[] {
  const names = path.replace("the field ", "").split(".").slice(0, -1);
  let at = requestBodyOf(one, run);
  for (const name of names)
    at =
      typeof at === "object" && at !== null
        ? Object.entries(at).find(([key]) => key === name)?.[1]
        : undefined;
  return typeof at === "object" && at !== null && names.length > 0 ? Object.values(at) : [];
}

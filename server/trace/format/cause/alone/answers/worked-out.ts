import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";
import { topicsOf } from "../../run/operations.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const MOST_FIELDS = 8;
const HUNDRED = 100;

/** A sum of what was chosen on the page, each so many times what an answer has under its name: the parts of it that the page counts, or all of them where the test wants another sum. */
export function detectWorkedOut(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const [wanted, shown] = [want, got].map((text) => figureOf(text));
  if (wanted?.decimals !== 2 || shown?.decimals !== 2 || wanted.text === shown.text) return [];
  const counts = countsOn(run.page?.elements ?? []);
  if (counts.length === 0) return [];
  const answers = answersBefore(evidence, MOST, (one) => isRead(one, run) && !isForeign(one.url, run.facts));
  for (const one of answers.toReversed()) {
    const parts = partsOf(counts, leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")));
    if (parts.length < 2) continue;
    const [all, left] = [parts, leftOutOf(parts, shown.text)];
    const request = requestOf(one, run.facts);
    const title =
      sumOf(all) === shown.text
        ? `${request} answered what the page shows: ${quoted(got, 30)} is ${wordsOf(all)}, where the test wants ${quoted(want, 30)}`
        : left && sumOf(all) === wanted.text
          ? `The page shows ${quoted(got, 30)}, which leaves out ${wordsOf([left])}, as ${request} has it: with that it would be ${quoted(want, 30)}`
          : null;
    if (title !== null) return [answerFinding(evidence, one, title, 0.88)];
  }
  return [];
}

interface Count {
  name: string;
  count: number;
}
interface Part extends Count {
  each: number;
}

/** The fields of a page that say how many of something there are to be, but for those with none. */
const countsOn = (elements: readonly SeenElement[]): Count[] =>
  elements
    .filter(
      ({ tag, attributes, isHidden }) =>
        tag === "input" && !isHidden && /^[1-9]\d?$/.test(attributes.value ?? ""),
    )
    .slice(0, MOST_FIELDS)
    .map((field) => ({
      name: field.name || (aroundOf(elements, field).find(({ name }) => name !== "")?.name ?? ""),
      count: Number(field.attributes.value),
    }));

/** Each of them with the one number of an answer that goes by its name: “Adults” by `adult`. */
const partsOf = (counts: readonly Count[], leaves: readonly Leaf[]): Part[] =>
  counts.flatMap((one) => {
    const topics = topicsOf(one.name);
    const [leaf, ...others] = leaves.filter(
      ({ path, value }) => typeof value === "number" && value > 0 && isNamed(path, topics),
    );
    return leaf && others.length === 0 ? [{ ...one, each: Number(leaf.value) }] : [];
  });

function isNamed(path: string, topics: readonly string[]): boolean {
  const words = topicsOf(path.split(".").at(-1)!);
  return words.length > 0 && words.some((word) => topics.includes(word));
}

const sumOf = (parts: readonly Part[]): string =>
  (parts.reduce((sum, { count, each }) => sum + count * each, 0) / HUNDRED).toFixed(2);

/** The one without which the sum is that of the page. */
const leftOutOf = (parts: readonly Part[], shown: string): Part | undefined =>
  parts.find((left) => sumOf(parts.filter((one) => one !== left)) === shown);

const wordsOf = (parts: readonly Part[]): string =>
  parts
    .map(({ name, count, each }) => `${count} × ${(each / HUNDRED).toFixed(2)} (${quoted(name, 30)})`)
    .join(" + ");

import { hasSignOf } from "../../alone/answers/written-by.ts";
import type { Answer } from "../../exchanges/asked-again.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isSameText } from "../../page/shown-by.ts";
import { topicsOf } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { figureOf, isFigureOf } from "../../values/figures.ts";
import { isIdAt, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted } from "../../words.ts";

/** What the test wants to see, and what the page shows in its place: nothing in the element, or null where that is nowhere. */
export interface Seen {
  want: string;
  got: string | null;
}

/** Where an answer says what is wanted. */
export interface Said {
  words: string;
  /** Whether an answer of a pass says the same there. */
  isIn(answer: Answer, pass: RunEvidence): boolean;
  /** The list whose items the page counts in the place of it. */
  counted?: string;
  /** Whether it is no more than a number, or how many items a list has: others may be the same. */
  isFigure?: true;
}

/** Where an answer says what is wanted: in its data; where the page shows nothing at all, also in its markup or in a header of the product's own. */
export function saidBy(one: Exchange, run: RunEvidence, seen: Seen): Said | null {
  const body = bodyOf(one, run.bodies) ?? "";
  return (
    inData(jsonOf(body), seen) ?? (seen.got ? null : (inMarkup(one, body, seen) ?? inHeaders(one, seen)))
  );
}

function inMarkup({ mediaType }: Exchange, body: string, { want }: Seen): Said | null {
  const isIn = (text: string) => textsOf(text).some((one) => isSameText(one, want));
  if (!/html/.test(mediaType) || !isIn(body)) return null;
  return {
    words: quoted(want, 80),
    isIn: ({ exchange }, pass) => isIn(bodyOf(exchange, pass.bodies) ?? ""),
  };
}

/** By such headers servers tell a page's scripts what to do besides: `HX-Trigger`. */
const OWN_HEADER = /^(?:hx|x)-/;
const LONGEST_HEADER = 4_000;

function inHeaders({ headers }: Exchange, { want }: Seen): Said | null {
  const leafIn = (value: string) => {
    const data = value.length <= LONGEST_HEADER ? jsonOf(value) : undefined;
    const leaves = data === undefined ? [{ path: "", value }] : leavesOf(data);
    return leaves.find((leaf) => typeof leaf.value === "string" && isSameText(leaf.value, want));
  };
  for (const { name, value } of headers) {
    const leaf = OWN_HEADER.test(name) ? leafIn(value) : undefined;
    if (!leaf) continue;
    return {
      words: `${quoted(want, 80)}${leaf.path === "" ? "" : ` for ${quoted(leaf.path, 80)}`} in its header ${name}`,
      isIn: ({ exchange }) =>
        exchange.headers.some((other) => other.name === name && leafIn(other.value)?.path === leaf.path),
    };
  }
  return null;
}

function inData(data: unknown, { want, got }: Seen): Said | null {
  const leaves = leavesOf(data);
  const [figure, met] = [figureOf(want), got ? figureOf(got) : null];
  const isOther = figure !== null && Number(figure.text) !== 0 && met?.text !== figure.text;
  const isSaid = ({ value: one }: Leaf) =>
    typeof one === "string" &&
    (isSameText(one, want) ||
      (!!got && !isOther && hasSignOf(one, want) && !hasSignOf(one, got) && figure !== null));
  const isFigure = ({ path, value: one }: Leaf) =>
    isOther &&
    !isIdAt(path) &&
    !IN_LIST.test(path) &&
    isFigureOf(one, want) &&
    !isFigureOf(one, got) &&
    (figure.text.length > 1 || isCalledSo(path, want));
  const leaf = leaves.find(isSaid) ?? leaves.find(isFigure);
  const counts = countsIn(leaves);
  if (leaf !== undefined) {
    const counted = met && [...counts].find(([, count]) => String(count) === met.text)?.[0];
    return {
      words: `${quoted(String(leaf.value), 80)}${leaf.path === "" ? "" : ` for ${quoted(leaf.path, 80)}`}`,
      isIn: ({ value }) =>
        leavesOf(value).some((other) => other.path === leaf.path && other.value === leaf.value),
      ...(!isSaid(leaf) && { isFigure: true }),
      ...(counted && isFigure(leaf) && { counted }),
    };
  }
  const list =
    isOther &&
    figure.decimals === 0 &&
    [...counts].find(
      ([path, count]) =>
        String(count) === figure.text &&
        (figure.text.length > 1 || met?.text === "0" || isCalledSo(path, want)),
    );
  if (!list) return null;
  const [path, count] = list;
  return {
    words: `with ${count === 1 ? "1 item" : `${count} items`} for ${quoted(path, 80)}`,
    isIn: ({ value }) => countsIn(leavesOf(value)).get(path) === count,
    isFigure: true,
  };
}

/** Whether a place goes by a word of a text: a figure of one digit is that of many things. Of a bare figure nobody knows. */
function isCalledSo(path: string, text: string): boolean {
  const topics = topicsOf(text);
  return topics.length === 0 || topicsOf(path).some((topic) => topics.includes(topic));
}

const IN_LIST = /(?:^|\.)\d+(?:\.|$)/;

/** How many items the outermost lists of an answer have, by their paths. */
function countsIn(leaves: readonly Leaf[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of leaves) {
    const parts = path.split(".");
    const at = parts.findIndex((part) => /^\d+$/.test(part));
    if (at <= 0) continue;
    const list = parts.slice(0, at).join(".");
    counts.set(list, Math.max(counts.get(list) ?? 0, Number(parts[at]) + 1));
  }
  return counts;
}

import type { Exchange } from "../../trace/format/cause/run/run-facts.ts";
import { isLooser, isState, saysOtherwise, wordsOf } from "../guardrails/words.ts";
import { overlap, stem } from "./counterpart.ts";
import { isControl, isText, type PageModel, type Part, squashed } from "./page-model.ts";
import type { EvidenceLine, Failure } from "./types.ts";
import { unsaidWord } from "./wording.ts";

/** Whether a change of words is the product's wish. */
export type Meaning =
  | { isMeant: true; evidence: EvidenceLine[]; confidence: number }
  | { isMeant: false; why: string };

/**
 * Judges whether a text was changed on purpose. What only the state of the application decides (amounts, how something ended,
 * what a server answered) is never taken for a change of words. For it speak: the application's own source holds the new text
 * where it held the old one; the same words were changed elsewhere too; or no word was lost, but for one of the same meaning, and it
 * is surely the same element.
 * @param places the element before and now
 */
export function meaningOf(
  before: string,
  after: string,
  failure: Failure,
  places: { old: Part; now: Part; isSure: boolean },
): Meaning {
  const refused = (why: string): Meaning => ({ isMeant: false, why });
  const otherwise = saysOtherwise(before, after) ?? isLooser(before, after);
  if (otherwise !== null) return refused(`The new text ${otherwise}: "${before}" and "${after}".`);
  if (isAlarm(places.now) && !isAlarm(places.old))
    return refused(`"${after}" stands in an alert, which "${before}" did not.`);
  const answered = answeredBy(before, after, failure);
  if (answered)
    return refused(`"${after}" comes from an answer of ${answered.url}: it is data, not wording.`);
  if (failure.pass && stoodBefore(after, failure.pass.pages))
    return refused(`"${after}" stood on the page in the last pass too, so that it proves nothing.`);
  const source = sourceOf(before, after, failure);
  if (source)
    return {
      isMeant: true,
      confidence: 0.9,
      evidence: [
        {
          text: `${source.url} held "${before}" in the last pass, and holds "${after}" now: the wording was changed in the source.`,
          step_id: null,
          events: [source.seq],
          of: "run",
        },
      ],
    };
  const name = nameIn(before, after) ?? nameIn(after, before) ?? movedName(before, after);
  if (name !== null)
    return refused(`"${before}" became "${after}", and "${name}" is a name: it is data, not wording.`);
  const elsewhere = changedElsewhere(before, after, failure, places);
  if (elsewhere.length > 0)
    return { isMeant: true, confidence: 0.75 + Math.min(0.1, elsewhere.length * 0.05), evidence: elsewhere };
  const unsaid = unsaidWord(before, after);
  if (places.isSure && unsaid !== null)
    return refused(
      `"${after}" no longer says "${unsaid}" of "${before}", and nothing shows that the product only words it anew: neither the source that the trace holds nor another place of the application changed alike.`,
    );
  if (places.isSure && overlap(before, after) >= 0.5)
    return {
      isMeant: true,
      confidence: 0.65,
      evidence: [
        {
          text: `"${before}" and "${after}" say the same in nearly the same words, in the same element.`,
          step_id: failure.step.id,
          events: [],
          of: "run",
        },
      ],
    };
  return refused(
    `Nothing shows that "${after}" is meant to stand where "${before}" stood: neither the source that the trace holds nor another place of the application changed alike.`,
  );
}

const ALARM = /\b(?:alert|error|danger|warning|bad|fail(?:ed|ure)?|invalid)\b/i;

function isAlarm(part: Part): boolean {
  for (let at: Part | null = part; at; at = at.parent)
    if (at.element.role === "alert" || ALARM.test(at.element.attributes.class ?? "")) return true;
  return false;
}

/** The answer of a server that holds the new text as data. */
function answeredBy(before: string, after: string, { run, pass }: Failure): Exchange | null {
  const holds = (exchange: Exchange, bodies: Map<number, string>, text: string) =>
    /json|xml/.test(exchange.mediaType) && (bodies.get(exchange.seq)?.includes(text) ?? false);
  const now = run.evidence.facts.exchanges.find((one) => holds(one, run.evidence.bodies, after));
  if (now) return now;
  const was = pass?.evidence.facts.exchanges.find((one) => holds(one, pass.evidence.bodies, before));
  return was ?? null;
}

function stoodBefore(text: string, pages: readonly PageModel[]): boolean {
  const wanted = squashed(text);
  return pages.some(
    ({ parts, title }) =>
      squashed(title).includes(wanted) ||
      parts.some(({ element }) => squashed(element.text).includes(wanted)),
  );
}

/** A script that lost the old text and gained the new one. Pages that a server draws are no source: their words may be data. */
function sourceOf(before: string, after: string, { run, pass }: Failure): Exchange | null {
  if (!pass) return null;
  const scripts = ({ evidence }: NonNullable<typeof pass>) =>
    evidence.facts.exchanges.flatMap((one) => {
      const body = evidence.bodies.get(one.seq);
      if (body === undefined || (one.type !== "script" && one.type !== "document")) return [];
      return [{ one, body: one.type === "script" ? body : scriptsIn(body) }];
    });
  const [now, was] = [scripts(run), scripts(pass)];
  const text = (all: { body: string }[], wanted: string) => all.some(({ body }) => body.includes(wanted));
  if (!text(was, before) || text(now, before) || text(was, after)) return null;
  return now.find(({ body }) => body.includes(after))?.one ?? null;
}

/** A word in the middle of a sentence that is written like a name and that the other text has not: who is greeted, what is sold. */
function nameIn(text: string, other: string): string | null {
  const there = new Set(wordsOf(other));
  const all = text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const capitals = all.filter((word) => /^\p{Lu}/u.test(word)).length;
  // Where every word begins with a capital it says nothing.
  if (all.length > 2 && capitals === all.length) return null;
  // The first word of a sentence is one only where something belongs to it: "Ada's cart".
  const may = all.filter((word, at) => at > 0 || /['’]s$/.test(word));
  return may.find((word) => /^\p{Lu}/u.test(word) && !there.has(word.toLowerCase())) ?? null;
}

/** The first name that has changed its place among the others: from here to there, and back. */
function movedName(before: string, after: string): string | null {
  const names = (text: string): string[] => text.match(/(?<=[^.!?\s]\s+)\p{Lu}[\p{L}'’-]+/gu) ?? [];
  const [was, is] = [names(before), names(after)];
  const both = was.filter((name) => is.includes(name));
  const order = is.filter((name) => was.includes(name));
  return both.find((name, at) => order[at] !== name) ?? null;
}

/** A script that a page holds counts as a script. */
const scriptsIn = (body: string): string =>
  body
    .split(/<script\b[^<>]*>/i)
    .slice(1)
    .map((rest) => rest.split(/<\/script>/i, 1)[0])
    .join("\n");

/** The words that one text lost and another gained, in their order. */
function swap(before: string, after: string): { lost: string[]; gained: string[] } {
  const [old, now] = [wordsOf(before).map(stem), wordsOf(after).map(stem)];
  return {
    lost: old.filter((word) => !now.includes(word)),
    gained: now.filter((word) => !old.includes(word)),
  };
}

const isSwap = (a: ReturnType<typeof swap>, b: ReturnType<typeof swap>): boolean =>
  a.lost.length > 0 &&
  a.gained.length > 0 &&
  a.lost.join(" ") === b.lost.join(" ") &&
  a.gained.join(" ") === b.gained.join(" ");

/**
 * Other places of the application that made the same change of words: a link, a button, a heading. What other texts say may be the
 * same data. A page's title and its heading tell the same thing, so that the two alone are one witness; what names a state is none.
 */
function changedElsewhere(
  before: string,
  after: string,
  { run, pass }: Failure,
  { old }: { old: Part },
): EvidenceLine[] {
  if (!pass) return [];
  const wanted = swap(before, after);
  if ([...wanted.lost, ...wanted.gained].some(isState)) return [];
  const seen = new Set<string>();
  const lines: EvidenceLine[] = [];
  for (const now of run.pages) {
    const was = pass.pages.find((page) => page.step === now.step);
    if (!was) continue;
    const lostParts = partsOnly(was, now).filter(
      (part) => squashed(part.element.own) !== squashed(old.element.own),
    );
    const gainedParts = partsOnly(now, was);
    for (const part of gainedParts) {
      const twin = lostParts.find(
        (one) => one.path === part.path && isSwap(swap(textOf(one), textOf(part)), wanted),
      );
      if (!twin || seen.has(textOf(part))) continue;
      const isSamePlace = squashed(textOf(twin)) === squashed(before);
      if (isSamePlace && !isControl(part)) continue;
      if (!isControl(part) && part.element.role !== "heading") continue;
      seen.add(textOf(part));
      lines.push({
        text: `The same words changed elsewhere: "${textOf(twin)}" is "${textOf(part)}" now.`,
        step_id: `s${now.step}`,
        events: [now.seq],
        of: "run",
      });
    }
  }
  return lines.slice(0, 5);
}

const textOf = (part: Part): string =>
  (isControl(part) ? part.element.name : part.element.own) || part.element.own;

/** Parts of a page whose text the other page has nowhere. */
function partsOnly(of: PageModel, other: PageModel): Part[] {
  const there = new Set(other.parts.map((part) => squashed(textOf(part))));
  return of.parts.filter(
    (part) => (isText(part) || isControl(part)) && textOf(part) !== "" && !there.has(squashed(textOf(part))),
  );
}

import { oneLine } from "../../../error-text.ts";
import { counted } from "../../../words.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { emptyColumn } from "../../page/empty-column.ts";
import { textsOf } from "../../page/page-texts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { aboutUrl, bodyOf, pathOf, quoted, requestOf } from "../../words.ts";
import { isServedPage } from "../requests/one-thing.ts";
import { holds, soughtBy } from "../requests/sought.ts";

const MOST_ANSWERS = 30;
/** Of a list, the items that are looked for on the page. */
const MOST_ITEMS = 20;
/** Of an item, and of the page, what is compared: together a fraction of a second on any input. */
const MOST_TEXTS = 8;
const MOST_SHOWN = 40;
const LEAST_TEXT = 3;
const LONGEST_TEXT = 160;

/**
 * Where the page's things come from, when one of them is missing: the answer that has the others and not that one; or,
 * where an answer has it and the page does not show it, that answer.
 */
export function detectLeftOut(evidence: Evidence): Finding[] {
  const sought = soughtBy(evidence);
  const { run } = evidence;
  if (!sought || !run.page || !isMissing(evidence)) return [];
  const answers = answersBefore(evidence, MOST_ANSWERS, isData).toReversed();
  const held = answers.find((one) => leafWith(evidence, one, sought.text) !== undefined);
  const list = answers.flatMap((one) => listOf(evidence, one, sought.others.slice(0, MOST_SHOWN)) ?? [])[0];
  // What an earlier answer held and the one that the page shows does not was there before.
  if (
    list &&
    (held === undefined || held.ts < list.one.ts) &&
    !holds(bodyOf(list.one, run.bodies) ?? "", sought.text)
  )
    return [leftOut(evidence, list, sought.text)];
  return held === undefined ? [] : notShown(evidence, held, sought.text);
}

/** Words of a product, which a page shows where it needs them, and no things of it. */
const WORDING = /[/._-](?:locales?|i18n|l10n|lang(?:uage)?s?|translations?|strings)(?:[/._-]|$)/i;

const isData = ({ type, mediaType, url }: Exchange) =>
  /^(?:xhr|fetch|document)$/.test(type ?? "") &&
  !/javascript|css/.test(mediaType) &&
  !WORDING.test(pathOf(url));

interface Listed {
  one: Exchange;
  /** `4 items for “rows”`, or nothing of a page that the server rendered. */
  words: string;
}

/** The list of an answer whose items the page shows; null where it has none. */
function listOf({ run }: Evidence, one: Exchange, others: readonly SeenElement[]): Listed | null {
  const shown = others.map(({ text, name }) => `${text} ${name}`);
  // Each thing has its own button: what one thing alone says may be a word of what another button does.
  const isOfButtons = others.every(({ role }) => role === "button");
  const body = bodyOf(one, run.bodies);
  if (body === undefined || shown.length === 0) return null;
  const value = jsonOf(body);
  if (value === undefined) {
    if (!/html/.test(one.mediaType) || !isServedPage(one, run)) return null;
    const texts = textsOf(body).filter((text) => text.length > LEAST_TEXT);
    const had = shown.filter((text) => texts.some((said) => text.includes(said)));
    return had.length * 2 > shown.length ? { one, words: "" } : null;
  }
  for (const { path, items } of listsIn(value)) {
    const seen = items
      .slice(0, MOST_ITEMS)
      .filter((item) => textsIn(item).some((text) => shown.some((other) => other.includes(text))));
    const least = Math.min(items.length, MOST_ITEMS, isOfButtons ? MOST_ITEMS : shown.length);
    if (seen.length === 0 || seen.length * 2 < least) continue;
    return {
      one,
      words: ` ${counted(items.length, "item")}${path === "" ? "" : ` for ${quoted(path, 80)}`},`,
    };
  }
  return null;
}

function leftOut({ run }: Evidence, { one, words }: Listed, text: string): Finding {
  const stale = staleness(one);
  const what =
    words === ""
      ? ` came without ${quoted(text, 80)}`
      : ` answered with${words} none of which has ${quoted(text, 80)}`;
  return {
    kind: stale === null ? "answer_changed" : "stale_answer",
    title: `${requestOf(one, run.facts)}${what}, which the test looks for; the page shows what else it has${stale === null ? "" : `; it came ${stale}`}`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    is_new: null,
    weight: words === "" ? 0.66 : 0.72,
    isLeftOut: true,
    about: aboutUrl(one.url, run.facts, one.operation),
  };
}

/** The value of an answer that is, or says, the sought words. */
function leafWith({ run }: Evidence, one: Exchange, sought: string) {
  const body = bodyOf(one, run.bodies);
  if (body === undefined || !holds(body, sought)) return undefined;
  return leavesOf(jsonOf(body)).find(
    ({ value }) => typeof value === "string" && value.length <= 4 * sought.length && holds(value, sought),
  );
}

function notShown(evidence: Evidence, one: Exchange, sought: string): Finding[] {
  const { run } = evidence;
  const isShown = run.page!.elements.some(
    ({ isHidden, text, name, attributes }) =>
      !isHidden && [text, name, attributes.value ?? ""].some((said) => holds(said, sought)),
  );
  // A page that was recorded before the answer came may have shown it since.
  if (isShown || run.page!.shot.ts < (one.end ?? one.ts)) return [];
  const leaf = leafWith(evidence, one, sought)!;
  const column = emptyColumn(run.page!.elements);
  const why =
    column === null
      ? "the page looks for it elsewhere, leaves it out, or had not drawn it yet"
      : `its column ${quoted(column, 40)} is empty in every row, so that it may look for the value by another name`;
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(one, run.facts)} answered with ${quoted(sought, 80)} for ${quoted(leaf.path, 80)}, but the page does not show it: ${why}`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq, run.page!.shot.seq],
      ts: one.end ?? one.ts,
      is_new: null,
      weight: column === null ? 0.6 : 0.85,
      about: aboutUrl(one.url, run.facts, one.operation),
    },
  ];
}

/** The words of an item that a page may show. */
const textsIn = (item: unknown): string[] =>
  leavesOf(item)
    .flatMap(({ value }) => {
      const text = typeof value === "string" ? oneLine(value) : "";
      const isWords =
        text.length > LEAST_TEXT &&
        text.length <= LONGEST_TEXT &&
        !/^\d{4}-\d\d-\d\dT|^https?:|^[\w-]{20,}$/.test(text);
      return isWords ? [text] : [];
    })
    .slice(0, MOST_TEXTS);

import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, told, wantedOn } from "../../page/wanted.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** What Playwright says of an element that cannot do what the step asks of it, with what that needs. */
const REFUSALS: [RegExp, string][] = [
  [/Element is not a <(\w+)>/, "a <$1>"],
  [/Element is not an <input>, <textarea>/, "a field to write in"],
  [/Not a checkbox or radio button/, "a checkbox or radio button"],
  [/Input of type "([\w-]+)" cannot be filled/, "a field to write in, not one of type $1"],
  [/(?:Node|Element) is not an? HTML(\w+?)Element|Node is not an? (\w+)/, "<$1$2>"],
  [/Element is not an <input type="?file/, "a field for files"],
  [/Cannot type text into input\[type=(\w+)\]/, "a field that takes any text, not one of type $1"],
];

/** An element that was found and is of another kind than the step needs: the page was built anew beneath its name. */
export function detectAnotherElement(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (SINGLE.test(failed.message) && seq !== null) return [ofOneFile(evidence, seq)];
  const refusal = REFUSALS.find(([pattern]) => pattern.test(failed.message));
  if (!refusal || seq === null) return [];
  const [pattern, words] = refusal;
  const needed = pattern
    .exec(failed.message)![0]
    .replace(pattern, words)
    .replace(/<(\w+)>/, (_, tag: string) => `<${tag.toLowerCase()}>`);
  const target = targetOf(evidence);
  const resolved = (failed.step?.log ?? [])
    .map((line) => /locator resolved to (<.+)/.exec(line)?.[1])
    .findLast((markup) => markup !== undefined);
  const now = foundOn(evidence, run.page?.elements ?? [], tagOf(resolved ?? ""));
  const before = passes.flatMap(
    ({ page }) => foundOn(evidence, page?.elements ?? [], tagOf(needed)) ?? [],
  )[0];
  const is = now
    ? `${told(now)} (<${now.tag}>)`
    : resolved
      ? quoted(oneLine(resolved), 120)
      : "another element";
  return [
    {
      kind: "element_renamed",
      title: `${target} is ${is} now, where the step needs ${needed}${before && before.tag !== now?.tag ? `; in the last pass it was ${told(before)} (<${before.tag}>)` : ""}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.9,
    },
  ];
}

/** The tag that markup begins with; null where it begins with none. */
const tagOf = (markup: string): string | null =>
  /^(?:an? )?<([\w-]+)/.exec(markup)?.[1]?.toLowerCase() ?? null;

/** What the step's locator found on a page, of several that go by its name the one of a tag: what is left out of a locator may have told them apart. */
function foundOn(
  evidence: Evidence,
  elements: readonly SeenElement[],
  tag: string | null,
): SeenElement | undefined {
  const named = [...foundWithin(targetOf(evidence), elements), ...wantedOn(evidence, elements)];
  return named.find((one) => one.tag === tag) ?? (tag === null || named.length === 1 ? named[0] : undefined);
}

const SINGLE = /Non-multiple file input/;

/** A field for files that takes one, where the step gives it several (HTML, 4.10.5.3.8: `multiple`). */
function ofOneFile(evidence: Evidence, seq: number): Finding {
  const { failed, passes } = evidence;
  const before = passes.map(({ page }) => wantedOn(evidence, page?.elements ?? [])[0]);
  const wasMultiple =
    before.length > 0 && before.every((one) => one !== undefined && one.attributes.multiple !== undefined);
  return {
    kind: "page_changed",
    title: `${targetOf(evidence)} takes a single file: it has no attribute “multiple”${wasMultiple ? ", which it has in the last pass" : ""}, and the step gives it several files`,
    detail: null,
    step_id: failed.step?.step_id ?? null,
    events: [seq],
    ts: failed.to,
    is_new: passes.length === 0 ? null : true,
    weight: 0.92,
  };
}

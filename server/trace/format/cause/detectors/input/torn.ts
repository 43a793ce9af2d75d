import { sameAct, TYPES } from "../../page/acts.ts";
import { FIELD, nameOf, writtenBetween } from "../../page/written.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Act, Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { quoted } from "../../words.ts";

const FEWEST = 4;
/** Letters that two texts end with by chance are fewer. */
const REST = 3;

/** Text that a test typed and that stands in two fields, the beginning in one and the rest in another: something took the focus. */
export function detectTornTyping({ run, passes, failed }: Evidence): Finding[] {
  const typing = run.acts?.filter(({ step, left }) => left !== null && TYPES.test(step.name)) ?? [];
  // What is typed later goes on where the focus went then.
  const act = typing.find((one) => tornBy(one) !== null);
  const found = (act && tornBy(act)) ?? (passes.length === 0 ? tornOn(run, failed.to) : null);
  if (!found) return [];
  const { typed, page, words, parts } = found;
  const isUsual = passes.some((pass) => {
    const same = act && sameAct(run, act, pass);
    return same != null && tornBy(same) !== null;
  });
  return [
    {
      kind: "page_changed",
      title: `What the test typed (${quoted(textOf(typed)!, 40)}) was torn apart: ${words}; something took the focus away meanwhile`,
      detail: null,
      step_id: typed.step_id,
      events: [typed.seq, page.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : !isUsual,
      weight: 0.97,
      about: `torn ${typed.seq}`,
      ...(parts && { parts }),
    },
  ];
}

interface Torn {
  typed: Step;
  page: SeenPage;
  words: string;
  /** Of a text that arrived whole: what each field got of it. */
  parts?: [string, string];
}

/** By what the fields held before and after: the rest went into one that held something else before. */
function tornBy({ step, met, left }: Act): Torn | null {
  const text = textOf(step);
  if (text === null || left === null) return null;
  const changed = writtenBetween(met, left);
  if (changed === null) return null;
  for (const rest of changed) {
    const end = rest.more ?? rest.text;
    if (end === text || end.length < REST || !text.endsWith(end)) continue;
    const begun = text.slice(0, -end.length);
    const start = changed.find(
      // A key at which the page does something stands in neither.
      (one) =>
        one !== rest &&
        (one.more === begun || one.more === begun.slice(0, -1) || one.text.endsWith(begun.trim())),
    );
    if (start)
      return {
        typed: step,
        page: left,
        words: `${quoted(start.name, 60)} got ${quoted(start.more ?? begun, 40)}, and the rest (${quoted(end, 40)}) went into ${quoted(rest.name, 60)}`,
        parts: [begun, end],
      };
  }
  return null;
}

/** By the page at the failure alone. */
function tornOn({ facts, page }: RunEvidence, by: number): Torn | null {
  const typed = facts.steps.findLast(({ name, ts }) => TYPES.test(name) && ts <= by);
  const text = typed ? textOf(typed) : null;
  if (!page || !typed || text === null) return null;
  const fields = page.elements.filter(
    (one) => FIELD.test(one.tag) && !one.isHidden && (one.attributes.value ?? "") !== "",
  );
  for (const rest of fields) {
    const end = rest.attributes.value!;
    if (end === text || end.length < 2 || !text.endsWith(end)) continue;
    // A field that was made anew meanwhile lost the beginning.
    const start = fields.find((one) => one !== rest && one.attributes.value === text.slice(0, -end.length));
    if (!start && (end.length < REST || fields.some((one) => one.attributes.value === text))) continue;
    return {
      typed,
      page,
      words: `${start ? `${quoted(nameOf(start), 60)} holds ${quoted(start.attributes.value!, 40)} and ` : "only its end is left, "}${quoted(nameOf(rest), 60)} holds ${quoted(end, 40)}`,
    };
  }
  return null;
}

const textOf = ({ params: { text } }: Step): string | null =>
  typeof text === "string" && text.length >= FEWEST ? text : null;

import { targetOf } from "../../page/target.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** Answers of which switches are made. */
export const SWITCHES =
  /flag|feature|config|setting|bootstrap|capabilit|permission|entitle|toggle|(?:^|[\s./])(?:may|can|allow)(?:[._]|$)/i;
const READ_ONLY = /^read_?only$/i;
const RIGHTS = /^(?:role|access|access_?level)$/i;
const FEW_RIGHTS = /^(?:viewer|reader|guest|read[-_ ]?only|restricted|visitor)$/i;

/** A part of the page that is not there, where an answer says that it is switched off, or that this person may only read. */
export function detectWithheld(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const isAwaited = /waiting for event "(?:download|popup|dialog|filechooser)"/.test(failed.message);
  // What was not found has no state.
  const state = failed.received === null ? undefined : STATES.exec(failed.expected ?? "")?.[1];
  const isHidden = failed.step?.log.some((line) => line.includes("element is not visible")) === true;
  if (!isMissing(evidence) && !isAwaited && !isHidden && state === undefined) return [];
  const words = wordsIn(
    `${targetOf(evidence)} ${failed.title} ${run.facts.steps.findLast(({ ts }) => ts < failed.to)?.title ?? ""} ${run.page ? pathOf(run.page.shot.url) : ""}`,
  );
  const isAct = isAwaited || !SHOWS.has(wantedBy(lastPartOf(targetOf(evidence))).role ?? "");
  for (const one of answersBefore(evidence, MOST).toReversed())
    for (const leaf of leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""))) {
      const weight = state === undefined ? weightOf(one, leaf, words, isAct) : stateWeight(leaf, evidence);
      if (weight === null) continue;
      return [
        {
          kind: "answer_changed",
          title: `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 40)} for ${quoted(leaf.path, 80)}${state === undefined ? ", which may be why the page leaves out what the test looks for" : `, where the test wants it to be ${state}`}`,
          detail: null,
          step_id: one.step_id,
          events: [one.seq],
          ts: failed.from,
          is_new: null,
          weight,
          about: aboutUrl(one.url, run.facts, one.operation),
          isSwitchOff: state === undefined,
        },
      ];
    }
  return [];
}

/** What is looked for by what it shows, and not by what can be done with it: who may only read sees that too. */
const SHOWS = new Set(
  "heading grid table list listitem row cell gridcell img article region main status".split(" "),
);

/** States of a field that a switch of an answer makes. */
const STATES = /^"?(checked|unchecked|enabled|disabled|true|false)"?$/;

/** The very switch that the locator names, and that is as the page shows it. */
function stateWeight({ path, value }: Leaf, evidence: Evidence): number | null {
  const isOn = /^"?(?:checked|enabled|true)/.test(evidence.failed.expected!);
  const name = path.split(".").at(-1)!;
  return value === !isOn && name.length > 3 && targetOf(evidence).includes(name) ? 0.84 : null;
}

function weightOf(
  { url }: Exchange,
  { path, value }: Leaf,
  words: ReadonlySet<string>,
  isAct: boolean,
): number | null {
  const name = path.split(".").findLast((part) => !/^\d+$|^v\d+$/.test(part)) ?? "";
  if (isAct && value === true && READ_ONLY.test(name)) return 0.6;
  // Of a person in a list of people it says nothing of the one who looks.
  if (
    isAct &&
    typeof value === "string" &&
    RIGHTS.test(name) &&
    FEW_RIGHTS.test(value) &&
    !/\.\d+\./.test(path)
  )
    return 0.6;
  if (value !== false || !SWITCHES.test(`${url} ${path}`)) return null;
  return [...wordsIn(path)].some((word) => words.has(word) || words.has(stemOf(word))) ? 0.66 : null;
}

const COMMON = new Set([
  "getby",
  "role",
  "name",
  "text",
  "button",
  "feature",
  "flag",
  "enabl",
  "locator",
  "test",
  "click",
  "show",
]);

/** What a word of four letters is with an ending: `saved` beside “Save view”, `views` beside “View”. */
const stemOf = (word: string): string => (word.length === 5 ? word.replace(/[ds]$/, "") : word);

/** Words of four letters and more, by their first five letters: `assignment` and “Assign”. */
const wordsIn = (text: string): Set<string> =>
  new Set(
    (
      text
        .replace(/getBy\w+|([a-z])([A-Z])/g, (_, a = "", b = "") => `${a} ${b}`)
        .toLowerCase()
        .match(/\p{L}{4,}/gu) ?? []
    )
      .map((word) => word.slice(0, 5))
      .filter((word) => !COMMON.has(word)),
  );

import { oneLine } from "../../../error-text.ts";
import { oncePer } from "../../once.ts";
import { knownActs } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, pathOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

const MOST_ANSWERS = 20;
const FEWEST_LOST = 2;
const MOST_NAMED = 2;

/** A page that shows what an action brought in the place of what stood there, where every pass shows both: more of a list replaced the list. */
export function detectReplacedList(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const act = knownActs(evidence).at(-1);
  const { page } = run;
  if (!act || !page || passes.length === 0 || passes.some((pass) => pass.page === null)) return [];
  if (pathOf(page.shot.url ?? "") !== pathOf(act.met.shot.url ?? "")) return [];
  const answers = answersBefore(evidence, MOST_ANSWERS, (one) => textsIn(evidence, one).size > 0);
  const isLater = ({ ts }: Exchange) => ts >= act.step.ts - 5;
  const known = answers.filter((one) => !isLater(one)).map((one) => textsIn(evidence, one));
  const [before, now, ...usual] = [act.met, page, ...passes.map((pass) => pass.page!)].map(({ elements }) =>
    placesOf(elements),
  ) as [Places, Places, ...Places[]];
  const isUsual = ([text, place]: [string, string]) => usual.every((places) => places.get(text) === place);
  const come = [...now].filter((one) => !before.has(one[0]) && isUsual(one));
  const lostWith = (brought: ReadonlySet<string>): string[] => {
    const places = new Set(come.flatMap(([text, place]) => (brought.has(text) ? [place] : [])));
    const stood = [...before].filter(
      ([text, place]) => places.has(place) && known.some((one) => one.has(text)),
    );
    const isLost = stood.every((one) => !now.has(one[0]) && !brought.has(one[0]) && isUsual(one));
    return isLost ? stood.map(([text]) => text) : [];
  };
  const more = answers.find((one) => isLater(one) && lostWith(textsIn(evidence, one)).length >= FEWEST_LOST);
  if (!more) return [];
  const lost = lostWith(textsIn(evidence, more));
  const names = lost.slice(0, MOST_NAMED).map((text) => quoted(text, 60));
  const others = lost.length - names.length;
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `After ${quotedStep(act.step)} the page shows only what ${requestOf(more, run.facts)} brought then: it replaced the list, of which ${names.join(", ")}${others > 0 ? ` and ${others} more` : ""} are gone, instead of adding to it, as in the last pass${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [act.step.seq, more.seq, page.shot.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.9,
      about: `replaced ${more.seq}`,
    },
  ];
}

/** The texts of an answer. */
const textsIn = oncePer(
  ({ run }: Evidence, one: Exchange): ReadonlySet<string> =>
    new Set(
      leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).flatMap(({ value }) =>
        typeof value === "string" && value.length > 2 ? [oneLine(value)] : [],
      ),
    ),
);

type Places = Map<string, string>;

/** What a page shows, by the kind and depth of the element that says it: what is in one list is in like elements. */
const placesOf = (elements: readonly SeenElement[]): Places =>
  new Map(
    elements.flatMap(({ own, tag, depth, isHidden }) =>
      isHidden || own === "" ? [] : [[oneLine(own), `${tag} ${depth}`]],
    ),
  );

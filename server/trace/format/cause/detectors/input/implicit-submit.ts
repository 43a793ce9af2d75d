import { foundBy, sameAct } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";
import type { Act, Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

const PRESSES = /press$/i;
/** What buttons are called that send nothing. */
const UNDOES = /^(?:clear|reset|cancel|remove|delete|discard|close|back|undo|hide|show|toggle|×|x)\b/i;

/** Enter in a field presses the first button of its form that sends it (HTML, implicit submission): another one than in passes, or without a pass one that undoes something. */
export function detectImplicitSubmit({ run, passes, failed }: Evidence): Finding[] {
  const step = run.facts.steps.findLast(
    ({ kind, name, end, params }) =>
      kind === "agent.action" && end <= failed.from && PRESSES.test(name) && params.key === "Enter",
  );
  // A key goes wherever the focus is: most of the time where something was typed right before.
  const field = step && run.acts?.findLast((act) => act.step.seq <= step.seq && foundBy(act) !== null);
  const [pressed, other] = (field && submitsOf(field)) ?? [];
  if (!step || !field || !pressed || pressed.name === "") return [];
  const usual = passes.map((pass) => {
    const same = sameAct(run, field, pass);
    return same && submitsOf(same)[0];
  });
  const isOther =
    passes.length === 0
      ? other !== undefined && UNDOES.test(pressed.name)
      : usual.every((button) => button && button.name !== "" && button.name !== pressed.name);
  if (!isOther) return [];
  const meant = passes.length === 0 ? other!.name : usual[0]!.name;
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(step)} pressed the button ${quoted(pressed.name, 60)} and not ${quoted(meant, 60)}: it is the first of the form that sends it, as it has no type="button"`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq, field.met.shot.seq],
      ts: step.end,
      is_new: passes.length === 0 ? null : true,
      weight: 0.93,
      about: `acted ${step.seq}`,
    },
  ];
}

/** The buttons that send the form in which a key was pressed, in their order. */
function submitsOf(act: Act): SeenElement[] {
  const { elements } = act.met;
  const field = foundBy(act);
  const form = field && aroundOf(elements, field).find(({ tag }) => tag === "form");
  if (!form) return [];
  const from = elements.indexOf(form) + 1;
  const end = elements.findIndex((one, at) => at >= from && one.depth <= form.depth);
  return elements
    .slice(from, end < 0 ? elements.length : end)
    .filter(
      ({ tag, attributes }) =>
        (tag === "button" && /^(?:submit)?$/i.test(attributes.type ?? "")) ||
        (tag === "input" && /^(?:submit|image)$/i.test(attributes.type ?? "")),
    );
}

import { sameAct, TYPES } from "../../page/acts.ts";
import { MAX_TEXT, type SeenElement } from "../../page/page-view.ts";
import { FIELD } from "../../page/written.ts";
import type { Act, Evidence, Failed, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

const FEWEST = 4;

/** Text that reached its field only up to a letter at which a dialog opened: the page took the letter for a shortcut, and the rest went elsewhere. */
export function detectCutOff({ run, passes, failed }: Evidence): Finding[] {
  const act = run.acts?.findLast(
    ({ step }) => TYPES.test(step.name) && !step.isFailed && step.ts <= failed.from,
  );
  const lost = act ? lostIn(act, run, failed) : null;
  if (!act || !lost) return [];
  const isUsual = passes.some((pass) => {
    const same = sameAct(run, act, pass);
    return same !== null && lostIn(same, pass) !== null;
  });
  const { text, reached, dialog, after } = lost;
  const letter = text.slice(reached.length).trimStart()[0]!;
  return [
    {
      kind: "page_changed",
      title: `Of ${quoted(text, 60)}, which the test typed, ${reached === "" ? "nothing" : `only ${quoted(reached, 60)}`} arrived: at ${quoted(letter)} ${dialog} opened and took the focus, as a shortcut of the page or by itself`,
      detail: null,
      step_id: act.step.step_id,
      events: [act.step.seq, after.shot.seq],
      ts: act.step.end,
      is_new: passes.length === 0 ? null : !isUsual,
      weight: 0.96,
      about: `torn ${act.step.seq}`,
    },
  ];
}

interface Lost {
  text: string;
  /** What of it the field got. */
  reached: string;
  dialog: string;
  after: SeenPage;
}

function lostIn(act: Act, run: RunEvidence, failed: Failed | null = null): Lost | null {
  const given = act.step.params.text;
  const after = act.left ?? run.page;
  if (typeof given !== "string" || after === null) return null;
  const text = given.trim();
  const dialog = text.length >= FEWEST ? openedBetween(act, after) : null;
  const reached = dialog === null ? null : reachedIn(text, after, failed);
  return dialog === null || reached === null ? null : { text, reached, dialog, after };
}

/** What a dialog is called that the page has now and had not before; null where there is none. */
function openedBetween({ met }: Act, after: SeenPage): string | null {
  const dialog = after.elements.find(isOpenDialog);
  if (!dialog || met.elements.some(isOpenDialog) || met.shot.url !== after.shot.url) return null;
  const inside = after.elements.slice(after.elements.indexOf(dialog) + 1);
  const name = dialog.name || inside.find(({ role, isHidden }) => role === "heading" && !isHidden)?.text;
  return name ? `the dialog ${quoted(name, 60)}` : "a dialog";
}

const isOpenDialog = ({ tag, role, isHidden, attributes }: SeenElement): boolean =>
  !isHidden &&
  (/^(?:alert)?dialog$/.test(role) || tag === "dialog") &&
  (tag !== "dialog" || "open" in attributes);

/** How much of a text its field got: as the test read it, or as the page has it; null where it got all, or none is known that got a part. */
function reachedIn(text: string, { elements }: SeenPage, failed: Failed | null): string | null {
  if (failed?.received != null && bareOf(failed.expected ?? "") === bareOf(text)) {
    const got = bareOf(failed.received);
    return got.length < text.length && text.startsWith(got) ? got : null;
  }
  const held = elements.flatMap(({ tag, own, attributes: { value = "", contenteditable } }) =>
    FIELD.test(tag) ? [value.trimEnd()] : contenteditable === undefined ? [] : [own.trimEnd()],
  );
  if (held.some((one) => one.includes(text))) return null;
  for (let end = Math.min(text.length - 1, MAX_TEXT); end >= FEWEST_REACHED; end--) {
    const begun = text.slice(0, end).trimEnd();
    if (held.some((one) => one.endsWith(begun))) return begun;
  }
  return null;
}

/** What a field ends with by chance is shorter. */
const FEWEST_REACHED = 3;

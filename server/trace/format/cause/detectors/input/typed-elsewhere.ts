import { sameAct, TYPES } from "../../page/acts.ts";
import { writtenBetween } from "../../page/written.ts";
import type { Act, Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { hiddenField } from "./hidden-field.ts";
import { withoutFocus } from "./without-focus.ts";

const FEWEST = 2;

/** A text that a test typed and that went as a whole into one field in every pass, and here into another one, or nowhere. */
export function detectTypedElsewhere(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  for (const act of run.acts ?? []) {
    if (act.step.isFailed || act.step.ts > failed.to || !TYPES.test(act.step.name)) continue;
    const text = textOf(act);
    const usual = text === null ? null : usualField(evidence, act);
    const taken = text === null ? null : takenBy(act, text);
    if (usual === null || taken === null || taken === usual) continue;
    // What went into several is told as torn apart.
    if (taken === undefined) return [];
    const hidden = taken === "" ? hiddenField(evidence, act, usual) : null;
    const why = hidden
      ? `that field is hidden, which it is not in the last pass: ${hidden.words}`
      : taken === ""
        ? withoutFocus(evidence, act, usual)
        : "the focus was elsewhere by then";
    const went = taken === "" ? "arrived in no field" : `went into ${quoted(taken, 60)}`;
    return [
      {
        kind: "page_changed",
        title: `What the test typed (${quoted(text!, 60)}) ${went}, where it went into ${quoted(usual, 60)} in the last pass: ${why}`,
        detail: null,
        step_id: act.step.step_id,
        events: [act.step.seq, act.left!.shot.seq, ...(hidden ? [hidden.seq] : [])],
        ts: act.step.end,
        is_new: true,
        weight: 0.97,
        about: `torn ${act.step.seq}`,
      },
    ];
  }
  return [];
}

const textOf = ({ step: { params } }: Act): string | null =>
  typeof params.text === "string" && params.text.length >= FEWEST ? params.text : null;

/** The field that took the whole text: empty where none took any of it, undefined where several did or one took a part; null where pages do not tell. */
function takenBy({ met, left }: Act, text: string): string | null | undefined {
  const written = left && writtenBetween(met, left);
  if (!written) return null;
  const [one, ...more] = written;
  if (!one) return "";
  return more.length === 0 && one.more === text ? one.name : undefined;
}

/** The field that takes what every pass types there, which may be another text each time; null where there is none. */
function usualField({ run, passes }: Evidence, act: Act): string | null {
  const names = new Set(
    passes.map((pass) => {
      const same = sameAct(run, act, pass);
      const text = same && textOf(same);
      return text ? takenBy(same, text) : null;
    }),
  );
  const [name] = names;
  return names.size === 1 && name ? name : null;
}

import { servedElements } from "../../exchanges/served-elements.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST_PAGES = 5;
const NAMED = /shortcut|hot-?key|key-?binding/i;
/** What one key is called on different machines. */
const CONTROL = /^(?:control|ctrl|mod|controlormeta|cmdorctrl)$/i;

/** A shortcut that the test pressed last, where the page was served with another one for the same key and nothing came of it. */
export function detectOtherShortcut(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const pressed = run.facts.steps.findLast(
    ({ kind, name, end, params }) =>
      kind === "agent.action" &&
      end <= failed.from &&
      /press$/i.test(name) &&
      /\+./.test(String(params.key ?? "")),
  );
  if (!pressed || !isMissing(evidence)) return [];
  const keys = keysOf(String(pressed.params.key));
  for (const page of answersBefore(evidence, MOST_PAGES, ({ type }) => type === "document").toReversed())
    for (const { tag, name, value } of shortcutsIn(page, run)) {
      const served = keysOf(value);
      if (served.key !== keys.key || served.held === keys.held) continue;
      if (passes.some((pass) => hasShortcut(pass, value))) continue;
      return [
        {
          kind: "page_changed",
          title: `The test presses ${quoted(String(pressed.params.key), 40)}, and ${requestOf(page, run.facts)} came with ${name}=${quoted(value, 40)} in <${tag}>: other keys open it`,
          detail: null,
          step_id: pressed.step_id,
          events: [pressed.seq, page.seq],
          ts: pressed.end,
          is_new: passes.length === 0 ? null : true,
          weight: 0.9,
          about: `acted ${pressed.seq}`,
        },
      ];
    }
  return [];
}

interface Shortcut {
  tag: string;
  name: string;
  value: string;
}

const shortcutsIn = (page: Exchange, { bodies }: RunEvidence): Shortcut[] =>
  servedElements(bodyOf(page, bodies) ?? "").flatMap(({ tag, attributes }) =>
    [...attributes].flatMap(([name, value]) =>
      NAMED.test(name) && value.includes("+") ? [{ tag, name, value }] : [],
    ),
  );

const hasShortcut = (pass: RunEvidence, value: string): boolean =>
  pass.facts.exchanges.some(
    (one) => one.type === "document" && shortcutsIn(one, pass).some((other) => other.value === value),
  );

/** The key, and what is held with it, however they are written. */
function keysOf(text: string): { key: string; held: string } {
  const parts = text
    .toLowerCase()
    .split("+")
    .map((part) => part.trim());
  const held = parts
    .slice(0, -1)
    .map((part) =>
      CONTROL.test(part) ? "control" : /^(?:meta|cmd|command|super|win)$/.test(part) ? "meta" : part,
    );
  return { key: parts.at(-1)!, held: held.sort().join("+") };
}

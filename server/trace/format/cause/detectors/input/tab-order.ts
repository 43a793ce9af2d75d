import type { SeenElement } from "../../page/page-view.ts";
import { aroundOf } from "../../page/within.ts";
import type { RunFacts, Step } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isTracker, quoted, quotedStep } from "../../words.ts";

/** Actions before the failure among which the Tab key is looked for. */
const MOST_STEPS = 8;
const PRESSES = /press$/i;
const TAB = /^(?:Shift\+)?Tab$/;

/** What the Tab key passes by, where the test pressed it: an element with a negative `tabindex`, which passes have not, or without a pass any button. */
export function detectPassedByTab({ run, passes, failed }: Evidence): Finding[] {
  const { page, facts } = run;
  const tab = lastOf(
    facts.steps,
    MOST_STEPS,
    ({ kind, end }) => kind === "agent.action" && end <= failed.from,
  ).findLast(({ name, params }) => PRESSES.test(name) && TAB.test(String(params.key ?? "")));
  // Without a pass it is told where the key that was to press it brought nothing about: what has a way of its own for the mouse is left out as well.
  if (!tab || !page || (passes.length === 0 && !isWithoutEffect(tab, facts, failed.to))) return [];
  const isUsual = passes.map((pass) => reachedIn(pass));
  const passed = page.elements.find(
    (one) =>
      isPassedBy(one) &&
      !one.isHidden &&
      (passes.length === 0
        ? isPlainButton(one, page.elements)
        : isUsual.every((reached) => reached.has(keyOf(one)))),
  );
  if (!passed) return [];
  return [
    {
      kind: "page_changed",
      title: `The Tab key passes by the ${passed.role || passed.tag} ${quoted(passed.name, 80)}: it has tabindex="${passed.attributes.tabindex}"${passes.length > 0 ? ", which it has not in the last pass" : ""}, so that the keys after ${quotedStep(tab)} went elsewhere`,
      detail: null,
      step_id: tab.step_id,
      events: [tab.seq, page.shot.seq],
      ts: tab.end,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.9 : 0.96,
      about: `acted ${tab.seq}`,
    },
  ];
}

/** Whether Enter or Space was pressed after a Tab, and nothing was sent or opened since: pages ask for what is new all the time. */
function isWithoutEffect({ end }: Step, { steps, exchanges }: RunFacts, to: number): boolean {
  const pressed = steps.find(
    ({ name, params, ts }) =>
      ts >= end && PRESSES.test(name) && /^(?:Enter|Space| )$/.test(String(params.key ?? "")),
  );
  return (
    pressed !== undefined &&
    !exchanges.some(
      ({ ts, url, method, type }) =>
        ts >= pressed.ts && ts <= to && (method !== "GET" || type === "document") && !isTracker(url),
    )
  );
}

const isPassedBy = ({ attributes, name }: SeenElement): boolean =>
  name !== "" && /^-\d+$/.test(attributes.tabindex?.trim() ?? "");

const keyOf = ({ tag, role, name }: SeenElement): string => `${tag} ${role} ${name}`;

/** What the Tab key comes to on a pass's page. */
function reachedIn({ page }: RunEvidence): Set<string> {
  const elements = page?.elements ?? [];
  const passed = new Set(elements.filter(isPassedBy).map(keyOf));
  return new Set(elements.map(keyOf).filter((key) => !passed.has(key)));
}

/** What has one place in the order of the Tab key, and keys of its own for its parts. */
const COMPOSITE =
  /^(?:grid|listbox|menu|menubar|radiogroup|spinbutton|combobox|tablist|toolbar|tree|treegrid|row|group)$/;

/** Whether a button is one by itself: parts of tabs, menus and lists are left out of the order by design. */
const isPlainButton = (one: SeenElement, elements: readonly SeenElement[]): boolean =>
  one.role === "button" && !aroundOf(elements, one).some(({ role }) => COMPOSITE.test(role));

import { isRefusedBy } from "../../alone/requests/refused.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence, SeenPage } from "../../types.ts";
import { isForeign, isTracker, quoted, quotedStep, requestOf, TROUBLE } from "../../words.ts";

/** A page has few boxes over it. */
const MOST_BOXES = 40;
/** What closes fades out first. */
const FADES_MS = 500;
const WEIGHT = 0.86;
/** Of what the test itself looks at. */
const LOOKED_AT = 0.93;

/** A dialog, a menu or a drawer in which the last action was done, and that stands there still, where every pass has closed it by then. */
export function detectStayedOpen(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { before, page } = run;
  const action = actionBefore(run.facts, failed);
  if (passes.length === 0 || !action || !before || !page || page.shot.ts < action.end + FADES_MS) return [];
  const open = openOn(before, action, run).find(
    (one) => standsOn(page, one, run) && !objectsIn(page, one, before, run),
  );
  if (!open || !passes.every((pass) => hasClosed(open, pass, action, evidence))) return [];
  const write = writesOf(run, action, failed.to).at(-1);
  if (write && (write.status === null || isRefusedBy(write, run))) return [];
  const isLookedAt = foundWithin(targetOf(evidence), page.elements).some(
    (one) => kindOf(one) === open.kind && calledOf(one, page, run) === open.called,
  );
  return [
    {
      kind: "page_changed",
      title: `The ${open.kind}${open.called === "" ? "" : ` ${quoted(open.called, 80)}`} stayed open after ${quotedStep(action)}, where it closed in the last pass${write ? `, though ${requestOf(write, run.facts)} was answered with ${write.status}` : ""}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, page.shot.seq, ...(write ? [write.seq] : [])],
      ts: failed.to,
      is_new: true,
      weight: isLookedAt ? LOOKED_AT : WEIGHT,
      about: `stayed open ${action.seq}`,
    },
  ];
}

/** What stands over a page until it is done with. */
interface Open {
  /** `dialog`, `menu`, … */
  kind: string;
  /** Empty where it has no name. */
  called: string;
}

/** What an action was done in that stood over the page, the innermost first; what is one by its role before what is called so. */
function openOn(met: SeenPage, { params }: Step, run: RunEvidence): Open[] {
  const found = met.elements.find(({ foundBy }) => foundBy !== undefined);
  const around =
    params.key === "Escape"
      ? met.elements.toReversed()
      : found
        ? [found, ...aroundOf(met.elements, found)]
        : [];
  return [byRole, kindOf].flatMap((kindBy) =>
    around
      .flatMap((one) => {
        const kind = one.isHidden ? null : kindBy(one);
        return kind === null ? [] : [{ one, kind }];
      })
      .slice(0, MOST_BOXES)
      .map(({ one, kind }) => ({ kind, called: calledOf(one, met, run) })),
  );
}

const ROLES = new Map([
  ["dialog", "dialog"],
  ["alertdialog", "dialog"],
  ["menu", "menu"],
  ["listbox", "list"],
]);
/** What products call such boxes that have no role. */
const CALLED_SO = /(?:^|[-_])(modal|drawer|dialog|popover|offcanvas|lightbox)(?:-root)?$/;

const byRole = ({ role, tag }: SeenElement): string | null => ROLES.get(role || tag) ?? null;

/** What kind of a box that opens an element is; null of everything else. */
function kindOf(one: SeenElement): string | null {
  const known = byRole(one);
  if (known !== null || !/^(?:div|aside|section)$/.test(one.tag)) return known;
  const names = (one.attributes.class ?? "")
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/\s+/);
  return names.flatMap((name) => CALLED_SO.exec(name)?.[1] ?? [])[0] ?? null;
}

/** By its own name, else by the heading in it. */
function calledOf(one: SeenElement, { elements }: SeenPage, { facts }: RunEvidence): string {
  const name =
    one.name !== "" && one.name !== one.text
      ? one.name
      : insideOf(elements, one).find(({ role, isHidden }) => role === "heading" && !isHidden)?.text;
  return facts.normaliser.text(name ?? "");
}

const boxesOn = (page: SeenPage, { kind, called }: Open, run: RunEvidence): SeenElement[] =>
  page.elements.filter((one) => !one.isHidden && kindOf(one) === kind && calledOf(one, page, run) === called);

const standsOn = (page: SeenPage, open: Open, run: RunEvidence): boolean =>
  boxesOn(page, open, run).length > 0;

/** Whether it says by now what is wrong with what was entered: that is why it stands there. */
function objectsIn(page: SeenPage, open: Open, before: SeenPage, run: RunEvidence): boolean {
  const known = new Set(before.elements.map(({ own }) => own));
  return boxesOn(page, open, run).some((box) =>
    insideOf(page.elements, box).some(
      ({ own, isHidden, role, attributes }) =>
        !known.has(own) && !isHidden && (role === "alert" || TROUBLE.test(own)) && attributes.title !== own,
    ),
  );
}

/** Whether a pass that did the same, and sent as little or as much, stands on the same page without it. */
function hasClosed(open: Open, pass: RunEvidence, action: Step, { run, failed }: Evidence): boolean {
  const same = counterpart(run.facts, action, pass.facts);
  const by = momentIn(pass.facts, run.facts, failed);
  const placeOf = ({ facts, page }: RunEvidence) => page && facts.normaliser.url(page.shot.url);
  return (
    same !== null &&
    !same.isFailed &&
    by !== null &&
    pass.page !== null &&
    placeOf(pass) === placeOf(run) &&
    !standsOn(pass.page, open, pass) &&
    (writesOf(pass, same, by).length === 0 || writesOf(run, action, failed.to).length > 0)
  );
}

/** What a page wrote from an action on. */
const writesOf = ({ facts }: RunEvidence, action: Step, by: number): Exchange[] =>
  facts.exchanges.filter(
    ({ ts, method, type, url }) =>
      ts >= action.ts - 5 &&
      ts <= by &&
      CHANGING.has(method) &&
      type !== "api" &&
      !isTracker(url) &&
      !isForeign(url, facts),
  );

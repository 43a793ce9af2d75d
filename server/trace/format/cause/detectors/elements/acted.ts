import { oneLine } from "../../../error-text.ts";
import { foundBy, sameAct } from "../../page/acts.ts";
import { attributeApart, lostBy } from "../../page/lost-attributes.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { testIdOf, told } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import type { Act, Evidence, Finding, RunEvidence } from "../../types.ts";
import { quotedStep } from "../../words.ts";

/** Actions that found another element than in every pass, or the same one without what makes the action work. */
export function detectActed(evidence: Evidence): Finding[] {
  return (evidence.run.acts ?? []).flatMap((act) => findingOf(evidence, act) ?? []);
}

function findingOf({ run, passes, failed }: Evidence, act: Act): Finding | null {
  const mine = metIn(run, act);
  const theirs = passes.map((pass) => {
    const same = sameAct(run, act, pass);
    return same && metIn(pass, same);
  });
  const before = theirs[0];
  // On another page another element is no news, and passes that differ tell of none that varies.
  if (!mine || !before || theirs.some((one) => one === null || one.page !== mine.page)) return null;
  const isSteady = (of: (met: Met) => string) => theirs.every((one) => of(one!) === of(before));
  // Of an action that failed its own log says more.
  const isItsOwn = act.step.seq === failed.step?.seq;
  const shared = {
    detail: null,
    step_id: act.step.step_id,
    events: [act.step.seq, act.met.shot.seq],
    ts: act.step.ts,
    is_new: true,
  };
  if (isSteady(identityOf) && isSteady(placeOf) && isAnother(mine, before))
    return {
      ...shared,
      kind: "page_changed",
      title: `${quotedStep(act.step)} found another element than in the last pass: ${describe(mine)}, where that had ${describe(before)}`,
      weight: isItsOwn ? 0.7 : FILLS.test(act.step.name) ? 0.88 : 0.72,
      about: `acted ${act.step.seq}`,
      astray: "pass",
    };
  const apart = mine.chain.flatMap((one, at) => {
    const other = before.chain[at];
    const wanted = worksBy(act, at);
    if (!other || tagsUpTo(mine, at) !== tagsUpTo(before, at)) return [];
    return wanted.flatMap((name) => {
      const valueIn = (met: Met) => attributeOf(met, at, name);
      return isSteady(valueIn) && valueIn(mine) !== valueIn(before) ? [{ name, one, other, at }] : [];
    });
  });
  const [first] = apart;
  if (!first || !isSteady(identityOf) || nameOf(mine) !== nameOf(before)) return null;
  const { name, one, other, at } = first;
  const said = attributeApart(name, one.attributes[name], other.attributes[name]);
  const lost = at === 0 ? lostBy(one.tag, name, one.attributes[name], other.attributes[name]) : {};
  const shares = name === "for" && at === 0 ? sharedBy(act, one.attributes.for) : 0;
  const what = at === 0 ? told(one) : `${markupOf(one)} around ${told(mine.element)}`;
  return {
    ...shared,
    kind: "page_changed",
    title: `${quotedStep(act.step)} found ${what} ${said.now}${lost.isSubmitter ? ", so that it submits its form" : ""}${shares > 1 ? `, an id that ${shares} elements of the page have, so that it leads to the first of them` : ""}, where the last pass has ${said.before}`,
    weight: VITAL.test(name) || shares > 1 ? 0.93 : OF_DATA.test(name) ? 0.72 : 0.84,
    about: `acted ${act.step.seq}`,
    ...(shares > 1 && { astray: "label" as const }),
    ...(name === "href" && { leadsTo: URL.parse(one.attributes.href ?? "", act.met.shot.url)?.href }),
    ...lost,
  };
}

/** How many elements have an id on the page that an action met. */
const sharedBy = ({ met: { elements } }: Act, id: string | undefined): number =>
  id ? elements.filter(({ attributes }) => attributes.id === id).length : 0;

/** An element that an action found, with what it stands in. */
interface Met {
  element: SeenElement;
  /** The element, then what is around it, the innermost first. */
  chain: SeenElement[];
  /** Of the page, as it is called across runs. */
  page: string;
  named: (text: string) => string;
}

function metIn({ facts: { normaliser } }: RunEvidence, act: Act): Met | null {
  const element = foundBy(act);
  if (!element) return null;
  const chain = [element, ...aroundOf(act.met.elements, element)];
  return { element, chain, page: normaliser.url(act.met.shot.url), named: normaliser.text };
}

/** Forms are filled by these, so that what they find decides what is sent. */
const FILLS = /(?:^|\.)(?:fill|type|pressSequentially|check|uncheck|setChecked|selectOption|setInputFiles)$/;

/** What tells one element of a page from another, besides what it says. */
const identityOf = ({ element: { tag, attributes }, named }: Met): string =>
  [
    tag,
    ...["type", "name", "placeholder", "aria-label"].map((name) => attributes[name] ?? ""),
    testIdOf(attributes) ?? "",
    isWord(attributes.id) ? attributes.id : "",
  ]
    .map((part) => named(part ?? ""))
    .join("\n");

/** Frameworks make ids with figures in them. */
const isWord = (id: string | undefined): boolean => id !== undefined && /^[a-z]+(?:[-_][a-z]+)*$/i.test(id);

const placeOf = (met: Met): string => tagsUpTo(met, met.chain.length - 1);

const tagsUpTo = ({ chain }: Met, at: number): string =>
  chain
    .slice(0, at + 1)
    .map(({ tag }) => tag)
    .join(" ");

/** Whether two are no one element: they stand elsewhere, and go by other names. */
const isAnother = (mine: Met, before: Met): boolean =>
  identityOf(mine) !== identityOf(before) && placeOf(mine) !== placeOf(before);

const nameOf = ({ element, named }: Met): string => named(element.name);

/** What an attribute says to the browser: left out, it says the same as its usual value. */
function attributeOf({ chain, named }: Met, at: number, name: string): string {
  const { tag, attributes } = chain[at]!;
  const value = attributes[name]?.trim();
  const usual = USUAL[name]?.[tag] ?? USUAL[name]?.any ?? null;
  if (value === undefined || value === usual || (value === "" && usual !== null)) return "";
  // Frameworks make other ids in every run, and what refers to one tells only that it does.
  return /^(?:for|form|name)$/.test(name) && !isWord(value) ? "=" : `=${named(value)}`;
}

const USUAL: Record<string, Record<string, string>> = {
  type: { button: "submit", input: "text" },
  target: { any: "_self" },
  method: { any: "get" },
  draggable: { a: "true", img: "true", any: "false" },
  contenteditable: { any: "false" },
};

const MOST_AROUND = 12;

/** Attributes of the element, and of what stands around it, by which browsers do what a gesture asks. */
const WORKS_BY: [gesture: RegExp, own: string[], around: string[]][] = [
  [/drag/i, ["draggable"], ["draggable"]],
  [
    /(?:^|\.)(?:click|dblclick|tap|press|check|uncheck|setChecked)$/,
    ["target", "href", "download", "type", "form", "formaction", "for", "contenteditable"],
    ["target", "href", "download", "action", "method", "for"],
  ],
  [
    /(?:^|\.)(?:fill|type|pressSequentially)$/,
    ["type", "name", "form", "maxlength", "pattern", "min", "max", "step", "contenteditable"],
    ["contenteditable", "action", "method"],
  ],
  [/(?:^|\.)selectOption$/, ["name", "form", "multiple"], ["action", "method"]],
  [/(?:^|\.)setInputFiles$/, ["name", "form", "accept", "multiple"], ["action", "method"]],
];
/** What an action does not do at all without. */
const VITAL = /^(?:draggable|target|download|contenteditable)$/;
/** What answers fill in, so that it may follow from one that changed. */
const OF_DATA = /^(?:href|action|formaction|min|max|step|maxlength)$/;

const worksBy = ({ step }: Act, at: number): string[] =>
  at > MOST_AROUND ? [] : (WORKS_BY.find(([gesture]) => gesture.test(step.name))?.[at === 0 ? 1 : 2] ?? []);

/** An element with the part of the page that it stands in. */
function describe({ element, chain }: Met): string {
  const around = chain
    .slice(1)
    .find(({ tag }) => /^(?:form|dialog|nav|aside|section|header|footer)$/.test(tag));
  const what = FIELD.has(element.tag) ? markupOf(element) : told(element);
  return `${what}${around ? ` in ${markupOf(around)}` : ""}`;
}

const FIELD = new Set(["input", "select", "textarea"]);
const MARKED_BY = ["id", "name", "class", "type", "placeholder"];

const markupOf = ({ tag, attributes }: SeenElement): string =>
  `<${[tag, ...MARKED_BY.flatMap((name) => (attributes[name] ? [`${name}="${oneLine(attributes[name]).slice(0, 60)}"`] : []))].join(" ")}>`;

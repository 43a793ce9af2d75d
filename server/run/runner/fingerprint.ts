/** What an element looked like: enough to tell it again when it goes by another name. Texts are cut at 120 characters. */
export interface Fingerprint {
  tag: string;
  role: string | null;
  testid: string | null;
  id: string | null;
  /** The `name` of a form control. */
  control: string | null;
  label: string | null;
  /** What it is called: its label by ARIA, its text, its title. */
  name: string | null;
  placeholder: string | null;
  /** The heading of the part of the page that it stands in. */
  heading: string | null;
  /** Whether that part has no other element of its tag. */
  alone: boolean;
  /** Its place: tags and positions from the root. */
  path: string;
}

/** An element that was found by what earlier passes saw of it. */
export interface Heal {
  step_id: string;
  /** The target as the scenario names it. */
  from: string;
  /** What was taken for it. */
  to: string;
  why: string;
}

/**
 * Reads fingerprints. Runs in the page, so it refers to nothing outside of itself.
 * @param all elements of the page
 */
export function readFingerprints(all: Element[]): Fingerprint[] {
  const HEADINGS = "h1, h2, h3, h4, h5, h6, [role=heading]";
  const cut = (text: string | null | undefined): string | null =>
    text?.replace(/\s+/g, " ").trim().slice(0, 120) || null;
  const path = (element: Element): string => {
    const parts: string[] = [];
    for (let at: Element | null = element; at; at = at.parentElement) {
      const tag = at.tagName.toLowerCase();
      const same = [...(at.parentElement?.children ?? [])].filter((one) => one.tagName === at?.tagName);
      parts.unshift(same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(at) + 1})` : tag);
    }
    return parts.join(" > ");
  };
  const part = (element: Element): Element | null => {
    for (let at = element.parentElement; at; at = at.parentElement) if (at.querySelector(HEADINGS)) return at;
    return null;
  };
  return all.map((element) => {
    const attribute = (name: string) => cut(element.getAttribute(name));
    const tag = element.tagName.toLowerCase();
    const isControl = /^(input|select|textarea)$/.test(tag);
    const type = element.getAttribute("type");
    const around = part(element);
    const labels = "labels" in element ? [...((element.labels as NodeListOf<Element> | null) ?? [])] : [];
    return {
      tag: tag === "input" && type ? `input[type=${type}]` : tag,
      role: attribute("role"),
      testid: attribute("data-testid"),
      id: attribute("id"),
      control: isControl ? attribute("name") : null,
      label: cut(labels.map((label) => label.textContent).join(" ")),
      name: attribute("aria-label") ?? (isControl ? attribute("title") : cut(element.textContent)),
      placeholder: attribute("placeholder"),
      heading: cut(around?.querySelector(HEADINGS)?.textContent),
      alone: around !== null && around.querySelectorAll(tag).length === 1,
      path: path(element),
    };
  });
}

/** How much a sign tells that is the same on both sides. Below `ENOUGH`, the place has to agree as well. */
const WEIGHTS = { testid: 4, id: 4, control: 4, label: 4, name: 3, placeholder: 2 } as const;
const HEADING = 2;
const ENOUGH = 4;
const ENOUGH_IN_PLACE = 2;
/** Another element that agrees in so much without its place makes the choice unclear. */
const CLOSE = 3;

const WORDS = {
  testid: "test id",
  id: "id",
  control: "form name",
  label: "label",
  name: "name",
  placeholder: "placeholder",
} as const;

export type Choice =
  | { type: "none" }
  | { type: "several"; count: number }
  | { type: "one"; index: number; why: string };

/**
 * The one element that a fingerprint means. More than one that fit, or another that agrees in as much but its place, is
 * no choice: acting on the wrong element is worse than to fail.
 */
export function chooseBy(known: Fingerprint, candidates: readonly Fingerprint[]): Choice {
  const rated = candidates.map((candidate, index) => ({ index, ...rate(known, candidate) }));
  const fitting = rated.filter(
    ({ score, isInPlace }) => score >= ENOUGH || (isInPlace && score >= ENOUGH_IN_PLACE),
  );
  const [best] = fitting;
  if (!best) return { type: "none" };
  const rivals = rated.filter(
    ({ index, score }) => index !== best.index && score >= CLOSE && score >= best.score,
  );
  const count = Math.max(fitting.length, rivals.length + 1);
  if (count > 1) return { type: "several", count };
  return { type: "one", index: best.index, why: best.why };
}

function rate(known: Fingerprint, candidate: Fingerprint) {
  const none = { score: 0, isInPlace: false, why: "" };
  if (known.tag !== candidate.tag || known.role !== candidate.role) return none;
  const agreeing: string[] = [];
  let score = 0;
  for (const sign of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]) {
    if (known[sign] === null || known[sign] !== candidate[sign]) continue;
    score += WEIGHTS[sign];
    agreeing.push(`the ${WORDS[sign]} ${JSON.stringify(known[sign])}`);
  }
  const isUnderHeading = known.alone && candidate.alone && known.heading === candidate.heading;
  if (known.heading !== null && isUnderHeading) {
    score += HEADING;
    agreeing.push(`its place alone under the heading ${JSON.stringify(known.heading)}`);
  }
  const isInPlace = known.path === candidate.path;
  if (isInPlace) agreeing.push("its position on the page");
  return { score, isInPlace, why: agreeing.join(", ") };
}

/** An element in few words: `button "Put in basket"`. */
export function showFingerprint({ tag, name, label, testid }: Fingerprint): string {
  const called = name ?? label;
  if (called !== null) return `${tag} ${JSON.stringify(called)}`;
  return testid === null ? tag : `${tag} with testid ${JSON.stringify(testid)}`;
}

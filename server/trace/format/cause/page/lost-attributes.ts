import { oneLine } from "../../error-text.ts";
import type { Finding } from "../types.ts";
import { partingOf } from "../words.ts";

type Lost = Pick<Finding, "lostName" | "isSubmitter">;

/** What it means for a form that an element has another attribute: a field without its name is not sent, a button without its type sends the form (HTML, 4.10.6 and 4.10.21.4). */
export function lostBy(tag: string, name: string, now: string | undefined, before: string | undefined): Lost {
  if (name === "name" && before && FIELD.test(tag)) return { lostName: before };
  return name === "type" && tag === "button" && isSubmit(now) && !isSubmit(before)
    ? { isSubmitter: true }
    : {};
}

const FIELD = /^(?:input|select|textarea)$/;

const isSubmit = (type: string | undefined): boolean => !/^(?:button|reset)$/i.test(type ?? "");

/** An attribute in words; null where the element has none of that name. */
function attribute(name: string, value: string | undefined): string | null {
  if (value === undefined) return null;
  return value === "" ? name : `${name}="${oneLine(value).slice(0, LONGEST)}"`;
}

const LONGEST = 80;

/** How an element has an attribute now, and how it had it: `with type="number"` and `none`. */
export function attributeApart(
  name: string,
  now: string | undefined,
  before: string | undefined,
): { now: string; before: string } {
  const [mine, theirs] = partingOf(now, before);
  const said = attribute(name, mine);
  const lost = ADDRESS.test(name) ? lostParameters(now, before) : "";
  return {
    now: said === null ? `without ${name}` : `with ${said}${lost}`,
    before: attribute(name, theirs) ?? "none",
  };
}

type Attributes = ReadonlyMap<string, string>;

/** What an element says by another name than in the passes, as `hx-target` in the place of `hx-target:inherited`; null where nothing. */
export function renamedAttribute(
  mine: Attributes,
  theirs: Attributes,
): { now: string; before: string } | null {
  const [come, ...more] = ownOf(mine, theirs);
  const [gone, ...others] = ownOf(theirs, mine);
  if (!come || !gone || more.length + others.length > 0) return null;
  const isSame = come[1] === gone[1] && come[1] !== "" && ![come[0], gone[0]].some(isPlain);
  return isSame
    ? { now: `with ${attribute(come[0], come[1])}`, before: attribute(gone[0], gone[1]) ?? "none" }
    : null;
}

/** What HTML itself has a word for means something of its own: an id is no name. */
const isPlain = (name: string): boolean => /^[a-z]+$/.test(name);

const ownOf = (some: Attributes, others: Attributes): [string, string][] =>
  [...some].filter(([name]) => !others.has(name));

const ADDRESS = /^(?:href|src|action|formaction)$/;

/** The parameters that an address had and has no longer, its path being the same. */
function lostParameters(now: string | undefined, before: string | undefined): string {
  const [mine, theirs] = [now, before].map((one) => URL.parse(one ?? "", "http://relative.invalid"));
  if (!mine || !theirs || mine.pathname !== theirs.pathname) return "";
  const lost = [...new Set(theirs.searchParams.keys())].filter((key) => !mine.searchParams.has(key));
  return lost.length === 0
    ? ""
    : `, without the parameter ${lost.map((key) => `“${key.slice(0, 40)}”`).join(" and ")}`;
}

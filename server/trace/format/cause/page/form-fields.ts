/** A value, and what it is called where it stands. */
export interface Placed {
  place: string;
  value: string;
}

const TAGS = /<(?:input|meta)\b[^<>]{1,2000}>/gi;

/** What the fields of a page's forms hold as it was sent, and what its head gives by names. */
export function fieldsIn(html: string, most: number): Placed[] {
  if (!html.includes("<input") && !html.includes("<meta")) return [];
  return [...html.matchAll(TAGS)].slice(0, most).flatMap(([tag]) => {
    const [name, value] = [partOf(tag, "name"), partOf(tag, "value") ?? partOf(tag, "content")];
    return name === undefined || value === undefined ? [] : [{ place: `the field ${name}`, value }];
  });
}

/** The value that the one field of that name has in a page as it was sent, empty where it has none; null where no field or several have the name. */
export function servedValueOf(html: string, name: string): string | null {
  const tags = [...html.matchAll(TAGS)].slice(0, MOST_TAGS).filter(([tag]) => partOf(tag, "name") === name);
  const [tag] = tags[0] ?? [];
  return tag === undefined || tags.length > 1 || BARE_VALUE.test(tag) ? null : (partOf(tag, "value") ?? "");
}

const MOST_TAGS = 500;
/** Without quotes. */
const BARE_VALUE = /\svalue=[^"']/i;

const partOf = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}=["']([^"']*)["']`, "i").exec(tag)?.[1];

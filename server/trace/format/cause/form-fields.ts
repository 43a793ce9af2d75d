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
    const part = (name: string) => new RegExp(`\\s${name}=["']([^"']*)["']`, "i").exec(tag)?.[1];
    const [name, value] = [part("name"), part("value") ?? part("content")];
    return name === undefined || value === undefined ? [] : [{ place: `the field ${name}`, value }];
  });
}

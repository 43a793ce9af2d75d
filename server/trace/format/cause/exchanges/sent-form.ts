import type { Exchange } from "../run/run-facts.ts";
import { headerOf } from "../words.ts";

const MOST_FIELDS = 200;
/** Characters of a field: a file may be whole in what was sent. */
const LONGEST_FIELD = 2_000;
const LONGEST_FORM = 2_000_000;
const LONGEST_HEAD = 1_000;

/** The fields of a form, in either way of sending one; null where it is no form. */
export function fieldsOf(text: string, { requestHeaders }: Exchange): [string, string][] | null {
  if (text === "") return null;
  const type = headerOf(requestHeaders, "content-type") ?? "";
  const fields = /urlencoded/i.test(type)
    ? [...new URLSearchParams(text)]
    : /multipart\/form-data/i.test(type)
      ? partsOf(text)
      : [];
  return fields.length === 0 ? null : fields.slice(0, MOST_FIELDS);
}

/** The parts of a form that was sent as such (RFC 7578): a file by its name. Recorders may leave out the boundary, so it is read from the text. */
function partsOf(text: string): [string, string][] {
  const boundary = /^--[^\r\n]{1,80}/.exec(text)?.[0];
  if (boundary === undefined) return [];
  return text
    .slice(0, LONGEST_FORM)
    .split(boundary, MOST_FIELDS + 2)
    .flatMap((part): [string, string][] => {
      const end = part.indexOf("\r\n\r\n");
      const head = end < 0 || end > LONGEST_HEAD ? "" : part.slice(0, end);
      const name = /[; ]name="([^"]{0,200})"/i.exec(head)?.[1];
      if (name === undefined) return [];
      const file = /[; ]filename="([^"]{0,300})"/i.exec(head)?.[1];
      return [[name, file ?? part.slice(end + 4, end + 4 + LONGEST_FIELD).replace(/\r\n$/, "")]];
    });
}

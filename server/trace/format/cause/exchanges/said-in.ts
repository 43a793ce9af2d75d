import { cut, oneLine } from "../../error-text.ts";
import { isRecord } from "../values/json-leaves.ts";
import { fieldsSaidIn } from "./fields-said.ts";
import { saidByPage } from "./said-by-page.ts";

const PARTS = [
  "message",
  "error_description",
  "detail",
  "details",
  "error",
  "reason",
  "title",
  "description",
  "msg",
  "errors",
];
const MAX_SAID = 200;

/** What an answer says went wrong, from its body; null when it says nothing. */
export function saidIn(body: string | undefined): string | null {
  if (!body) return null;
  const text = body.trim();
  if (/^[[{"]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      const said = partOf(value, 0);
      const fields = fieldsSaidIn(value).filter((one) => !said?.includes(one));
      // What is said of a field is told with its name.
      const first = said !== null && fields.some((one) => one.includes(said)) ? null : said;
      const found = [first, behindStatus(value, said), fields.join(", ")].filter((part) => part);
      return found.length > 0 ? cut(oneLine([...new Set(found)].join(": ")), MAX_SAID) : null;
    } catch {
      return null;
    }
  }
  if (/^<[a-z!?]/i.test(text)) return saidByPage(text, MAX_SAID);
  return text === "" ? null : cut(oneLine(text), MAX_SAID);
}

function partOf(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value !== "object" || value === null || depth > 3) return null;
  if (Array.isArray(value)) return value.length > 0 ? partOf(value[0], depth + 1) : null;
  const record = value as Record<string, unknown>;
  for (const name of PARTS) {
    const found = Object.hasOwn(record, name) ? partOf(record[name], depth + 1) : null;
    if (found) return found;
  }
  return null;
}

/** What a status is called (RFC 9110, 15.5 and 15.6): it says no more than the status itself. */
const PHRASE =
  /^(?:error|bad request|unauthori[sz]ed|forbidden|not found|method not allowed|not acceptable|conflict|gone|precondition failed|(?:content|payload) too large|unprocessable (?:content|entity)|too many requests|(?:internal )?server error|internal error|not implemented|bad gateway|service unavailable|gateway timeout)[.!]?$/i;
/** Names under which servers say what was thrown. */
const THROWN = [
  "error",
  "error_description",
  "detail",
  "details",
  "reason",
  "exception",
  "cause",
  "description",
];
/** Names under which they say where. */
const PLACES = ["at", "where", "in", "function"];
const PLACE = /^[\p{L}_$][^\s]{1,80}$/u;

/** What an answer says behind a message that is no more than the name of a status; null where there is nothing. */
function behindStatus(value: unknown, said: string | null): string | null {
  if (said === null || !PHRASE.test(oneLine(said)) || !isRecord(value)) return null;
  const textAt = (names: readonly string[], isWanted: (text: string) => boolean) =>
    names.map((name) => value[name]).find((text) => typeof text === "string" && isWanted(text)) as
      | string
      | undefined;
  const thrown = textAt(THROWN, (text) => text !== said && !PHRASE.test(oneLine(text)) && text.trim() !== "");
  const place = textAt(PLACES, (text) => PLACE.test(text));
  if (thrown === undefined) return null;
  return `${thrown.trim().split("\n")[0]}${place === undefined || thrown.includes(place) ? "" : ` (at ${place})`}`;
}

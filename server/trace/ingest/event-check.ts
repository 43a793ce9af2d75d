import { bomb, unreadable } from "../../../store/archives/errors.ts";
import type { EventLine } from "../../../store/events/types.ts";
import { BLOB_REFERENCE, isTooDeep, MAX_EVENT_DEPTH, mediaTypeOf } from "../format/event.ts";
import { withPlainEscapes } from "./escapes.ts";
import { LONGEST_STRING, type LongString, withoutLongStrings } from "./long-strings.ts";

/** Bytes of a line as it is stored: what is longer belongs in blobs. */
export const LONGEST_STORED_LINE = 4 << 20;
/** Bytes of a kind, and of a step's id. */
const LONGEST_NAME = 1 << 10;

/** Checks the lines of an uploaded event stream and collects what they refer to. */
export interface EventCheck {
  /**
   * @returns the line as it is to be stored, without its long strings and with plain escapes, and the fields that the index is made of.
   * @throws ArchiveError `bundle_unreadable` naming the line, `bundle_bomb` when too many blobs are named.
   */
  check(line: string, number: number): EventLine;
  /** Hashes that the lines name, with the media type they give (null: none). */
  references: Map<string, string | null>;
}

/**
 * @param maxReferences how many different blobs the stream may name.
 * @param keep stores the bytes of a string that is too long for a line, under the SHA-256 (hex) that is given.
 */
export function createEventCheck(
  maxReferences: number,
  keep: (bytes: Buffer, sha256: string) => void,
): EventCheck {
  const references = new Map<string, string | null>();
  let lastSeq = Number.NEGATIVE_INFINITY;

  function check(given: string, number: number): EventLine {
    const { line: escaped, taken } = withoutLongStrings(given);
    for (const { bytes, sha256 } of taken) keep(bytes, sha256);
    const event = parse(escaped, number);
    const line = withPlainEscapes(escaped);
    const { seq, ts, kind, step_id } = event;
    if (!Number.isSafeInteger(seq)) throw wrongLine(number, "`seq` is missing or no integer");
    if ((seq as number) <= lastSeq)
      throw wrongLine(number, `\`seq\` is ${seq} after ${lastSeq}; it must rise from line to line`);
    if (!Number.isSafeInteger(ts))
      throw wrongLine(number, "`ts` is missing or no integer (epoch milliseconds)");
    if (typeof kind !== "string" || kind === "") throw wrongLine(number, "`kind` is missing or no text");
    if (isLongName(kind, taken)) throw tooLongName(number, "kind");
    if (typeof step_id === "string" && isLongName(step_id, taken)) throw tooLongName(number, "step_id");
    if (line.length * 3 > LONGEST_STORED_LINE && Buffer.byteLength(line) > LONGEST_STORED_LINE)
      throw wrongLine(
        number,
        `it is longer than ${LONGEST_STORED_LINE} bytes, also without its strings of more than ${LONGEST_STRING} bytes, which are stored as blobs`,
      );
    if (isTooDeep(line, event)) throw wrongLine(number, `it nests deeper than ${MAX_EVENT_DEPTH} levels`);
    lastSeq = seq as number;
    if (line.includes('"sha256:')) collect(line, event);
    return {
      line,
      seq: seq as number,
      ts: ts as number,
      kind,
      step_id: typeof step_id === "string" ? step_id : null,
    };
  }

  function collect(line: string, event: Record<string, unknown>) {
    const mediaType = mediaTypeOf(event);
    for (const [, hash] of line.matchAll(BLOB_REFERENCE)) {
      references.set(hash!, references.get(hash!) ?? mediaType);
      if (references.size > maxReferences)
        throw bomb(`The events name more than ${maxReferences} different blobs, which is the cap.`);
    }
  }

  return { check, references };
}

/** Of a name that was taken out of the line, only the reference is left. */
function isLongName(name: string, taken: readonly LongString[]): boolean {
  if (taken.some(({ sha256 }) => name === `sha256:${sha256}`)) return true;
  return name.length * 3 > LONGEST_NAME && Buffer.byteLength(name) > LONGEST_NAME;
}

const tooLongName = (number: number, name: string) =>
  wrongLine(number, `\`${name}\` is longer than ${LONGEST_NAME} bytes`);

function parse(line: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw wrongLine(number, `it is not JSON (${error instanceof Error ? error.message : error})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrongLine(number, "it is not a JSON object");
  return value as Record<string, unknown>;
}

const wrongLine = (number: number, what: string) =>
  unreadable(`Line ${number} of the events is refused: ${what}.`);

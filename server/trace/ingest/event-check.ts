import { bomb, unreadable } from "../../../store/archives/errors.ts";
import type { EventMeta } from "../../../store/events/types.ts";
import { BLOB_REFERENCE, mediaTypeOf } from "../format/event.ts";

/** Checks the lines of an uploaded event stream and collects what they refer to. */
export interface EventCheck {
  /**
   * @returns the fields that the index is made of.
   * @throws ArchiveError `bundle_unreadable` naming the line, `bundle_bomb` when too many blobs are named.
   */
  check(line: string, number: number): EventMeta;
  /** Hashes that the lines name, with the media type they give (null: none). */
  references: Map<string, string | null>;
}

/** @param maxReferences how many different blobs the stream may name. */
export function createEventCheck(maxReferences: number): EventCheck {
  const references = new Map<string, string | null>();
  let lastSeq = Number.NEGATIVE_INFINITY;

  function check(line: string, number: number): EventMeta {
    const event = parse(line, number);
    const { seq, ts, kind, step_id } = event;
    if (!Number.isSafeInteger(seq)) throw wrongLine(number, "`seq` is missing or no integer");
    if ((seq as number) <= lastSeq)
      throw wrongLine(number, `\`seq\` is ${seq} after ${lastSeq}; it must rise from line to line`);
    if (!Number.isSafeInteger(ts))
      throw wrongLine(number, "`ts` is missing or no integer (epoch milliseconds)");
    if (typeof kind !== "string" || kind === "") throw wrongLine(number, "`kind` is missing or no text");
    lastSeq = seq as number;
    if (line.includes('"sha256:')) collect(line, event);
    return {
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

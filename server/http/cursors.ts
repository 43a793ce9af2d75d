import { fromIso, toIso } from "../platform/clock.ts";
import { invalid } from "./errors.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The last row of a page whose rows are ordered by when they were made, then by id. Epoch ms. */
export interface TimePlace {
  created_at: number;
  id: string;
}

/** Opaque text for the last row of a page whose rows are ordered by id. */
export const writeIdCursor = (id: string): string => Buffer.from(id).toString("base64url");

/** The id that a cursor stands for. @throws AppError `invalid_request` when no list gave it out */
export function readIdCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!UUID.test(id)) throw notOurs();
  return id;
}

/** Opaque text for a place. */
export const writeTimeCursor = ({ created_at, id }: TimePlace): string =>
  Buffer.from(`${toIso(created_at)} ${id}`).toString("base64url");

/** The place that a cursor stands for. @throws AppError `invalid_request` when no list gave it out */
export function readTimeCursor(cursor: string): TimePlace {
  const [time = "", id = "", ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  const created_at = fromIso(time);
  if (created_at === null || id === "" || rest.length > 0) throw notOurs();
  return { created_at, id };
}

const notOurs = () => invalid('The query parameter "cursor" is not one that this list gave out.');

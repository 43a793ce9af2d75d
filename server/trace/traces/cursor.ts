/** Place in the list of traces: the last one of a page. */
export interface TraceCursor {
  /** Epoch ms. */
  createdAt: number;
  id: string;
}

const PLACE = /^(\d{1,16}) ([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Opaque text for a place. */
export function encodeCursor({ createdAt, id }: TraceCursor): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

/** The place that a cursor stands for; null when this list did not make it. */
export function decodeCursor(cursor: string): TraceCursor | null {
  const match = PLACE.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  if (!match) return null;
  const place = { createdAt: Number(match[1]), id: match[2]! };
  return encodeCursor(place) === cursor ? place : null;
}

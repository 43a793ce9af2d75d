import { hashOf } from "./mark.ts";

/** Finds the places of texts without holding the texts. */
export interface IdIndex {
  /** The place that was given with this text; -1 when there is none. */
  find(id: string): number;
  /** Remembers a place. Its text is not known yet, and places come in the order 0, 1, 2… */
  add(id: string, place: number): void;
}

const FIRST = 64;
const FULLEST = 0.75;

/** @param idOf the text of a place that was added. */
export function createIdIndex(idOf: (place: number) => string): IdIndex {
  // Open addressing: one more than the place, 0 for none, and some bits of the hash to compare first.
  let places: Uint16Array | Uint32Array = new Uint16Array(FIRST);
  let marks = new Uint8Array(FIRST);
  let count = 0;

  function put(id: string, place: number): void {
    const hash = hashOf(id);
    let slot = hash % places.length;
    while (places[slot] !== 0) slot = (slot + 1) % places.length;
    places[slot] = place + 1;
    marks[slot] = hash >>> 24;
  }

  return {
    find(id) {
      const hash = hashOf(id);
      for (let slot = hash % places.length; places[slot] !== 0; slot = (slot + 1) % places.length) {
        const place = (places[slot] ?? 0) - 1;
        if (marks[slot] === hash >>> 24 && idOf(place) === id) return place;
      }
      return -1;
    },
    add(id, place) {
      if (count + 1 > places.length * FULLEST) {
        const room = places.length * 2;
        places = room > 0xffff ? new Uint32Array(room) : new Uint16Array(room);
        marks = new Uint8Array(room);
        for (let known = 0; known < count; known += 1) put(idOf(known), known);
      }
      put(id, place);
      count += 1;
    },
  };
}

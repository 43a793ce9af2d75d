/** A text as it is read through some layers of encodings: what each unit means, and from where to where it stands. */
export interface Units {
  /** UTF-16 units, bytes, or code points where an escape names one. */
  unit: Int32Array;
  start: Int32Array;
  end: Int32Array;
  count: number;
}

/** Most texts are short: those have their room already. */
const SMALL = 262_144;
const rooms: Units[] = [];

const room = (size: number): Units => ({
  unit: new Int32Array(size),
  start: new Int32Array(size),
  end: new Int32Array(size),
  count: 0,
});

/** @param depth texts that are looked at at the same time have different ones */
export function unitsOf(text: string, depth: number): Units {
  const size = text.length;
  if (size <= SMALL) rooms[depth] ??= room(SMALL);
  const units = (size <= SMALL && rooms[depth]) || room(size);
  const { unit, start, end } = units;
  for (let at = 0; at < size; at++) {
    unit[at] = text.charCodeAt(at);
    start[at] = at;
    end[at] = at + 1;
  }
  units.count = size;
  return units;
}

const CHUNK = 8192;

/** Each number as a unit of text. */
export function latin1(bytes: Uint8Array | Uint16Array, from = 0, to = bytes.length): string {
  let text = "";
  for (let at = from; at < to; at += CHUNK)
    // A spread would go through them one by one, at twenty times the cost.
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, Math.min(to, at + CHUNK)));
  return text;
}

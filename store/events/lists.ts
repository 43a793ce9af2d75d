/** A growing column of numbers without boxing them. */
export interface NumberList<Column extends Uint16Array | Uint32Array | Float64Array> {
  readonly length: number;
  push(value: number): void;
  at(index: number): number;
  add(index: number, value: number): void;
  /** The elements so far; a copy. */
  slice(start?: number, end?: number): Column;
  clear(): void;
}

function numberList<Column extends Uint16Array | Uint32Array | Float64Array>(
  make: (length: number) => Column,
): NumberList<Column> {
  let data = make(256);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === data.length) {
        const larger = make(length * 2);
        larger.set(data);
        data = larger;
      }
      data[length++] = value;
    },
    at: (index) => data[index]!,
    add(index, value) {
      data[index]! += value;
    },
    slice: (start = 0, end = length) => data.slice(start, Math.min(end, length)) as Column,
    clear() {
      length = 0;
    },
  };
}

export const uint16List = () => numberList((length) => new Uint16Array(length));
export const uint32List = () => numberList((length) => new Uint32Array(length));
export const float64List = () => numberList((length) => new Float64Array(length));

export type Uint32List = ReturnType<typeof uint32List>;
export type Float64List = ReturnType<typeof float64List>;

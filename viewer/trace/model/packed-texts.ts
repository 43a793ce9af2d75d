import type { Column } from "./columns.ts";

/** Rows whose texts are packed together. */
const BLOCK = 128;
/** Blocks of a column that lie open: those that are written last. */
const OPEN = 2;
/** Unpacked blocks, and single texts, that a column keeps for who reads on, or reads again. */
const READ = 1;
const RECENT = 64;
const GROWTH = 1.25;

type Texts = (string | null)[];
type Deflate = typeof import("./deflate.ts");

let deflate: Deflate | null = null;
let loading: Promise<void> | null = null;

/** Whatever packs is fetched when there is something to pack: a short trace does without. */
export function loadDeflate(): Promise<void> {
  loading ??= import("./deflate.ts").then(
    (loaded) => {
      deflate = loaded;
    },
    () => {
      // Texts stay as they are, and the next ones ask again.
      loading = null;
    },
  );
  return loading;
}

/** Packed blocks of several columns one after another, each found by its place. */
export interface Store {
  column(missing: null | undefined): Column;
  /** Leaves no room for more. */
  trim(): void;
}

interface Block {
  start: number;
  size: number;
}

/** Texts of any number, of which only those that are written or read just now lie open; the others are deflated. */
export function createTextStore(): Store {
  let bytes = new Uint8Array(0);
  let used = 0;
  let wasted = 0;
  const columns: { blocks: Block[]; settle(): void }[] = [];

  function reserve(capacity: number): void {
    const next = new Uint8Array(capacity);
    next.set(bytes.subarray(0, used));
    bytes = next;
  }

  function put(packed: Uint8Array): Block {
    if (used + packed.length > bytes.length)
      reserve(Math.max(1024, used + packed.length, Math.ceil(bytes.length * GROWTH)));
    const start = used;
    bytes.set(packed, start);
    used += packed.length;
    return { start, size: packed.length };
  }

  /** A block that is written again leaves its old bytes behind. */
  function drop({ size }: Block): void {
    wasted += size;
    if (wasted < used / 4) return;
    const before = bytes;
    bytes = new Uint8Array(used - wasted);
    used = 0;
    wasted = 0;
    for (const { blocks } of columns)
      for (const one of blocks) one.start = put(before.subarray(one.start, one.start + one.size)).start;
  }

  function column(missing: null | undefined): Column {
    const blocks: Block[] = [];
    const open = new Map<number, Texts>();
    const read = new Map<number, Texts>();
    const recent = new Map<number, string | null>();
    columns.push({ blocks, settle: () => packOldest(0) });
    return { get, set, resize() {} };

    function unpack(number: number): Texts {
      const known = read.get(number);
      if (known) return known;
      const block = blocks[number];
      const texts =
        block && deflate
          ? (JSON.parse(deflate.unpack(bytes.subarray(block.start, block.start + block.size))) as Texts)
          : [];
      keep(read, number, texts, READ);
      return texts;
    }

    /** Packs what was opened first, until only so many lie open. */
    function packOldest(left: number): void {
      if (!deflate) return;
      for (const [number, texts] of open) {
        if (open.size <= left) break;
        open.delete(number);
        const before = blocks[number];
        const block = put(deflate.pack(JSON.stringify(texts)));
        blocks[number] = block;
        if (before) drop(before);
      }
    }

    function get(at: number): string | null | undefined {
      const number = Math.floor(at / BLOCK);
      const texts = open.get(number);
      if (texts) return texts[at % BLOCK] ?? missing;
      const known = recent.get(at);
      if (known !== undefined) return known ?? missing;
      const text = unpack(number)[at % BLOCK] ?? null;
      keep(recent, at, text, RECENT);
      return text ?? missing;
    }

    function set(at: number, value: unknown): void {
      const number = Math.floor(at / BLOCK);
      const text = typeof value === "string" ? value : null;
      let texts = open.get(number);
      if (!texts) {
        if (blocks[number] && (get(at) ?? null) === text) return;
        texts = blocks[number] ? unpack(number) : [];
        read.delete(number);
        recent.clear();
        open.set(number, texts);
        if (open.size > OPEN && deflate) packOldest(OPEN);
        else if (open.size > OPEN) void loadDeflate().then(() => packOldest(OPEN));
      }
      texts[at % BLOCK] = text;
    }
  }

  return {
    column,
    trim() {
      for (const { settle } of columns) settle();
      reserve(used);
    },
  };
}

function keep<T>(map: Map<number, T>, key: number, value: T, most: number): void {
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

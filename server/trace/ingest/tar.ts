import { bomb, unreadable } from "../../../store/archives/errors.ts";
import { type ArchiveCaps, checkMemberName, quote } from "../../../store/archives/policy.ts";

/** A member of a tar archive. Its bytes come with the archive's stream: read them before asking for the next member. */
export interface TarMember {
  /** Without a leading `./`; of a folder without its last `/`. */
  name: string;
  type: "file" | "folder";
  size: number;
  /** A piece is the caller's until the next one is asked for: what is kept of it must be a copy. */
  bytes(): AsyncGenerator<Uint8Array>;
}

const BLOCK = 512;
const LONGEST_EXTENSION = 1024 * 1024;

const REFUSED_TYPES: Record<string, string> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a character device",
  "4": "a block device",
  "6": "a pipe",
};

/**
 * Reads a tar stream (POSIX.1-2001: ustar and pax; also GNU's long names) once, from front to back, holding no more
 * than a chunk. The source is read to its end, so that an error which only the end shows is not missed.
 * @throws ArchiveError `bundle_bomb` past a cap, `bundle_unreadable` for an archive that ends early, is damaged, has
 * two members of one name, or a member that is no file or folder or would leave its folder.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  caps: Pick<ArchiveCaps, "maxMembers" | "maxDepth">,
): AsyncGenerator<TarMember> {
  const input = byteReader(source);
  try {
    yield* readMembers(input, caps);
    await input.drain();
  } finally {
    await input.close();
  }
}

async function* readMembers(
  input: ByteReader,
  caps: Pick<ArchiveCaps, "maxMembers" | "maxDepth">,
): AsyncGenerator<TarMember> {
  const names = new Set<string>();
  let extensions: Extensions = {};
  let members = 0;
  for (;;) {
    const block = await input.take(BLOCK);
    if (block === null) throw unreadable("The tar archive ends early: its closing blocks are missing.");
    if (isZero(block)) break;
    const header = readHeader(block, members === 0);
    if (header.type === "x" || header.type === "L") {
      extensions = { ...extensions, ...(await readExtension(input, header)) };
      continue;
    }
    if (header.type === "g") {
      await readExtension(input, header);
      continue;
    }
    members++;
    if (members > caps.maxMembers)
      throw bomb(`The bundle has more than ${caps.maxMembers} members, which is the cap.`);
    const size = extensions.size ?? header.size;
    const type = memberType(header, extensions.path ?? header.name, size);
    const name = plainName(extensions.path ?? header.name);
    extensions = {};
    if (name === "" && type === "folder") continue;
    checkMemberName(name, caps.maxDepth);
    if (type === "file" && names.size === names.add(name).size)
      throw unreadable(`The bundle has two members named ${quote(name)}.`);
    const bytes = input.body(size, name);
    yield { name, type, size, bytes };
    for await (const _ of bytes());
    await input.skip(padding(size), name);
  }
}

interface Header {
  name: string;
  size: number;
  type: string;
}

interface Extensions {
  path?: string;
  size?: number;
}

function readHeader(block: Uint8Array, isFirst: boolean): Header {
  const sum = octal(block.subarray(148, 156));
  let own = 0;
  for (let at = 0; at < BLOCK; at++) own += at >= 148 && at < 156 ? 0x20 : block[at]!;
  if (sum !== own)
    throw unreadable(
      isFirst
        ? "The zstd stream holds no tar archive (its first block is no tar header)."
        : "The tar archive is damaged: a header does not match its checksum.",
    );
  const isUstar = text(block.subarray(257, 262)) === "ustar" && block[262] === 0;
  const prefix = isUstar ? text(block.subarray(345, 500)) : "";
  const name = text(block.subarray(0, 100));
  const size = octal(block.subarray(124, 136));
  if (size === null) throw unreadable(`The member ${quote(name)} has no readable size.`);
  const flag = block[156]!;
  return {
    name: prefix ? `${prefix}/${name}` : name,
    size,
    type: flag === 0 ? "0" : String.fromCharCode(flag),
  };
}

function memberType(header: Header, name: string, size: number): TarMember["type"] {
  const refused = REFUSED_TYPES[header.type];
  if (refused) throw unreadable(`The member ${quote(name)} is ${refused}; only files and folders are taken.`);
  const isFolder = header.type === "5" || (header.type === "0" && name.endsWith("/"));
  if (!isFolder && header.type !== "0" && header.type !== "7")
    throw unreadable(
      `The member ${quote(name)} is of the type ${quote(header.type)}; only files and folders are taken.`,
    );
  if (isFolder && size > 0) throw unreadable(`The folder ${quote(name)} declares ${size} bytes of content.`);
  return isFolder ? "folder" : "file";
}

async function readExtension(input: ByteReader, header: Header): Promise<Extensions> {
  if (header.size > LONGEST_EXTENSION)
    throw unreadable(`The tar archive has an extended header of ${header.size} bytes.`);
  const bytes = await input.take(header.size);
  if (bytes === null) throw unreadable("The tar archive ends early, inside an extended header.");
  await input.skip(padding(header.size), header.name);
  return header.type === "L" ? { path: text(bytes) } : paxRecords(bytes);
}

/** Records of the form `<length> <key>=<value>\n`, the length counting itself. */
function paxRecords(bytes: Uint8Array): Extensions {
  const found: Extensions = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 || space - at > 10 ? Number.NaN : Number(text(bytes.subarray(at, space)));
    const end = at + length;
    if (!Number.isInteger(length) || end <= space || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw unreadable("The tar archive has a damaged extended header.");
    const record = Buffer.from(bytes.subarray(space + 1, end - 1)).toString("utf8");
    const equals = record.indexOf("=");
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === "path") found.path = value;
    if (key === "size") {
      found.size = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (Number.isNaN(found.size)) throw unreadable(`The tar archive declares a size of ${quote(value)}.`);
    }
    if (key.startsWith("GNU.sparse"))
      throw unreadable("The tar archive has sparse files; plain ones are taken.");
    at = end;
  }
  return found;
}

/** A leading `./`, as `tar -C folder .` writes it, says nothing. */
function plainName(name: string): string {
  const plain = name.replace(/^(\.\/)+/, "").replace(/\/$/, "");
  return plain === "." ? "" : plain;
}

const isZero = (block: Uint8Array) => block.every((byte) => byte === 0);
const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

/** Up to the first NUL; bytes that are no UTF-8 become U+FFFD, which no member name may hold. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

/** A number field: octal digits, or base 256 when its first bit is set. Null when it is neither. */
function octal(field: Uint8Array): number | null {
  if (field[0]! & 0x80) {
    let value = field[0]! & 0x7f;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return Number.isSafeInteger(value) ? value : null;
  }
  const digits = text(field).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : null;
}

type ByteReader = ReturnType<typeof byteReader>;

function byteReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array(0);
  let at = 0;

  /** Makes sure that unread bytes are at hand. @returns false at the end. */
  async function fill(): Promise<boolean> {
    while (at === chunk.length) {
      const next = await chunks.next();
      if (next.done) return false;
      chunk = next.value;
      at = 0;
    }
    return true;
  }

  function some(most: number): Uint8Array {
    const piece = chunk.subarray(at, at + most);
    at += piece.length;
    return piece;
  }

  /** The next `size` bytes in pieces. A reader that left early has the rest skipped by calling it again. */
  function body(size: number, name: string): () => AsyncGenerator<Uint8Array> {
    let missing = size;
    return async function* () {
      while (missing > 0) {
        if (!(await fill()))
          throw unreadable(`The tar archive ends early, inside the member ${quote(name)}.`);
        const piece = some(missing);
        missing -= piece.length;
        yield piece;
      }
    };
  }

  return {
    body,
    /** A copy of exactly `size` bytes; null when the stream ends before them. */
    async take(size: number): Promise<Uint8Array | null> {
      const whole = new Uint8Array(size);
      for (let filled = 0; filled < size; ) {
        if (!(await fill())) return null;
        const piece = some(size - filled);
        whole.set(piece, filled);
        filled += piece.length;
      }
      return whole;
    },
    async skip(size: number, name: string) {
      for await (const _ of body(size, name)());
    },
    async close() {
      await chunks.return?.();
    },
    async drain() {
      do at = chunk.length;
      while (await fill());
    },
  };
}

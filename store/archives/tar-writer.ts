/** A file to put into a tar archive; exactly `size` bytes must come. */
export interface TarFile {
  name: string;
  size: number;
  bytes(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const BLOCK = 512;
/** What eleven octal digits hold; larger files say their size in a pax record. */
const LARGEST_USTAR = 8 * 1024 ** 3;

const LONGEST_NAME = 100;

export interface TarOptions {
  /** Permissions of every file. */
  mode?: number;
  /** When every file is said to have changed, in seconds since 1970. */
  mtime?: number;
}

/**
 * A tar archive (POSIX.1-2001: ustar, with pax records where a size or a name needs one) of files, in pieces. Without
 * options nothing of it depends on when or by whom it is made. All archives of ours are written here, since whoever takes
 * the pieces sets the pace, and nothing is held; `tar-stream` would have to be fed beside the one who reads it. It reads
 * what we wrote ourselves, and bundles of strangers have a reader of their own, which refuses and counts.
 * @throws Error when a file has more or fewer bytes than announced
 */
export async function* writeTar(
  files: AsyncIterable<TarFile>,
  options: TarOptions = {},
): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    const records = [
      ...(Buffer.byteLength(file.name) > LONGEST_NAME ? [paxRecord("path", file.name)] : []),
      ...(file.size >= LARGEST_USTAR ? [paxRecord("size", String(file.size))] : []),
    ];
    if (records.length > 0) yield paxHeader(Buffer.concat(records));
    yield header(file.name, file.size, "0", options);
    let done = 0;
    for await (const chunk of file.bytes()) {
      done += chunk.length;
      yield chunk;
    }
    if (done !== file.size)
      throw new Error(`"${file.name}" has ${done} bytes where ${file.size} were announced.`);
    yield padding(file.size);
  }
  yield new Uint8Array(2 * BLOCK);
}

function header(name: string, size: number, type: string, options: TarOptions = {}): Uint8Array {
  const { mode = 0o644, mtime = 0 } = options;
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, LONGEST_NAME);
  block.write(`${octal(mode, 7)}\0`, 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${octal(size < LARGEST_USTAR ? size : 0, 11)}\0`, 124);
  block.write(`${octal(mtime, 11)}\0`, 136);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

/** A record is its own length, a blank, `key=value` and a line end; the length, in bytes, counts its own digits. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

const paxHeader = (records: Uint8Array): Uint8Array =>
  Buffer.concat([header("PaxHeader", records.length, "x"), records, padding(records.length)]);

const padding = (size: number) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

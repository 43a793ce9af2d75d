/** A file to put into a tar archive; exactly `size` bytes must come. */
export interface TarFile {
  name: string;
  size: number;
  bytes(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const BLOCK = 512;
/** What eleven octal digits hold; larger files say their size in a pax record. */
const LARGEST_USTAR = 8 * 1024 ** 3;

/**
 * A tar archive (POSIX.1-2001: ustar, with pax records where a size needs one) of files with names of up to 100 bytes,
 * in pieces. Nothing of it depends on when or by whom it is made.
 * @throws Error when a file has more or fewer bytes than announced
 */
export async function* writeTar(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    if (file.size >= LARGEST_USTAR) yield paxSize(file.size);
    yield header(file.name, file.size, "0");
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

function header(name: string, size: number, type: string): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write("0000644\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${(size < LARGEST_USTAR ? size : 0).toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** A record is its own length, a blank, `size=`, the number and a line end; the length counts its own digits. */
function paxSize(size: number): Uint8Array {
  const rest = ` size=${size}\n`;
  const record = `${rest.length + 2}${rest}`;
  return Buffer.concat([
    header("PaxHeader", record.length, "x"),
    Buffer.from(record),
    padding(record.length),
  ]);
}

const padding = (size: number) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

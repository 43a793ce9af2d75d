import { deflateRawSync } from "node:zlib";

/** Bundles as clients make them, and as attackers do: every byte of a member's header can be said. */
export interface TarEntry {
  name: string;
  content?: string | Uint8Array;
  /** Type flag; "0" is a file. */
  type?: string;
  link?: string;
  prefix?: string;
  /** The size that the header declares; that of the content unless given. */
  size?: number;
}

export const sha256 = (content: string | Uint8Array) =>
  new Bun.CryptoHasher("sha256").update(content).digest("hex");

/** An ustar archive with its closing blocks. */
export function tar(entries: TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarMember), Buffer.alloc(1024)]);
}

/** A member's header and padded content. */
export function tarMember(entry: TarEntry): Buffer {
  const content = Buffer.from(entry.content ?? "");
  const header = Buffer.alloc(512);
  header.write(entry.name, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${(entry.size ?? content.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(entry.type ?? "0", 156);
  header.write(entry.link ?? "", 157, 100);
  header.write("ustar\x0000", 257, "latin1");
  header.write(entry.prefix ?? "", 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** A pax extended header with records for the member that follows. */
export function pax(records: Record<string, string>): TarEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length = String(length).length + rest;
    return `${length} ${key}=${value}\n`;
  });
  return { name: "PaxHeader", type: "x", content: lines.join("") };
}

export const zstd = (bytes: Uint8Array) => Bun.zstdCompressSync(bytes, { level: 1 });

/** A tar.zst bundle. */
export const bundle = (entries: TarEntry[]) => zstd(tar(entries));

export const manifest = (more: Record<string, unknown> = {}): TarEntry => ({
  name: "manifest.json",
  content: JSON.stringify({
    version: 1,
    scenario: { slug: "checkout", title: "Guest checkout" },
    status: "failed",
    started_at: "2026-01-02T03:04:05.000Z",
    ended_at: "2026-01-02T03:04:35.000Z",
    ...more,
  }),
});

/** Lines of an event stream, `seq` from 0. */
export function eventLines(
  count: number,
  more: (seq: number) => Record<string, unknown> = () => ({}),
): string {
  const lines = Array.from({ length: count }, (_, seq) =>
    JSON.stringify({
      seq,
      ts: 1_767_323_045_000 + seq,
      kind: "console.log",
      text: `line ${seq}`,
      ...more(seq),
    }),
  );
  return lines.map((line) => `${line}\n`).join("");
}

export const events = (content: string): TarEntry => ({ name: "events.ndjson", content });

export const blob = (content: string | Uint8Array): TarEntry => ({
  name: `blobs/${sha256(content)}`,
  content,
});

/** A multipart body with the fields before the file, as most clients send it. */
export function uploadForm(
  file: Uint8Array,
  fields: Record<string, string> = { scenario_slug: "checkout" },
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("bundle", new File([file as Uint8Array<ArrayBuffer>], "bundle.tar.zst"));
  return form;
}

/** A zip archive of stored or deflated members. */
export function zip(entries: { name: string; content: string | Uint8Array }[], method: 0 | 8 = 8): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const bytes = Buffer.from(content);
    const stored = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(Bun.hash.crc32(bytes), 10);
    common.writeUInt32LE(stored.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const member = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), stored]);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, entry, Buffer.from(name)]));
    parts.push(member);
    offset += member.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

/** The least that is a Playwright archive of a format version. */
export function playwrightZip(
  options: {
    version?: number;
    resources?: { name: string; content: string | Uint8Array }[];
    method?: 0 | 8;
  } = {},
): Buffer {
  const { version = 8, resources = [], method } = options;
  const lines = [
    {
      version,
      type: "context-options",
      origin: "library",
      browserName: "chromium",
      platform: "linux",
      wallTime: 1_767_323_045_000,
      monotonicTime: 100,
      options: {},
      title: "",
    },
    {
      type: "before",
      callId: "call@1",
      startTime: 110,
      class: "Page",
      method: "goto",
      apiName: "page.goto",
      params: { url: "http://localhost/" },
    },
    { type: "after", callId: "call@1", endTime: 150 },
  ];
  return zip(
    [
      { name: "trace.trace", content: lines.map((line) => `${JSON.stringify(line)}\n`).join("") },
      { name: "trace.network", content: "" },
      ...resources,
    ],
    method,
  );
}

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

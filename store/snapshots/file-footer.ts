/** Where the index of a snapshot file lies. */
export interface Footer {
  at: number;
  storedSize: number;
  size: number;
}

export const FOOTER_SIZE = 32;
const MAGIC = 0x31_53_44_54;

export function encodeFooter({ at, storedSize, size }: Footer): Uint8Array {
  const bytes = Buffer.alloc(FOOTER_SIZE);
  bytes.writeBigUInt64LE(BigInt(at), 0);
  bytes.writeBigUInt64LE(BigInt(storedSize), 8);
  bytes.writeBigUInt64LE(BigInt(size), 16);
  bytes.writeUInt32LE(MAGIC, 28);
  return bytes;
}

/** Null when the bytes are no footer. */
export function decodeFooter(bytes: Uint8Array): Footer | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length !== FOOTER_SIZE || view.readUInt32LE(28) !== MAGIC) return null;
  const [at, storedSize, size] = [0, 8, 16].map((offset) => Number(view.readBigUInt64LE(offset)));
  return { at: at!, storedSize: storedSize!, size: size! };
}

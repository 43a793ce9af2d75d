const MARK_BYTES = 2;

/** Told by the first bytes, which count before every header (WHATWG Encoding, 6.1). */
function encodingOf(head: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : null;
}

/**
 * Text as UTF-8, also what begins with the byte order mark of UTF-16, which goes: a browser heeds the mark whatever it is told,
 * so whoever reads the bytes as UTF-8 would see other text. All else passes as it is.
 */
export function asUtf8(bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let decoder: TextDecoder | null = null;
  /** What has come, until the mark would be there; then null. */
  let head: Uint8Array | null = new Uint8Array();
  const pass = (chunk: Uint8Array) =>
    decoder ? encoder.encode(decoder.decode(chunk, { stream: true })) : chunk;

  return bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (head === null) return controller.enqueue(pass(chunk));
        head = Buffer.concat([head, chunk]);
        if (head.length < MARK_BYTES) return;
        const encoding = encodingOf(head);
        if (encoding) decoder = new TextDecoder(encoding);
        controller.enqueue(pass(head));
        head = null;
      },
      flush(controller) {
        if (head !== null) controller.enqueue(head);
        if (decoder) controller.enqueue(encoder.encode(decoder.decode()));
      },
    }),
  );
}

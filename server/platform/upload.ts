import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { ApiClient } from "./api-client.ts";

/** Answer of an ingest (specification, section 2.4). */
export interface Ingested {
  trace_id: string;
  short_id: string;
  warnings?: string[];
}

const READ_BYTES = 256 * 1024;

/** What the executable carries opens by Bun's functions alone. */
const read = (path: string): AsyncIterable<Uint8Array> =>
  typeof Bun === "undefined"
    ? createReadStream(path, { highWaterMark: READ_BYTES })
    : Bun.file(path).stream();

/**
 * Sends a file to be ingested as `multipart/form-data` (RFC 7578) straight from the disk, so that memory stays flat whatever its size.
 * Runs in Node too: the reporter for Playwright sends its archives by it.
 * @param onProgress bytes of the file handed over so far
 */
export async function uploadBundle(
  client: ApiClient,
  upload: {
    path: string;
    /** Another operation than the ingest of a bundle, and its name for the file. */
    to?: { path: string; part: string };
    fields: Record<string, string>;
    boundary: string;
    idempotencyKey: string;
    onProgress?: (sent: number) => void;
    signal?: AbortSignal;
  },
): Promise<Response> {
  const { size } = await stat(upload.path);
  const { boundary, to = { path: "/v1/traces/ingest", part: "bundle" } } = upload;
  const fields = Object.entries(upload.fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const fileName = basename(upload.path).replace(/["\r\n]/g, "_");
  const head = Buffer.from(
    `${fields.join("")}--${boundary}\r\ncontent-disposition: form-data; name="${to.part}"; filename="${fileName}"\r\n` +
      "content-type: application/octet-stream\r\n\r\n",
  );
  const foot = Buffer.from(`\r\n--${boundary}--\r\n`);

  async function* body() {
    yield head;
    let sent = 0;
    for await (const chunk of read(upload.path)) {
      sent += chunk.byteLength;
      yield chunk;
      upload.onProgress?.(sent);
    }
    yield foot;
  }
  return client.request(to.path, {
    method: "POST",
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "idempotency-key": upload.idempotencyKey,
      "content-length": String(head.byteLength + size + foot.byteLength),
    },
    body: body() as unknown as ReadableStream,
    // Node asks for it where a body is streamed.
    ...{ duplex: "half" },
    ...(upload.signal && { signal: upload.signal }),
  });
}

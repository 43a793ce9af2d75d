import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** An upload that was answered with a trace. Times of `performance.now()`, ms. */
export interface Uploaded {
  id: string;
  /** When the last byte was handed to the system. */
  sent: number;
  answered: number;
}

const BOUNDARY = "tracedeck-bench";
/** As a browser does. */
const CHUNK = 256 * 1024;

/**
 * Uploads an archive as a form, over a plain socket: `fetch` does not tell when it has sent the last byte.
 * @throws Error when the answer names no trace
 */
export async function upload(
  server: { url: string; apiKey: string },
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Uploaded> {
  const { hostname, host, port } = new URL(server.url);
  const before = `${Object.entries(fields).map(field).join("")}${partHead('name="bundle"; filename="trace.zip"')}`;
  const after = `\r\n--${BOUNDARY}--\r\n`;
  const length = Buffer.byteLength(before) + statSync(path).size + Buffer.byteLength(after);
  const socket = connect({ host: hostname, port: Number(port) });
  const answer = text(socket);
  socket.write(
    [
      "POST /v1/traces/ingest HTTP/1.1",
      `host: ${host}`,
      `authorization: Bearer ${server.apiKey}`,
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
      `content-length: ${length}`,
      "connection: close",
      "",
      before,
    ].join("\r\n"),
  );
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }))
    if (!socket.write(chunk)) await once(socket, "drain");
  await new Promise((resolve) => socket.write(after, resolve));
  const sent = performance.now();
  const body = (await answer).split("\r\n\r\n")[1] ?? "";
  const answered = performance.now();
  const id = /"trace_id":"([^"]+)"/.exec(body)?.[1];
  if (id === undefined) throw new Error(`The upload was answered with ${await answer}`);
  return { id, sent, answered };
}

const partHead = (disposition: string): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;

const field = ([name, value]: [string, string]): string => `${partHead(`name="${name}"`)}${value}\r\n`;

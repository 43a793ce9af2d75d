import type { CloneResponse, OnExchange } from "../../server/run/clones/types.ts";

export const unheard: OnExchange = () => {};

/** A request to a clone, without the network. */
export const cloneRequest = (
  method: string,
  url: string,
  body: string | object = "",
  headers: Record<string, string> = {},
) => ({
  method,
  url: new URL(url, "https://third.party.test"),
  headers: { ...(typeof body === "object" && { "content-type": "application/json" }), ...headers },
  body: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
  signal: new AbortController().signal,
});

// biome-ignore lint/suspicious/noExplicitAny: answers of several third parties, read field by field
export const bodyOf = (response: CloneResponse): any => JSON.parse(String(response.body));

/** A conversation with a mail server, line by line: what it answered. */
export async function smtp(url: string, says: readonly string[]): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const heard: string[] = [];
  const left = [...says];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let pending = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(socket, data) {
        pending += data.toString();
        const lines = pending.split("\r\n");
        pending = lines.pop() ?? "";
        for (const line of lines) {
          if (!/^\d{3} /.test(line)) continue;
          heard.push(line);
          const next = left.shift();
          if (next === undefined) socket.end();
          else socket.write(`${next}\r\n`);
        }
      },
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  });
  await promise;
  socket.end();
  return heard;
}

/** Sends a mail as programs do. */
export const sendMail = (url: string, to: string, raw: string): Promise<string[]> =>
  smtp(url, ["EHLO shop", "MAIL FROM:<shop@example.com>", `RCPT TO:<${to}>`, "DATA", `${raw}\r\n.`, "QUIT"]);

/** A recorded request as code that sends it again. */
export interface CodeRequest {
  method: string;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** Text, or the bytes of what is no text. */
  body: string | Uint8Array | null;
}

// What the sender works out by itself; a wrong length or encoding breaks the request.
const OWN = new Set(["content-length", "host", "connection", "transfer-encoding", "accept-encoding"]);
/** Names of header fields (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function sentHeaders({ headers }: CodeRequest): [string, string][] {
  return headers
    .filter(([name]) => TOKEN.test(name) && !OWN.has(name.toLowerCase()))
    .map(([name, value]) => [name, value.replace(/[\r\n\0]+/g, " ").trim()]);
}

const hasHeader = (headers: [string, string][], wanted: string) =>
  headers.some(([name]) => name.toLowerCase() === wanted);

/** NUL goes through no shell, and half a surrogate pair through no encoding. */
function isPlain(body: string | Uint8Array): body is string {
  return typeof body === "string" && !body.includes("\0") && body.isWellFormed();
}

function toBase64(body: string | Uint8Array): string {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** A word of a POSIX shell: nothing between single quotes means anything but itself. */
function shellWord(text: string): string {
  return `'${text.toWellFormed().replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}

/** As a command for sh, bash, dash and zsh. Bytes that are no text come through a pipe. */
export function curlCode(request: CodeRequest): string {
  const headers = sentHeaders(request);
  const { body } = request;
  const words = [`curl --globoff --url ${shellWord(request.url)}`];
  if (request.method === "HEAD" && body === null) words.push("--head");
  else if (request.method !== "GET" || body !== null) words.push(`--request ${shellWord(request.method)}`);
  for (const [name, value] of headers)
    words.push(`--header ${shellWord(value === "" ? `${name};` : `${name}: ${value}`)}`);
  if (request.headers.some(([name]) => name.toLowerCase() === "accept-encoding")) words.push("--compressed");
  if (body === null) return words.join(" \\\n  ");
  // Else curl would name a type of its own.
  if (!hasHeader(headers, "content-type")) words.push("--header 'Content-Type:'");
  if (isPlain(body)) return [...words, `--data-raw ${shellWord(body)}`].join(" \\\n  ");
  const command = [...words, "--data-binary @-"].join(" \\\n  ");
  return `printf %s ${shellWord(toBase64(body))} | base64 -d | ${command}`;
}

/** A literal of JavaScript. */
function literal(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** As a call of `fetch`, for a console of a browser, Node, Deno or Bun. */
export function fetchCode(request: CodeRequest): string {
  const { body } = request;
  const headers = sentHeaders(request);
  const options = [`  method: ${literal(request.method)},`];
  if (headers.length > 0) {
    const rows = headers.map(([name, value]) => `    [${literal(name)}, ${literal(value)}],`);
    options.push("  headers: [", ...rows, "  ],");
  }
  if (body !== null)
    options.push(
      isPlain(body)
        ? `  body: ${literal(body)},`
        : `  body: Uint8Array.from(atob("${toBase64(body)}"), (character) => character.charCodeAt(0)),`,
    );
  return `await fetch(${literal(request.url)}, {\n${options.join("\n")}\n});`;
}

/** As a call with the `request` fixture of Playwright Test. */
export function playwrightCode(request: CodeRequest): string {
  const { body } = request;
  const headers = new Map<string, string>();
  for (const [name, value] of sentHeaders(request)) {
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}${key === "cookie" ? "; " : ", "}${value}`);
  }
  const options = [`  method: ${literal(request.method)},`];
  if (headers.size > 0) {
    const rows = [...headers].map(([name, value]) => `    ${literal(name)}: ${literal(value)},`);
    options.push("  headers: {", ...rows, "  },");
  }
  // A text is sent as it is only inside of a buffer: a string may be made JSON first.
  if (body !== null)
    options.push(
      isPlain(body)
        ? `  data: Buffer.from(${literal(body)}),`
        : `  data: Buffer.from("${toBase64(body)}", "base64"),`,
    );
  return `const response = await request.fetch(${literal(request.url)}, {\n${options.join("\n")}\n});`;
}

import { open } from "node:fs/promises";
import { basename } from "node:path";
import { createZipPieces } from "../../../store/archives/zip-pieces.ts";
import type { Header } from "../../trace/format/event.ts";
import { mayBeShown, NEVER_SHOWN } from "../addresses.ts";
import { isSecretField } from "../page-scripts/secret-fields.ts";
import type { Redactor } from "../redaction/redact.ts";

type Raw = Record<string, unknown>;

const LINES = /(?:^|[./-])(?:trace|network|stacks)$/;
const TEXT = /\.(?:html?|json|txt|svg|xml|csv|dat|md)$/i;
const CODE = /\.(?:css|m?js)$/i;
/** Binary by its name, whatever it holds. */
const BINARY = /\.(?:png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|mp4|webm|mp3|wasm|pdf|zip|gz)$/i;
/** In a line: an address that may be one that no scenario may open. */
const NEVER_SHOWN_ADDRESS = new RegExp(`"(?:frameUrl|url)":"${NEVER_SHOWN}`);
/** In a line: a field that nobody is to read may be in it. */
const SECRET_FIELD = /"password"|current-password|new-password|one-time-code|cc-number|cc-csc/i;

/** A member of an archive, wherever its bytes lie. */
export interface RawMember {
  name: string;
  read(): Promise<Uint8Array>;
}

/**
 * Writes a Playwright archive without what must not be kept: headers that authorise, cookies, password fields, secrets
 * and configured patterns, in every text of it.
 * @param onLine sees each line of the trace itself, before it is rewritten
 * @throws what reading a member throws
 */
export async function redactArchive(
  members: readonly RawMember[],
  to: string,
  redactor: Redactor,
  onLine: (line: Raw) => void,
): Promise<void> {
  // Not Bun's writer: on a full disk that rejects a promise which nobody has, and ends as if all were there.
  const file = await open(to, "w", 0o600);
  try {
    const zip = createZipPieces();
    const refused = new Set<string>();
    // What lines leave out names what is left out with them.
    const inOrder = members.toSorted((a, b) => Number(LINES.test(b.name)) - Number(LINES.test(a.name)));
    for (const member of inOrder) {
      if (refused.has(basename(member.name))) continue;
      const bytes = await rewritten(member, { redactor, onLine, refused });
      for (const piece of zip.member(member.name, bytes)) await file.writeFile(piece);
    }
    await file.writeFile(zip.end());
  } finally {
    await file.close();
  }
}

interface Rewriting {
  redactor: Redactor;
  onLine: (line: Raw) => void;
  /** Names of files that nothing kept refers to. */
  refused: Set<string>;
}

async function rewritten(member: RawMember, { redactor, onLine, refused }: Rewriting): Promise<Uint8Array> {
  const bytes = await member.read();
  const text = BINARY.test(member.name) ? null : textOf(bytes);
  if (text === null) return redactor.bytes(bytes);
  const isTrace = member.name.endsWith(".trace");
  if (LINES.test(member.name)) {
    const kept = text.split("\n").filter((line) => line === "" || !isRefused(line, refused));
    return Buffer.from(redactLines(kept, redactor, isTrace ? onLine : null));
  }
  if (CODE.test(member.name)) return Buffer.from(redactor.text(text));
  return TEXT.test(member.name) || redactor.concerns(text) ? Buffer.from(redactor.body(text)) : bytes;
}

/** A page or an answer of an address that no scenario may open: the run ends by it. */
function isRefused(line: string, refused: Set<string>): boolean {
  if (!NEVER_SHOWN_ADDRESS.test(line)) return false;
  const { type, snapshot } = JSON.parse(line) as { type: string; snapshot?: Raw };
  const request = snapshot?.request as { url?: unknown } | undefined;
  const url = type === "frame-snapshot" ? snapshot?.frameUrl : request?.url;
  if (typeof url !== "string" || mayBeShown(url)) return false;
  const response = snapshot?.response as { content?: { _sha1?: unknown } } | undefined;
  const file = response?.content?._sha1;
  if (typeof file === "string") refused.add(file);
  return true;
}

function redactLines(
  lines: readonly string[],
  redactor: Redactor,
  onLine: ((line: Raw) => void) | null,
): string {
  return lines
    .map((line) => {
      if (line === "") return line;
      const parsed = JSON.parse(line) as Raw;
      onLine?.(parsed);
      // Most of the bytes are documents in which there is nothing to hide.
      const isPlain =
        parsed.type === "frame-snapshot" && !SECRET_FIELD.test(line) && !redactor.concerns(line);
      return isPlain ? line : JSON.stringify(redactValue(parsed, redactor));
    })
    .join("\n");
}

function redactValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.text(value);
  if (Array.isArray(value)) return redactList(value, redactor);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (isHeaders(key, one)) return [key, redactor.headers(one)];
      if (key === "cookies" && Array.isArray(one)) return [key, redactCookies(one, redactor)];
      if (key === "url" && typeof one === "string") return [key, redactor.url(one)];
      if (key === "postData" && typeof one === "string") return [key, redactor.body(one)];
      if (/^(?:value|text)$/.test(key) && typeof one === "string" && redactor.isTyped(one))
        return [key, redactor.hide()];
      if (key === "text" && typeof one === "string") return [key, redactor.body(one)];
      return [nameOf(key, redactor), redactValue(one, redactor)];
    }),
  );
}

/** Playwright's own fields have words for names; the attributes of a document may have anything. */
const nameOf = (name: string, redactor: Redactor): string =>
  /^[a-z_]+$/i.test(name) ? name : redactor.text(name);

/** Also an element of a recorded document: `["INPUT", { type: "password", … }]`. */
function redactList(list: unknown[], redactor: Redactor): unknown[] {
  const [name, attributes] = list;
  if (name === "INPUT" && isRecord(attributes) && isSecretInput(attributes)) {
    const hidden = Object.entries(attributes).map(([key, one]) =>
      /value/i.test(key) && typeof one === "string" && one !== "" ? [key, redactor.hide()] : [key, one],
    );
    return [name, Object.fromEntries(hidden), ...list.slice(2).map((one) => redactValue(one, redactor))];
  }
  return list.map((one) => redactValue(one, redactor));
}

const isSecretInput = ({ type, autocomplete }: Raw): boolean =>
  isSecretField(String(type), String(autocomplete ?? ""));

const redactCookies = (cookies: unknown[], redactor: Redactor): unknown[] =>
  cookies.map((cookie) => (isRecord(cookie) ? { ...cookie, value: redactor.hide() } : cookie));

const isRecord = (value: unknown): value is Raw =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const isHeaders = (key: string, value: unknown): value is Header[] =>
  key === "headers" &&
  Array.isArray(value) &&
  value.every((one) => isRecord(one) && typeof one.name === "string" && typeof one.value === "string");

/** Null for what is no text. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

import { secretsOf } from "../../../store/records/secrets.ts";
import type { Deps } from "../../deps.ts";
import { MAX_SECRETS } from "../../identity/secrets/model.ts";
import { configuredFor } from "../../identity/secrets/service.ts";
import { readSecrets } from "../../identity/secrets/values.ts";
import type { Clean } from "../fit.ts";
import { SECRET_NAMES } from "../format/secret-names.ts";

export const MASK = "[redacted]";

/** Shorter values stand in every text. */
const SHORTEST_SECRET = 4;

/** What is a secret by its form, wherever it stands. */
const FORMS: readonly RegExp[] = [
  /\bproduct_(?:sk|pat|svc)_[\w-]{8,}/g,
  /\b(?:gh[oprsu]|github_pat|glpat|xox[abeoprs]|sk|pk|rk)[-_][\w-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/g,
];

/** RFC 6750 and RFC 7617; the same words also begin sentences, so that what follows must look like a credential. */
const CREDENTIAL = /\b(bearer|basic)(\s{1,4})([\w.~+/=-]{8,})/gi;

/** Whether a word is no word of a language: it has a digit, a capital within, or something between its letters. */
const isToken = (word: string): boolean => /\d|[a-z][A-Z]|[._-]\w|=$|^.{24}/.test(word);

/** Whether it is the base64 of `user:password`; bytes that are no text may say so by chance. */
function isUserAndPassword(word: string): boolean {
  const decoded = Buffer.from(word, "base64").toString("utf8");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return decoded.includes(":") && (isToken(word) || !/[\x00-\x1f\ufffd]/.test(decoded));
}

const withoutCredentials = (text: string): string =>
  text.replace(CREDENTIAL, (all, scheme: string, space: string, word: string) =>
    (scheme.toLowerCase() === "basic" ? isUserAndPassword(word) : isToken(word))
      ? `${scheme}${space}${MASK}`
      : all,
  );

const NAMED = new RegExp(`^(?:${SECRET_NAMES})$`, "i");
/** A field so named with its value: in JSON (also within a text of JSON), in a form or a query. */
const FIELDS: readonly RegExp[] = [
  new RegExp(
    `((?:^|[{,\\s])(\\\\*["'])(?:${SECRET_NAMES})\\2\\s*:\\s*\\2)(?:(?!\\2)(?:\\\\[\\s\\S]|[\\s\\S])){1,4000}`,
    "gi",
  ),
  new RegExp(`((?:^|[{,\\s])\\\\*["'](?:${SECRET_NAMES})\\\\*["']\\s*:\\s*)\\d{3,}`, "gi"),
  new RegExp(`((?:^|[?&\\s"'])(?:${SECRET_NAMES})=)[^&\\s"'\\\\]{1,4000}`, "gi"),
];

/** What stands in every text that a form or a field matches: most texts have nothing of it, and a page has thousands. */
const HINT = new RegExp(
  `product_|gh[oprsu][-_]|github_pat|glpat|xox|[prs]k[-_]|akia|eyj|private key|://|bearer|basic|${SECRET_NAMES}`,
  "i",
);

/** Takes secrets out of what was recorded, before a model or a reader gets it. */
export interface Mask {
  (text: string): string;
  /** Characters of the longest secret that it knows: at the edge of a text that was cut, so many may be the rest of one. */
  readonly reach: number;
}

/** Secrets by their form or field are no longer. */
const REACH = 8_192;

/**
 * What was recorded by this program holds no secrets; what was uploaded may. The org's own values go, and what is a secret by
 * its form or by the name of its field.
 * @throws UnreadableSecretError
 */
export async function createMask(deps: Deps, orgId: string): Promise<Mask> {
  const configured = await configuredFor(deps, orgId);
  const kept = await secretsOf(deps.store.records, orgId, MAX_SECRETS);
  const names = [...new Set([...Object.keys(configured), ...kept.map(({ name }) => name)])];
  const { values } = await readSecrets(
    { records: deps.store.records, vault: deps.vault },
    { orgId, names, configured },
  );
  const own = [...new Set(Object.values(values).flatMap(spellings))]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const mask = (text: string) => {
    let masked = text;
    for (const value of own) if (value.length <= masked.length) masked = masked.replaceAll(value, MASK);
    if (masked.includes("…")) masked = withoutBeginnings(masked, own);
    if (!HINT.test(masked)) return masked;
    for (const form of FORMS) masked = masked.replace(form, MASK);
    masked = withoutCredentials(masked);
    for (const field of FIELDS) masked = masked.replace(field, `$1${MASK}`);
    return masked;
  };
  return Object.assign(mask, { reach: Math.max(REACH, own[0]?.length ?? 0) });
}

/** Places in one text that are looked at, from its end. */
const MOST_ENDS = 100;

/** What was found out of a recording (causes, trees of pages) is kept cut: before an ellipsis the beginning of a value may stand. */
function withoutBeginnings(text: string, own: readonly string[]): string {
  let left = text;
  let end = left.lastIndexOf("…");
  for (let count = 0; end > 0 && count < MOST_ENDS; count++) {
    const at = end;
    let begun: number | null = null;
    for (const value of own) begun ??= beginningBefore(left, at, value);
    if (begun !== null) left = `${left.slice(0, begun)}${MASK}${left.slice(at)}`;
    end = left.lastIndexOf("…", Math.min(at, begun ?? at) - 1);
  }
  return left;
}

/** Where a beginning of the value starts that goes up to this place; null when none does. */
function beginningBefore(text: string, end: number, value: string): number | null {
  const least = Math.max(0, end - value.length);
  const before = text.slice(least, end);
  const start = value.slice(0, SHORTEST_SECRET);
  for (let from = before.indexOf(start); from !== -1; from = before.indexOf(start, from + 1))
    if (value.startsWith(before.slice(from))) return least + from;
  return null;
}

/** A value as it is, and as JSON and addresses write it. */
const spellings = (value: string): string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
];

/** What a tool takes recorded values through before it cuts them. */
export const cleanBy =
  (mask: Mask): Clean =>
  <Value>(value: Value) =>
    masked(mask, value) as Value;

/** The same for every text within a JSON value; nothing else of it changes. */
export function masked(mask: Mask, value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((one) => masked(mask, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      mask(name),
      typeof one === "string" && NAMED.test(name) ? MASK : masked(mask, one),
    ]),
  );
}

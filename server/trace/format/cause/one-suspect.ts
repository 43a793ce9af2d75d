import type { Finding } from "./types.ts";

/** What makes two findings one suspect though they are about different things. */
export interface Sameness {
  key: string;
  /** What the second one tells of the thing besides, as a sentence. */
  adds?: string;
  /** The request that the second one says the same of. */
  request?: string;
  /** Whether it only repeats another one, so that none is joined to it. */
  isEcho?: boolean;
  /** Whether what it tells besides is not needed where the other one stands. */
  isOvertaken?: boolean;
}

/**
 * Of a finding that others say as well, or say more of: an element that is not there and what stands in its place; what was
 * sent otherwise and how that was answered; requests that one thing kept from the server; the words of a refusal, or of an
 * error, that the page says or logs again.
 * @param clause the first of its title
 * @returns null for all others
 */
export function samenessOf({ kind, step_id, is_new }: Finding, clause: string): Sameness | null {
  if (kind === "element_missing" || kind === "element_renamed") {
    const target = NOT_THERE.exec(clause)?.groups?.target;
    return target === undefined ? null : { key: `${step_id} misses ${target}`, isOvertaken: true };
  }
  if (kind === "page_message" || kind === "console_error") {
    const said = firstOf(ECHOES, clause)?.said;
    return said === undefined ? null : { key: `says ${said}`, isEcho: clause !== `${LOGGED}${said}` };
  }
  const kept = firstOf(KEPT_BACK, clause);
  if (kept) return { key: `${is_new} ${kept.who ?? ""}${kept.how}`, request: kept.request! };
  const words = firstOf(WORDS, clause)?.said;
  return words === undefined ? ofSent(clause) : { key: `says ${words}` };
}

const firstOf = (forms: readonly RegExp[], text: string) =>
  forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);

/** Of a clause that tells what was sent, or with what it was sent and how that was answered. */
function ofSent(clause: string): Sameness | null {
  if (SENT.test(clause)) return { key: clause };
  const at = clause.indexOf(SENT_AND);
  const end = at < 0 ? -1 : clause.indexOf(", answered ", at);
  if (end < 0) return null;
  const sent = clause.slice(at + SENT_AND.length, end);
  return { key: `${clause.slice(0, at)} was sent ${sent}`, adds: `It was${clause.slice(end + 1)}.` };
}

const NOT_THERE = /^(?<target>.{1,400}?) was (?:not found|nowhere on the page)(?=[;:,]|$)/;
/** What kept a request from the server, by who did so, or how. */
const KEPT_BACK = [
  /^(?<request>[A-Z]{1,16} \S{1,400}(?: \([^()]{1,80}\))?) (?<how>failed: .*)$/,
  /^(?<who>The test's own route aborted )(?<request>[A-Z]{1,16} \S{1,400})(?<how>, which it let through .*)$/,
  /^(?<request>[A-Z]{1,16} \S{1,400}(?: \([^()]{1,80}\))?(?: with “[^“”]{1,60}”(?: and “[^“”]{1,60}”)?)?) was (?<who>never sent)(?:: in the last pass it went out| again: it was sent [\w ]{1,20}, where the last pass sent it [\w ]{1,20}, again) [\d.]+ \w+ (?<how>after “[^“”]*”)/,
] as const;
const LOGGED = "The page logged the error: ";
/** Errors go by their own name, whatever wrote them down. */
const ECHOES = [
  /^The page said “(?<said>[^“”]+)”$/,
  /^The page logged the error: [\s\S]*?(?<!\w)(?<said>[A-Z]\w*Error: [\s\S]+)/,
] as const;
const WORDS = [
  / was answered with \d{3}: (?<said>[\s\S]+)/,
  /^The page threw (?<said>[A-Z]\w*Error: .+?)(?: at \S+)?$/,
] as const;
const SENT = /^[A-Z]{1,16} \S{1,400} (?:\([^()]{1,80}\) )?was sent /;
const SENT_AND = ", which was sent ";

/** The parts of a title that are told one after the other; what stands in curly quotes is not taken apart. */
export function clausesOf(title: string): string[] {
  const clauses: string[] = [];
  let from = 0;
  for (const { 0: found, index } of title.matchAll(/“[^“”]*”|; /g)) {
    if (found !== "; ") continue;
    clauses.push(title.slice(from, index));
    from = index + found.length;
  }
  return [...clauses, title.slice(from)];
}

import { oneLine } from "../../../error-text.ts";
import { dataIn } from "../../exchanges/asked-again.ts";
import { requestBodyOf } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, pathOf, quoted } from "../../words.ts";
import { asksToSignIn } from "./sign-in.ts";

/** Somebody who is signed in; what is not known is null. */
export interface Person {
  name: string;
  role: string | null;
  /** The answer that says so. */
  seq: number | null;
}

const MOST = 100;
/** The last part of addresses and operations that answer who is signed in. */
const OF_SELF = /(?:^|\/)(?:me|self|who-?am-?i|session|viewer|current[-_]?user|user|profile)\/?$/i;
/** What answers call the one who is signed in, beside what else they tell. */
const SELF = /^(?:user|me|viewer|current_?user|session|profile)$/i;
const WRAPPED = /^(?:data|result|session|auth)$/i;
const NAME = /^(?:name|full_?name|display_?name)$/i;
const KNOWN_BY = /(?:^|\.)(?:e_?mail|user_?name|login)$/i;
const ROLE = /^(?:roles?|access_?level)$/i;

/** Who is signed in when the step gives up, by what the page shows of them, what an answer or a token says, or what the sign-in was sent. */
export function signedInAs(evidence: Evidence): Person | null {
  const elements = (evidence.run.page?.elements ?? []).filter(({ isHidden }) => !isHidden);
  if (elements.some(isOfNobody)) return null;
  const known = answersBefore(evidence, MOST, (one) => !isForeign(one.url, evidence.run.facts)).flatMap(
    (one) => toldBy(one, evidence.run),
  );
  const shown = shownOn(
    elements,
    known.map(({ name }) => name),
  );
  if (!shown) return known.at(-1) ?? null;
  const same = known.findLast(({ name }) => name === shown.name);
  const nameless = known.every(({ name }) => name.includes("@")) ? known.at(-1) : undefined;
  const told = same ?? nameless;
  return { ...shown, role: shown.role ?? told?.role ?? null, seq: told?.seq ?? null };
}

/** What a page has for whom it does not know. */
const isOfNobody = ({ role, name, attributes }: SeenElement): boolean =>
  attributes.type === "password" || (/^(?:button|link)$/.test(role) && /^(?:sign|log) ?-?in$/i.test(name));

/** The role of a person as the end of a clause; empty where it is not known. */
export const withRole = ({ role }: Person): string =>
  role === null ? "" : ` with the role ${quoted(role, 40)}`;

/** Whom an answer says to be signed in. */
function toldBy(one: Exchange, run: RunEvidence): Person[] {
  const isSignIn = asksToSignIn(one, run);
  if (isSignIn && (one.status ?? 400) >= 400) return [];
  const isOfSelf = isSignIn || OF_SELF.test(pathOf(one.url)) || OF_SELF.test(one.operation ?? "");
  const value = dataIn(bodyOf(one, run.bodies) ?? "");
  const found = recordsIn(value, isOfSelf)
    .flatMap(({ record, isSelf }) => personIn(record, isSelf) ?? [])
    .map((person) => ({ ...person, seq: one.seq }));
  if (found.length > 0 || !isSignIn) return found;
  const given = leavesOf(requestBodyOf(one, run)).find(
    ({ path, value }) => KNOWN_BY.test(path) && typeof value === "string" && value !== "",
  );
  return given ? [{ name: String(given.value), role: roleIn(value), seq: one.seq }] : [];
}

const roleIn = (value: unknown): string | null => (isRecord(value) ? roleOf(value) : null);

/** The records of an answer that may be of the one who is signed in, and whether its address says so. */
function recordsIn(
  value: unknown,
  isOfSelf: boolean,
): { record: Record<string, unknown>; isSelf: boolean }[] {
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([name, one]) =>
    SELF.test(name) && isRecord(one)
      ? [{ record: one, isSelf: isOfSelf }, ...recordsIn(one, false)]
      : WRAPPED.test(name)
        ? recordsIn(one, isOfSelf)
        : typeof one === "string" && isOfSelf
          ? ofToken(one)
          : [],
  );
  return [...(isOfSelf ? [{ record: value, isSelf: true }] : []), ...inner];
}

/** What a token says of whom it was made for (RFC 7519, 3). */
function ofToken(text: string): { record: Record<string, unknown>; isSelf: boolean }[] {
  const payload = /^eyJ[\w-]{4,}\.(eyJ[\w-]{4,4000})\./.exec(text)?.[1];
  const value = payload === undefined ? undefined : jsonOf(Buffer.from(payload, "base64url").toString());
  return isRecord(value) ? [{ record: value, isSelf: true }] : [];
}

/** @param isSelf whether the answer is of nobody else: without, a name alone may be of anything */
function personIn(record: Record<string, unknown>, isSelf: boolean): Omit<Person, "seq"> | null {
  const textOf = (names: RegExp) =>
    Object.entries(record).find(
      (entry): entry is [string, string] =>
        names.test(entry[0]) && typeof entry[1] === "string" && entry[1] !== "",
    )?.[1] ?? null;
  const role = roleOf(record);
  const account = textOf(KNOWN_BY);
  const name = textOf(NAME) ?? account;
  return name !== null && (isSelf || role !== null || account !== null) ? { name, role } : null;
}

function roleOf(record: Record<string, unknown>): string | null {
  const [, role] = Object.entries(record).find(([name]) => ROLE.test(name)) ?? [];
  const one = Array.isArray(role) ? role[0] : role;
  return typeof one === "string" && one !== "" ? one : null;
}

const SIGNS_OUT = /^(?:sign|log) ?-?out$/i;
const SAYS = /^(?:signed|logged) in as (.{2,60}?)\.?$/i;
const FULL_NAME = /^(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’.-]*){1,3})(?: ?\( ?(\p{L}[\p{L} -]{1,30}?) ?\))?$/u;
/** A name stands so near before what signs its person out. */
const NEAR = 8;

/** Whom the page shows as signed in: beside what signs them out, or in so many words. */
function shownOn(elements: readonly SeenElement[], known: readonly string[]): Omit<Person, "seq"> | null {
  const said = elements.flatMap(({ own }) => SAYS.exec(oneLine(own))?.[1] ?? [])[0];
  if (said !== undefined) return { name: said, role: null };
  const out = elements.findIndex(
    ({ role, name }) => /^(?:button|link|menuitem)$/.test(role) && SIGNS_OUT.test(name),
  );
  for (const one of elements.slice(Math.max(0, out - NEAR), Math.max(0, out)).toReversed()) {
    if (/^(?:heading|option|cell|listitem)$/.test(one.role)) continue;
    const text = oneLine(one.text);
    if (known.includes(text)) return { name: text, role: null };
    const [, name, role = null] = one.role === "" ? (FULL_NAME.exec(text) ?? []) : [];
    if (name !== undefined) return { name, role };
  }
  return null;
}

import { cut, oneLine } from "../../error-text.ts";
import { isRecord } from "../values/json-leaves.ts";

const MOST_FIELDS = 3;
const MOST_ITEMS = 20;
const LONGEST_NAME = 80;
const LONGEST_MESSAGE = 120;

/** Parts of an answer in which servers say what they refuse. */
const AROUND = ["error", "detail", "details", "data", "problem", "extensions"];
/** Names of what holds the refused fields, each with what is said of it. */
const HOLDERS = [
  "fields",
  "errors",
  "fieldErrors",
  "field_errors",
  "validationErrors",
  "validation_errors",
  "validation",
  "violations",
  "issues",
  "invalidParams",
  "invalid_params",
  "invalid-params",
];
/** Names of what holds them where it is a list: else it may hold anything. */
const LISTS = ["details", "detail", "message"];
/** Names under which one of them says of which field it is, and what. */
const FIELD = [
  "field",
  "path",
  "param",
  "property",
  "propertyPath",
  "loc",
  "pointer",
  "parameter",
  "attribute",
  "name",
  "target",
];
const MESSAGE = [
  "message",
  "msg",
  "detail",
  "reason",
  "defaultMessage",
  "description",
  "issue",
  "error",
  "title",
];
/** Parts of the way to a field that say no more than where the data is. */
const OF_DATA = new Set(["", "#", "$", "body", "query", "params", "data", "attributes", "input"]);

/** What an answer says of the fields that it refuses, each as `amount must be a decimal`; none where it names none. */
export function fieldsSaidIn(value: unknown): string[] {
  const parts = [value, ...partsOf(value)];
  const held = parts
    .filter(isRecord)
    .flatMap((part) => [
      ...HOLDERS.map((name) => part[name]),
      ...LISTS.map((name) => part[name]).filter(Array.isArray),
    ]);
  // Some servers answer with nothing but the fields.
  const found = [...held, ...parts.filter((part) => Array.isArray(part) || isOfLists(part))].map(saidOf);
  return [...new Set(found.find((said) => said.length > 0))].slice(0, MOST_FIELDS);
}

/** Where an answer tells more of its error: of several that GraphQL has, the first. */
function partsOf(value: unknown): unknown[] {
  if (!isRecord(value)) return [];
  const [first] = Array.isArray(value.errors) ? value.errors : [];
  return [value, ...(isRecord(first) ? [first] : [])].flatMap((part) => AROUND.map((name) => part[name]));
}

/** Whether every name has a list of sentences, as in `{"email":["is taken"]}`. */
const isOfLists = (value: unknown): boolean =>
  isRecord(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((one) => Array.isArray(one) && one.length > 0 && one.every(isSentence));

function saidOf(holder: unknown): string[] {
  const said = Array.isArray(holder)
    ? holder
        .slice(0, MOST_ITEMS)
        .map((one) => (isSentence(one) ? one : isRecord(one) ? saidOfItem(one) : null))
    : isRecord(holder)
      ? Object.entries(holder)
          .slice(0, MOST_ITEMS)
          .map(([name, words]) => sentenceOf(name, messageIn(words)))
      : [];
  return said.flatMap((one) => (one === null ? [] : [cut(oneLine(one), LONGEST_MESSAGE)]));
}

function saidOfItem(item: Record<string, unknown>): string | null {
  const { constraints, source } = item;
  const [field] = [item, source]
    .filter(isRecord)
    .flatMap((one) => FIELD.flatMap((name) => nameIn(one[name]) ?? []));
  const words = MESSAGE.map((name) => item[name]).find(isSentence);
  const broken = isRecord(constraints) ? Object.values(constraints).find(isSentence) : undefined;
  return field === undefined || "locations" in item ? null : sentenceOf(field, words ?? broken ?? null);
}

/** A field as it is named in `["body","email"]`, `/data/attributes/email` or `email`. */
function nameIn(place: unknown): string | null {
  const parts = Array.isArray(place) ? place : typeof place === "string" ? place.split(/[/.]/) : [];
  const name = parts.filter((part) => !OF_DATA.has(String(part))).join(".");
  return name !== "" && name.length <= LONGEST_NAME && /^[\p{L}\p{N}_.[\]-]+$/u.test(name) ? name : null;
}

function messageIn(words: unknown): string | null {
  const [one] = Array.isArray(words) ? words : [words];
  return isSentence(one)
    ? one
    : isRecord(one)
      ? (MESSAGE.map((name) => one[name]).find(isSentence) ?? null)
      : null;
}

/** What is said of no field in particular goes by such a name. */
const OF_NONE = /^(?:_errors|non_?field_?errors|base|_schema|__all__)$/i;

function sentenceOf(field: string, message: string | null): string | null {
  if (message === null || !/\p{L}{2}/u.test(field)) return null;
  const isNamed = OF_NONE.test(field) || message.toLowerCase().includes(field.toLowerCase());
  return isNamed ? message : `${field}${/^\p{Lu}/u.test(message) ? ":" : ""} ${message}`;
}

const isSentence = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

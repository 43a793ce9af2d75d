import { oneLine } from "../../error-text.ts";
import type { Step } from "../run/run-facts.ts";
import { quoted } from "../words.ts";
import type { SeenElement } from "./page-view.ts";
import { insideOf } from "./within.ts";

const FILLS = /(?:^|\.)fill$/;
export const SETS = /(?:^|\.)(?:check|uncheck|selectOption)$/;
/** Pages keep so much of a value. */
const KEPT = 300;

/** What a field holds after an action that set it. */
export interface Held {
  isGiven: boolean;
  /** `unchecked`, `empty`, `on “Nothing”`. */
  words: string;
}

/** Whether an action went well that filled a field with something, or that ticked or picked. */
export const isSetting = (step: Step): boolean => isFill(step) || (isDone(step) && SETS.test(step.name));

export const isFill = (step: Step): boolean =>
  isDone(step) &&
  FILLS.test(step.name) &&
  typeof step.params.value === "string" &&
  step.params.value.trim() !== "";

const isDone = ({ kind, isFailed, params }: Step): boolean =>
  kind === "agent.action" && !isFailed && typeof params.selector === "string";

/** What a field holds that is written into; null of any other, and of a secret, of which nothing is recorded. */
export function writtenIn({ tag, own, attributes }: SeenElement): string | null {
  // Of a page of which markup alone was recorded it is the text of a text area.
  if (tag === "textarea") return attributes.value ?? own;
  return tag === "input" && !/^(?:password|hidden|file)$/.test(attributes.type ?? "")
    ? (attributes.value ?? "")
    : null;
}

/** Whether a field's value is the one that an action filled it with. */
export const isFilledWith = ({ params }: Step, value: string): boolean =>
  oneLine(value) === oneLine(String(params.value).slice(0, KEPT));

/** What the field of a page holds that an action set. @returns null where that is not recorded */
export function heldBy(step: Step, field: SeenElement, elements: readonly SeenElement[]): Held | null {
  if (isFill(step)) {
    const value = writtenIn(field);
    return value === null
      ? null
      : { isGiven: isFilledWith(step, value), words: value === "" ? "empty" : quoted(value, 60) };
  }
  if (/selectOption$/.test(step.name)) return pickedIn(step, field, elements);
  if (field.role !== "checkbox" && field.role !== "radio") return null;
  const isChecked = "checked" in field.attributes || field.attributes["aria-checked"] === "true";
  return {
    isGiven: isChecked !== /uncheck$/.test(step.name),
    words: isChecked ? "checked" : "unchecked",
  };
}

/** What a list holds of which one was picked by its label or its value. */
function pickedIn(step: Step, field: SeenElement, elements: readonly SeenElement[]): Held | null {
  const [given, ...more] = pickedBy(step);
  const [one, ...others] = insideOf(elements, field).filter(({ attributes }) => "selected" in attributes);
  if (field.tag !== "select" || given === undefined || more.length > 0 || !one || others.length > 0)
    return null;
  return {
    isGiven: [one.attributes.value, one.own].includes(given),
    words: `on ${quoted(one.own, 60)}`,
  };
}

/** The labels and values that an action picked by; nothing of any other action. */
export const pickedBy = ({ params: { options } }: Step): string[] =>
  Array.isArray(options) ? options.flatMap(namesOf) : [];

const namesOf = (option: unknown): string[] =>
  typeof option === "object" && option !== null
    ? Object.values(option).filter((name) => typeof name === "string")
    : [];

import type { Finding } from "../types.ts";
import { isRecord } from "../values/json-leaves.ts";
import { type Difference, ORDER } from "./differences.ts";

/** What an answer says otherwise, as rules go by it. */
export function otherIn({ now, before, renamedTo }: Difference): Pick<Finding, "isNothing" | "isOther"> {
  if (now === ORDER) return {};
  if (renamedTo !== undefined || now === undefined) return { isNothing: true };
  if ([now, before].every((value) => typeof value === "string" && /items?$/.test(value)))
    return { isOther: "count", ...(/^no items/.test(String(now)) && { isNothing: true }) };
  if (now === null) return { isNothing: true, isOther: "value" };
  return isRecord(now) || Array.isArray(now) || MADE.has(now) ? {} : { isOther: "value" };
}

/** What stands for values that are made for each run, and an empty text. */
const MADE: ReadonlySet<unknown> = new Set(["<id>", "<time>", ""]);

const NAMES_THING = /(?:^|\/|_)(?:\w{0,60}[iI]d|uuid|slug|key)$/;

/** Whether an answer gives by another name what a thing is known by. */
export const isIdRenamed = ({ renamedTo, path }: Difference): boolean =>
  renamedTo !== undefined && NAMES_THING.test(path);

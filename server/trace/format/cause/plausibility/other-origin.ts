import type { Finding } from "../types.ts";
import { isBehind } from "./one-thing.ts";
import { atLeast, explained, type Rule } from "./rule.ts";

/** A page that was led to another origin is refused what the first one gets, and is not known there: that it was led there comes first. */
const ledToOtherOrigin: Rule = (finding, { news }) => {
  const { kind, otherOrigin } = finding;
  if (otherOrigin !== undefined && finding.is_new === true)
    return news.some((one) => isOfOrigin(one, otherOrigin) && isBehind(finding, one)) ? atLeast(0.97) : null;
  if (kind !== "browser_policy" && kind !== "redirected") return null;
  const led = news.find((one) => one.otherOrigin !== undefined && one.is_new === true);
  return led && isOfOrigin(finding, led.otherOrigin!) && isBehind(led, finding) ? explained : null;
};

/** Whether a finding is of a page at an origin, or of what such a page asked for. */
const isOfOrigin = ({ kind, title, detail, otherOrigin }: Finding, origin: string): boolean =>
  otherOrigin === undefined &&
  ((kind === "browser_policy" && (detail ?? title).includes(`'${origin}'`)) ||
    (kind === "redirected" && title.includes(`${URL.parse(origin)?.host}/`)));

/** Rules of what befell a page at an origin that is not its own. */
export const OTHER_ORIGIN: readonly Rule[] = [ledToOtherOrigin];

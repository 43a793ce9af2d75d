import type { Finding } from "../types.ts";
import { all, atLeast, explained, type Rule, say } from "./rule.ts";

/** The host of what a finding is about, empty of the site under test, and what is asked of it. */
function placeOf({ about }: Finding): { host: string; asked: string } | null {
  const [, host = "", asked] =
    /^(?:url|unsent [A-Z]+) (?:(?:https?:)?\/\/([^/\s]+))?(\/[^/\s]\S*)$/.exec(about ?? "") ?? [];
  return asked === undefined ? null : { host, asked };
}

const addressIn = ({ title }: Finding): string => title.split(" ")[1] ?? "";

/** Whether a request that failed is the one that passes send to another host. */
function isSameElsewhere(failed: Finding, unsent: Finding): boolean {
  if (failed.kind !== "request_failed" || unsent.kind !== "request_unsent") return false;
  if (failed.is_new !== true || unsent.is_new !== true) return false;
  const [here, there] = [placeOf(failed), placeOf(unsent)];
  return here !== null && there !== null && here.host !== there.host && here.asked === there.asked;
}

/** What was asked of another host than in the passes and failed there is told with the host that they ask, and not as never sent. */
export const askedOfOtherHost: Rule = (finding, { news }) => {
  if (finding.kind === "request_unsent")
    return news.some((one) => isSameElsewhere(one, finding)) ? explained : null;
  if (finding.kind !== "request_failed") return null;
  const unsent = news.find((one) => isSameElsewhere(finding, one));
  return unsent
    ? all(say(`the last pass asked ${addressIn(unsent)} in its place`, ...unsent.events), atLeast(0.96))
    : null;
};

import { REQUEST_IDS } from "../../run/event-fields.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { headerOf, requestOf } from "../../words.ts";
import type { AnswerRule } from "./answer-rule.ts";

const EXPOSES = "access-control-expose-headers";

/** A header that came as ever to a page of another origin, whose scripts cannot read it since the answer exposes it no longer (Fetch, 3.2.4). */
export const unexposed: AnswerRule = ({ run }, one, others) => {
  if (![one, ...others].every(isOfOtherOrigin)) return null;
  const [exposed, ...usual] = [one, ...others].map(exposedBy);
  if (exposed!.has("*")) return null;
  const lost = [...usual[0]!].filter(
    (name) =>
      !REQUEST_IDS.has(name) &&
      !exposed!.has(name) &&
      usual.every((names) => names.has(name)) &&
      headerOf(one.headers, name) !== null,
  );
  if (lost.length === 0) return null;
  const several = lost.length > 1;
  return {
    kind: "answer_changed",
    title: `${requestOf(one, run.facts)} came with the header${several ? "s" : ""} ${lost.join(", ")}, but no longer exposes ${several ? "them" : "it"} to scripts of another origin (Access-Control-Expose-Headers), as the last pass does: the page cannot read ${several ? "them" : "it"}`,
    weight: 0.86,
    about: `unexposed ${lost.join(" ")}`,
  };
};

/** Whether a script asked for it from a page of another origin: browsers say of which then. */
export function isOfOtherOrigin({ url, type, requestHeaders }: Exchange): boolean {
  const origin = headerOf(requestHeaders, "origin");
  return (type === "fetch" || type === "xhr") && origin !== null && origin !== URL.parse(url)?.origin;
}

/** The headers that such a script can read, by names in small letters. */
export const exposedBy = ({ headers }: Exchange): Set<string> =>
  new Set(
    (headerOf(headers, EXPOSES) ?? "")
      .split(",")
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ""),
  );

import { textsOf } from "../../page/page-texts.ts";
import { isOneForAll, topicsOf } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, pathOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

/** What a request gave a server to keep. */
export interface Given {
  write: Exchange;
  /** The names under which it gave it: `nickname`. */
  names: ReadonlySet<string>;
}

/** Whether an answer is about what was written, so that it could have it. */
export function isAboutSame(one: Exchange, { write, names }: Given, run: RunEvidence): boolean {
  if (isBeside(one)) return false;
  if (one.type === "document") return sharesPart(one, write) && isServedPage(one, run);
  if (!isOneForAll(one) || !isOneForAll(write)) return sharesPart(one, write);
  return (
    topicsOf(one.operation ?? "").some((topic) => topicsOf(write.operation ?? "").includes(topic)) ||
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).some(({ path }) => names.has(path.split(".").at(-1)!))
  );
}

/** Whether two addresses share a part that names a thing: `/api/cards/7` and `/api/cards`. */
export function sharesPart(one: Exchange, write: Exchange): boolean {
  const partsOf = ({ url }: Exchange) =>
    pathOf(url)
      .split("/")
      .filter((part) => part.length > 2 && !/^(?:api|v\d+|rest)$/.test(part));
  const written = new Set(partsOf(write));
  return written.size === 0 || partsOf(one).some((part) => written.has(part));
}

/** Of a page's own texts, so many at least that it was not written by scripts. */
const SERVED = 0.5;
const MOST_SHOWN = 200;

/** Whether what the page shows was served with it: an empty page, which scripts fill, has no thing in it. */
export function isServedPage(one: Exchange, { bodies, page }: RunEvidence): boolean {
  const body = bodyOf(one, bodies);
  if (body === undefined || !page) return true;
  const served = new Set(textsOf(body));
  const shown = page.elements.filter(({ own, isHidden }) => !isHidden && own.length > 1).slice(0, MOST_SHOWN);
  return shown.length === 0 || shown.filter(({ own }) => served.has(own)).length >= SERVED * shown.length;
}

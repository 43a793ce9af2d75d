import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { headerOf } from "../words.ts";
import { isWrite } from "./sent.ts";

/** No person presses twice so soon. */
export const ONE_PRESS_MS = 50;
const MOST_LOOKED_AT = 200;

/** Of requests of one name, the last writes that went out again with the same content before anybody could press twice: the first and the second. */
export const sentAgainAtOnce = (all: readonly Exchange[], run: RunEvidence): [Exchange, Exchange][] =>
  all.slice(-MOST_LOOKED_AT).flatMap((one, at, beside): [Exchange, Exchange][] => {
    const before = beside[at - 1];
    return before && one.ts - before.ts <= ONE_PRESS_MS && isSame(before, one) && isWrite(one, run)
      ? [[before, one]]
      : [];
  });

const isSame = (before: Exchange, one: Exchange): boolean =>
  one.type !== "api" && one.url === before.url && one.requestBody === before.requestBody && !hasFile(one);

/** Recorders keep no files: whether two are the same nobody knows. */
const hasFile = ({ requestBody, requestHeaders }: Exchange): boolean =>
  requestBody === null && !/^0?$/.test(headerOf(requestHeaders, "content-length") ?? "");

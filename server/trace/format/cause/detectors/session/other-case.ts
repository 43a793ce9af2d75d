import type { Failed } from "../../types.ts";
import { quoted } from "../../words.ts";

/** That an address has what the test wants in it, in upper case where it wants lower or the other way round, as a clause; empty where it has not. */
export function inOtherCase(address: string, { expected }: Failed): string {
  const wanted = (expected ?? "").match(PARTS)?.find((part) => {
    const at = address.toLowerCase().indexOf(part.toLowerCase());
    return at >= 0 && !address.includes(part);
  });
  return wanted === undefined
    ? ""
    : `: upper and lower case are otherwise than in ${quoted(wanted, 60)}, which the test wants there`;
}

/** The words of an address, or of a pattern for one. */
const PARTS = /[\w-]{3,100}/g;

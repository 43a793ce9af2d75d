import { detectOlderToken } from "../correlation/older-token.ts";
import type { Detector, Evidence, Finding } from "../types.ts";
import { detectLostCookie } from "./cookies.ts";
import { detectEchoedOtherwise } from "./echoed.ts";
import { detectEmptiedValue } from "./emptied-value.ts";
import { detectEmptyToken } from "./empty-token.ts";
import { detectEmptyWrite } from "./empty-write.ts";
import { detectFragmentCopy } from "./fragment.ts";
import { detectNothingDone } from "./idle.ts";
import { detectIdleRoute } from "./idle-route.ts";
import { detectNotKept, detectNotListed } from "./kept.ts";
import { detectKeysIntoNothing } from "./keys-into-nothing.ts";
import { detectLanguage } from "./language.ts";
import { detectLateWrite } from "./late-write.ts";
import { detectLeftOut } from "./left-out.ts";
import { detectLimit } from "./limits.ts";
import { detectLostFilter } from "./lost-filter.ts";
import { detectNamelessField } from "./nameless-field.ts";
import { detectNarrowCookie } from "./narrow-cookie.ts";
import { detectNoValue } from "./no-value.ts";
import { detectNotDrawn } from "./not-drawn.ts";
import { detectOtherOrigin } from "./other-origin.ts";
import { detectOverlappingPage } from "./paging.ts";
import { detectPartialSearch } from "./partial-search.ts";
import { detectReadOfNothing } from "./read-of-nothing.ts";
import { detectLostQuery, detectNoRouteBack, detectNoWayBack } from "./return-address.ts";
import { detectReversed } from "./reversed.ts";
import { detectTold } from "./said.ts";
import { detectNoMatch } from "./search.ts";
import { detectOtherAnswer } from "./sent-away.ts";
import { detectSentNothing } from "./sent-nothing.ts";
import { detectRefusals } from "./sockets.ts";
import { detectOldCopy } from "./stale.ts";
import { detectLostStreams } from "./streams.ts";
import { detectWrongSum } from "./sums.ts";
import { detectSwitchedOn } from "./switched-on.ts";
import { detectTakenLetter } from "./taken-letter.ts";
import { detectTwoReleases } from "./two-releases.ts";
import { detectUndeclared } from "./undeclared.ts";
import { detectUndone } from "./undone.ts";
import { detectUnfinished } from "./unfinished.ts";
import { detectUnheard } from "./unheard.ts";
import { detectUnsaid } from "./unsaid.ts";
import { detectSameAgain, detectWithoutValue } from "./values.ts";
import { detectWithheld } from "./withheld.ts";
import { detectWrittenBy } from "./written-by.ts";

/** What a run tells by itself. A comparison with passes says the same with more certainty, so that these are not asked then. */
const ALONE: readonly Detector[] = [
  detectEchoedOtherwise,
  detectEmptiedValue,
  detectEmptyToken,
  detectEmptyWrite,
  detectLostStreams,
  detectFragmentCopy,
  detectIdleRoute,
  detectKeysIntoNothing,
  detectLanguage,
  detectLateWrite,
  detectLeftOut,
  detectLimit,
  detectLostCookie,
  detectLostFilter,
  detectLostQuery,
  detectNamelessField,
  detectNarrowCookie,
  detectNoMatch,
  detectNoRouteBack,
  detectNoValue,
  detectNoWayBack,
  detectNotDrawn,
  detectNotKept,
  detectNotListed,
  detectNothingDone,
  detectOldCopy,
  detectOlderToken,
  detectOtherAnswer,
  detectOtherOrigin,
  detectOverlappingPage,
  detectPartialSearch,
  detectReadOfNothing,
  detectRefusals,
  detectReversed,
  detectSameAgain,
  detectSentNothing,
  detectSwitchedOn,
  detectTakenLetter,
  detectTold,
  detectTwoReleases,
  detectUndeclared,
  detectUndone,
  detectUnfinished,
  detectUnheard,
  detectUnsaid,
  detectWithheld,
  detectWithoutValue,
  detectWrittenBy,
  detectWrongSum,
];

/** Of a run that has no pass to compare with. */
export function detectAlone(evidence: Evidence): Finding[] {
  return evidence.passes.length > 0 ? [] : ALONE.flatMap((detect) => detect(evidence));
}

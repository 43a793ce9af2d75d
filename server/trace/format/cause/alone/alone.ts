import type { Attempt } from "../attempt.ts";
import { detectOlderToken } from "../correlation/older-token.ts";
import type { Detector, Evidence, Finding, RunEvidence } from "../types.ts";
import { detectBeyondLastPage } from "./answers/beyond-last-page.ts";
import { detectChosenLeftOut, detectChosenNotTaken } from "./answers/chosen-thing.ts";
import { detectDayByZone } from "./answers/day-by-zone.ts";
import { detectDaysSaid } from "./answers/days-said.ts";
import { detectDeedInVain } from "./answers/deed-in-vain.ts";
import { detectEchoedOtherwise } from "./answers/echoed.ts";
import { detectEmptiedField } from "./answers/emptied-field.ts";
import { detectFilterByOtherName, detectFilterIgnored } from "./answers/filter-ignored.ts";
import { detectFragmentCopy } from "./answers/fragment.ts";
import { detectFuture } from "./answers/future.ts";
import { detectHundredfold } from "./answers/hundredfold.ts";
import { detectInSeconds } from "./answers/in-seconds.ts";
import { detectNotKept, detectNotListed } from "./answers/kept.ts";
import { detectLanguage } from "./answers/language.ts";
import { detectLeftBlank } from "./answers/left-blank.ts";
import { detectLeftOut } from "./answers/left-out.ts";
import { detectLimit } from "./answers/limits.ts";
import { detectListedSince } from "./answers/listed-since.ts";
import { detectLostBeside } from "./answers/lost-beside.ts";
import { detectLostFilter } from "./answers/lost-filter.ts";
import { detectNamedOtherwise } from "./answers/named-otherwise.ts";
import { detectNoNextPart } from "./answers/no-next-part.ts";
import { detectNoFigure, detectNoValue } from "./answers/no-value.ts";
import { detectNotAdded } from "./answers/not-added.ts";
import { detectNotAskedSince } from "./answers/not-asked-since.ts";
import { detectNotDrawn } from "./answers/not-drawn.ts";
import { detectNotFollowed } from "./answers/not-followed.ts";
import { detectNotReadAgain } from "./answers/not-read-again.ts";
import { detectNotTaken } from "./answers/not-taken.ts";
import { detectNotTakenOver } from "./answers/not-taken-over.ts";
import { detectNothingToShow } from "./answers/nothing-to-show.ts";
import { detectOneOfMany } from "./answers/one-of-many.ts";
import { detectOverlappingPage } from "./answers/paging.ts";
import { detectPercentOf } from "./answers/percent-of.ts";
import { detectReadOfNothing } from "./answers/read-of-nothing.ts";
import { detectReplaced } from "./answers/replaced.ts";
import { detectReversed } from "./answers/reversed.ts";
import { detectRoseByMore } from "./answers/rose-by-more.ts";
import { detectRounded } from "./answers/rounded.ts";
import { detectRowOfThing } from "./answers/row-of-thing.ts";
import { detectSaidOtherwise } from "./answers/said-otherwise.ts";
import { detectSameThings } from "./answers/same-things.ts";
import { detectOtherAnswer } from "./answers/sent-away.ts";
import { detectShownAsBefore } from "./answers/shown-as-before.ts";
import { detectShownAsNothing } from "./answers/shown-as-nothing.ts";
import { detectSkipped } from "./answers/skipped.ts";
import { detectSortedAsText } from "./answers/sorted-as-text.ts";
import { detectSortedByName } from "./answers/sorted-by-name.ts";
import { detectOldCopy } from "./answers/stale.ts";
import { detectStoredTwice } from "./answers/stored-twice.ts";
import { detectWrongSum } from "./answers/sums.ts";
import { detectTextForNumber } from "./answers/text-for-number.ts";
import { detectThereBefore } from "./answers/there-before.ts";
import { detectTimeLeft } from "./answers/time-left.ts";
import { detectUndone } from "./answers/undone.ts";
import { detectUnfinished } from "./answers/unfinished.ts";
import { detectUnknownValue } from "./answers/unknown-value.ts";
import { detectUnsorted } from "./answers/unsorted.ts";
import { detectValueInRow } from "./answers/value-in-row.ts";
import { detectSameAgain, detectWithoutValue } from "./answers/values.ts";
import { detectWorkedOut } from "./answers/worked-out.ts";
import { detectWrittenBy } from "./answers/written-by.ts";
import { detectWrongChange } from "./answers/wrong-change.ts";
import { detectBeforeScripts } from "./input/before-scripts.ts";
import { detectBoxNotKept } from "./input/box-not-kept.ts";
import { detectCutByLimit } from "./input/cut-by-limit.ts";
import { detectEmptySecret } from "./input/empty-secret.ts";
import { detectKeysIntoNothing } from "./input/keys-into-nothing.ts";
import { detectNamelessField } from "./input/nameless-field.ts";
import { detectNamelessTyped } from "./input/nameless-typed.ts";
import { detectNoSubmitter } from "./input/no-submitter.ts";
import { detectTold } from "./input/said.ts";
import { detectStraySubmit } from "./input/stray-submit.ts";
import { detectTakenLetter } from "./input/taken-letter.ts";
import { detectFigureUndrawn } from "./live/figure-undrawn.ts";
import { detectSentBeforeOpen } from "./live/sent-before-open.ts";
import { detectRefusals } from "./live/sockets.ts";
import { detectLostStreams } from "./live/streams.ts";
import { detectUnheard } from "./live/unheard.ts";
import { detectDroppedFilter } from "./page/dropped-filter.ts";
import { detectFoundByBeginning } from "./page/found-by-beginning.ts";
import { detectGivenInVain } from "./page/given-in-vain.ts";
import { detectNothingDone } from "./page/idle.ts";
import { detectIdleRoute } from "./page/idle-route.ts";
import { detectListAsBefore } from "./page/list-as-before.ts";
import { detectListSortedAsText } from "./page/list-sorted-as-text.ts";
import { detectListUnfiltered } from "./page/list-unfiltered.ts";
import { detectLostName } from "./page/lost-name.ts";
import { detectMovedClock } from "./page/moved-clock.ts";
import { detectNoOptions } from "./page/no-options.ts";
import { detectNoSuchScope } from "./page/no-such-scope.ts";
import { detectNotCleared } from "./page/not-cleared.ts";
import { detectOtherColumn } from "./page/other-column.ts";
import { detectOtherMonth } from "./page/other-month.ts";
import { detectOtherOrder } from "./page/other-order.ts";
import { detectOtherOrigin } from "./page/other-origin.ts";
import { detectOtherRole } from "./page/other-role.ts";
import { detectRenamedTestId } from "./page/other-test-id.ts";
import { detectRangeSaid } from "./page/range-said.ts";
import { detectReadOnce } from "./page/read-once.ts";
import { detectReplacedPart } from "./page/replaced-part.ts";
import { detectStillOpen } from "./page/still-open.ts";
import { detectStoppedClock } from "./page/stopped-clock.ts";
import { detectSwitchedOn } from "./page/switched-on.ts";
import { detectTwoReleases } from "./page/two-releases.ts";
import { detectWithheld } from "./page/withheld.ts";
import { detectAccepted } from "./requests/accepted.ts";
import { detectAskedEndlessly } from "./requests/asked-endlessly.ts";
import { detectAskedSize } from "./requests/asked-size.ts";
import { detectAskedWay } from "./requests/asked-way.ts";
import { detectEmptiedValue } from "./requests/emptied-value.ts";
import { detectEmptyWrite } from "./requests/empty-write.ts";
import { detectFewerSent } from "./requests/fewer-sent.ts";
import { detectFieldLeftOut } from "./requests/field-left-out.ts";
import { detectFlagSent } from "./requests/flag-sent.ts";
import { detectGivenOtherwise } from "./requests/given-otherwise.ts";
import { detectKeyedByPlace } from "./requests/keyed-by-place.ts";
import { detectLateWrite } from "./requests/late-write.ts";
import { detectLostQuestion } from "./requests/lost-question.ts";
import { detectRouteUnmet } from "./requests/missed-route.ts";
import { detectNotAskedFor } from "./requests/not-asked-for.ts";
import { detectOtherDay } from "./requests/other-day.ts";
import { detectOtherScale } from "./requests/other-scale.ts";
import { detectPartialSearch } from "./requests/partial-search.ts";
import { detectPickedOtherwise } from "./requests/picked-otherwise.ts";
import { detectReadTooSoon } from "./requests/read-once-too-soon.ts";
import { detectSameQuestion } from "./requests/same-question.ts";
import { detectSameSort } from "./requests/same-sort.ts";
import { detectNoMatch } from "./requests/search.ts";
import { detectSearchByCase } from "./requests/search-by-case.ts";
import { detectSearchIgnored } from "./requests/search-ignored.ts";
import { detectSentNothing } from "./requests/sent-nothing.ts";
import { detectSentUnder } from "./requests/sent-under.ts";
import { detectSetUnsent } from "./requests/set-unsent.ts";
import { detectUndeclared } from "./requests/undeclared.ts";
import { detectUnescaped } from "./requests/unescaped.ts";
import { detectUnsaid } from "./requests/unsaid.ts";
import { detectWithoutCursor } from "./requests/without-cursor.ts";
import { detectLostCookie } from "./session/cookies.ts";
import { detectEmptyToken } from "./session/empty-token.ts";
import { detectKeptBack } from "./session/kept-back.ts";
import { detectNotLedBack } from "./session/not-led-back.ts";
import { detectNotRestored } from "./session/not-restored.ts";
import { detectOtherDomain } from "./session/other-domain.ts";
import { detectLostQuery, detectNoRouteBack, detectNoWayBack } from "./session/return-address.ts";
import { detectStayed } from "./session/stayed.ts";
import { detectWayBackIgnored } from "./session/way-back-ignored.ts";
import { detectExpectsNoValue } from "./test-code/expects-no-value.ts";
import { detectFixedDate } from "./test-code/fixed-date.ts";
import { detectOwnRequest } from "./test-code/own-request.ts";
import { detectPressedFirst } from "./test-code/pressed-first.ts";
import { detectShortWait } from "./test-code/short-wait.ts";
import { detectTypedUnsent } from "./test-code/typed-unsent.ts";
import { detectUtcInTest } from "./test-code/utc-in-test.ts";

/** What a run tells by itself. A comparison with passes says most of it with more certainty. */
const ALONE: readonly Detector[] = [
  detectPickedOtherwise,
  detectNamedOtherwise,
  detectNotAskedSince,
  detectReadOnce,
  detectAccepted,
  detectCutByLimit,
  detectDayByZone,
  detectDaysSaid,
  detectEchoedOtherwise,
  detectEmptiedValue,
  detectEmptyToken,
  detectEmptyWrite,
  detectLostStreams,
  detectFilterByOtherName,
  detectFilterIgnored,
  detectFigureUndrawn,
  detectFragmentCopy,
  detectFuture,
  detectGivenOtherwise,
  detectRounded,
  detectRowOfThing,
  detectSaidOtherwise,
  detectSameSort,
  detectTextForNumber,
  detectSentUnder,
  detectHundredfold,
  detectIdleRoute,
  detectInSeconds,
  detectKeptBack,
  detectKeysIntoNothing,
  detectLanguage,
  detectLateWrite,
  detectLeftBlank,
  detectLeftOut,
  detectLimit,
  detectLostCookie,
  detectLostFilter,
  detectLostQuery,
  detectWrongChange,
  detectMovedClock,
  detectNamelessField,
  detectNamelessTyped,
  detectNoMatch,
  detectNoRouteBack,
  detectNoSuchScope,
  detectNoFigure,
  detectNoValue,
  detectNoWayBack,
  detectOtherDomain,
  detectStayed,
  detectNotDrawn,
  detectNotKept,
  detectNotLedBack,
  detectNotListed,
  detectNotRestored,
  detectNotTaken,
  detectNothingDone,
  detectNothingToShow,
  detectOldCopy,
  detectOlderToken,
  detectOneOfMany,
  detectOtherAnswer,
  detectOtherColumn,
  detectOtherDay,
  detectOtherOrigin,
  detectOtherRole,
  detectOtherScale,
  detectOverlappingPage,
  detectPartialSearch,
  detectPercentOf,
  detectReadOfNothing,
  detectRefusals,
  detectReplaced,
  detectReversed,
  detectSameAgain,
  detectSameQuestion,
  detectSameThings,
  detectSentNothing,
  detectSetUnsent,
  detectSortedAsText,
  detectStoppedClock,
  detectStraySubmit,
  detectSwitchedOn,
  detectTakenLetter,
  detectTimeLeft,
  detectTold,
  detectTwoReleases,
  detectUndeclared,
  detectUndone,
  detectUnescaped,
  detectUnfinished,
  detectUnheard,
  detectUnsaid,
  detectWayBackIgnored,
  detectWithheld,
  detectWithoutValue,
  detectWorkedOut,
  detectWrittenBy,
  detectWrongSum,
  detectBeyondLastPage,
  detectSkipped,
  detectSortedByName,
  detectStillOpen,
  detectLostName,
  detectRenamedTestId,
  detectEmptySecret,
  detectLostQuestion,
  detectNotAskedFor,
  detectReadTooSoon,
  detectEmptiedField,
  detectListUnfiltered,
  detectListSortedAsText,
  detectSearchByCase,
  detectOtherMonth,
  detectRouteUnmet,
  detectNoSubmitter,
  detectNotReadAgain,
  detectKeyedByPlace,
  detectSearchIgnored,
  detectChosenNotTaken,
  detectFewerSent,
  detectGivenInVain,
  detectChosenLeftOut,
  detectLostBeside,
  detectNoNextPart,
  detectStoredTwice,
  detectUnknownValue,
  detectUnsorted,
  detectValueInRow,
  detectWithoutCursor,
  detectFieldLeftOut,
  detectFlagSent,
  detectNoOptions,
  detectShownAsNothing,
  detectAskedEndlessly,
  detectNotFollowed,
  detectNotTakenOver,
  detectNotCleared,
  detectShownAsBefore,
  detectBeforeScripts,
  detectShortWait,
  detectExpectsNoValue,
  detectFixedDate,
  detectOwnRequest,
  detectPressedFirst,
  detectThereBefore,
  detectDeedInVain,
  detectNotAdded,
  detectBoxNotKept,
  detectTypedUnsent,
  detectSentBeforeOpen,
  detectRoseByMore,
  detectUtcInTest,
  detectListAsBefore,
  detectDroppedFilter,
  detectOtherOrder,
  detectAskedWay,
  detectFoundByBeginning,
  detectReplacedPart,
  detectRangeSaid,
  detectAskedSize,
  detectListedSince,
];

/** What a run says against itself, as certain beside passes as without: an answer against its own question, a page sent back without what led to it. */
const AGAINST_ITSELF: readonly Detector[] = [
  detectChosenLeftOut,
  detectChosenNotTaken,
  detectFewerSent,
  detectGivenInVain,
  detectLostBeside,
  detectNoNextPart,
  detectNoOptions,
  detectNotFollowed,
  detectNotTaken,
  detectNotTakenOver,
  detectStoredTwice,
  detectUnsorted,
  detectWithoutCursor,
  detectFilterIgnored,
  detectKeptBack,
  detectListSortedAsText,
  detectOverlappingPage,
  detectPartialSearch,
  detectSameAgain,
  detectSortedAsText,
  detectStoppedClock,
  detectWayBackIgnored,
];

/** What a run tells by itself: all of it where it has no pass to compare with, else what it says against itself and no pass does. */
export function detectAlone(evidence: Evidence, attempt: Attempt): Finding[] {
  const { passes } = evidence;
  if (passes.length === 0) return ALONE.flatMap((detect) => attempt(() => detect(evidence, attempt), []));
  return AGAINST_ITSELF.flatMap((detect) => attempt(() => unusual(detect), []));

  function unusual(detect: Detector): Finding[] {
    const found = detect(evidence, attempt);
    const isUsual =
      found.length > 0 && passes.some((pass) => detect(alone(pass, evidence), attempt).length > 0);
    return isUsual
      ? []
      : found.map((one) => ({ ...one, is_new: true, weight: Math.max(one.weight, CERTAIN) }));
  }
}

/** Above the value in which such an answer differs from that of the passes. */
const CERTAIN = 0.94;

/** A pass as if it had failed at its end. */
const alone = (run: RunEvidence, { failed }: Evidence): Evidence => ({
  failed: { ...failed, step: null, from: run.facts.lastTs, to: run.facts.lastTs },
  run,
  passes: [],
});

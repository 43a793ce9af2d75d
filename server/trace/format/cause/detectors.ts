import { detectAlone } from "./alone/alone.ts";
import type { Attempt } from "./attempt.ts";
import { detectAnotherThing } from "./correlation/another-thing.ts";
import { detectGaveOtherwise } from "./correlation/gave-otherwise.ts";
import { detectGaveValue } from "./correlation/gave-value.ts";
import { detectGiven } from "./correlation/given.ts";
import { detectKeptElsewhere } from "./correlation/kept-elsewhere.ts";
import { detectOtherName } from "./correlation/other-name.ts";
import { detectRefusedAgain } from "./correlation/refused-again.ts";
import { detectReplacedToken } from "./correlation/replaced-token.ts";
import { detectWithoutToken } from "./correlation/without-token.ts";
import { detectAges } from "./detectors/answers/ages.ts";
import { detectAnswers } from "./detectors/answers/answers.ts";
import { detectBehindWrite } from "./detectors/answers/behind-write.ts";
import { detectByAlphabet } from "./detectors/answers/by-alphabet.ts";
import { detectCountedOtherwise } from "./detectors/answers/counted.ts";
import { detectDocuments } from "./detectors/answers/documents.ts";
import { detectHeaders } from "./detectors/answers/headers.ts";
import { detectKeptOtherwise } from "./detectors/answers/kept-otherwise.ts";
import { detectLifetimes } from "./detectors/answers/lifetimes.ts";
import { detectLines } from "./detectors/answers/lines.ts";
import { detectMarkup } from "./detectors/answers/markup.ts";
import { detectMovedOtherwise } from "./detectors/answers/moved-otherwise.ts";
import { detectNoData } from "./detectors/answers/no-data.ts";
import { detectNoDate } from "./detectors/answers/no-date.ts";
import { detectOtherDirection } from "./detectors/answers/other-direction.ts";
import { detectOtherUnit } from "./detectors/answers/other-unit.ts";
import { detectPageWidth } from "./detectors/answers/page-width.ts";
import { detectPaged } from "./detectors/answers/paged.ts";
import { detectRefusedOtherwise } from "./detectors/answers/refused-otherwise.ts";
import { detectRelease } from "./detectors/answers/release.ts";
import { detectReturned } from "./detectors/answers/returned.ts";
import { detectRowAsBefore } from "./detectors/answers/row-as-before.ts";
import { detectSameItemTwice } from "./detectors/answers/same-item-twice.ts";
import { detectServedElement } from "./detectors/answers/served-element.ts";
import { detectShown } from "./detectors/answers/shown.ts";
import { detectStale } from "./detectors/answers/stale.ts";
import { detectStillLinked } from "./detectors/answers/still-linked.ts";
import { detectStillListed } from "./detectors/answers/still-listed.ts";
import { detectTakenForm } from "./detectors/answers/taken-form.ts";
import { detectUndeleted } from "./detectors/answers/undeleted.ts";
import { detectUnstored } from "./detectors/answers/unstored.ts";
import { detectWithoutWanted } from "./detectors/answers/without-wanted.ts";
import { detectActed } from "./detectors/elements/acted.ts";
import { detectAnotherElement } from "./detectors/elements/another-element.ts";
import { detectAppeared } from "./detectors/elements/appeared.ts";
import { detectColumns } from "./detectors/elements/columns.ts";
import { detectGone } from "./detectors/elements/gone.ts";
import { detectHeaderRow } from "./detectors/elements/header-row.ts";
import { detectLabelElsewhere } from "./detectors/elements/label-elsewhere.ts";
import { detectLostAttribute } from "./detectors/elements/lost-attribute.ts";
import { detectLostRole } from "./detectors/elements/lost-role.ts";
import { detectMissing } from "./detectors/elements/missing.ts";
import { detectMissingFrame } from "./detectors/elements/missing-frame.ts";
import { detectMissingOption } from "./detectors/elements/missing-option.ts";
import { detectOtherState } from "./detectors/elements/other-state.ts";
import { detectOtherTestId } from "./detectors/elements/other-test-id.ts";
import { detectPictures } from "./detectors/elements/pictures.ts";
import { detectRenamedScope } from "./detectors/elements/renamed-scope.ts";
import { detectSameId, detectTakenId } from "./detectors/elements/same-id.ts";
import { detectShownByStyle } from "./detectors/elements/shown-by-style.ts";
import { detectInert } from "./detectors/elements/shut-off.ts";
import { detectSlotless } from "./detectors/elements/slotless.ts";
import { detectStyledElement } from "./detectors/elements/styled.ts";
import { detectTestIdAttribute } from "./detectors/elements/test-id-attribute.ts";
import { detectInterference } from "./detectors/environment/interference.ts";
import { detectPageLanguage } from "./detectors/environment/page-language.ts";
import { detectSentZone } from "./detectors/environment/sent-zone.ts";
import { detectServerClock } from "./detectors/environment/server-clock.ts";
import { detectStillTimer } from "./detectors/environment/still-timer.ts";
import { detectTime } from "./detectors/environment/time.ts";
import { detectCutOff } from "./detectors/input/cut-off.ts";
import { detectFiles } from "./detectors/input/files.ts";
import { detectForgotten } from "./detectors/input/forgotten.ts";
import { detectHeldForm } from "./detectors/input/held-form.ts";
import { detectImplicitSubmit } from "./detectors/input/implicit-submit.ts";
import { detectKeptTyped } from "./detectors/input/kept-typed.ts";
import { detectLoadedAnew } from "./detectors/input/loaded-anew.ts";
import { detectLostKeys } from "./detectors/input/lost-keys.ts";
import { detectNotEmptied } from "./detectors/input/not-emptied.ts";
import { detectOtherOption } from "./detectors/input/other-option.ts";
import { detectRefusedField } from "./detectors/input/refused-field.ts";
import { detectSentAsBefore } from "./detectors/input/sent-as-before.ts";
import { detectSetBack } from "./detectors/input/set-back.ts";
import { detectOtherShortcut } from "./detectors/input/shortcut.ts";
import { detectStandsAgain } from "./detectors/input/stands-again.ts";
import { detectStateNotKept } from "./detectors/input/state-not-kept.ts";
import { detectPassedByTab } from "./detectors/input/tab-order.ts";
import { detectTakenKey } from "./detectors/input/taken-key.ts";
import { detectTornTyping } from "./detectors/input/torn.ts";
import { detectTyped } from "./detectors/input/typed.ts";
import { detectTypedElsewhere } from "./detectors/input/typed-elsewhere.ts";
import { detectTypedInPart } from "./detectors/input/typed-in-part.ts";
import { detectUnremembered } from "./detectors/input/unremembered.ts";
import { detectWiped } from "./detectors/input/wiped.ts";
import { detectCalls } from "./detectors/live/calls.ts";
import { detectHeard } from "./detectors/live/heard.ts";
import { detectSilentStream } from "./detectors/live/silent-stream.ts";
import { detectSockets } from "./detectors/live/sockets.ts";
import { detectStreams } from "./detectors/live/streams.ts";
import { detectUnaskedSince } from "./detectors/live/unasked-since.ts";
import { detectUndrawn } from "./detectors/live/undrawn.ts";
import { detectUnopened } from "./detectors/live/unopened.ts";
import { detectUntold } from "./detectors/live/untold.ts";
import { detectAnsweredAlike } from "./detectors/page/answered-alike.ts";
import { detectConsole } from "./detectors/page/console.ts";
import { detectDrawnOtherwise } from "./detectors/page/drawn-otherwise.ts";
import { detectHalfDrawn } from "./detectors/page/half-drawn.ts";
import { detectHappenings } from "./detectors/page/happenings.ts";
import { detectIdle } from "./detectors/page/idle.ts";
import { detectKeptFigure } from "./detectors/page/kept-figure.ts";
import { detectLeftStanding } from "./detectors/page/left-standing.ts";
import { detectListedTwice } from "./detectors/page/listed-twice.ts";
import { detectLostPart } from "./detectors/page/lost-part.ts";
import { detectDroppedMessages } from "./detectors/page/messages.ts";
import { detectNotTakenBack } from "./detectors/page/not-taken-back.ts";
import { detectPageMessages } from "./detectors/page/page.ts";
import { detectPolicy } from "./detectors/page/policy.ts";
import { detectQuietLines } from "./detectors/page/quiet-lines.ts";
import { detectRemovedOther } from "./detectors/page/removed-other.ts";
import { detectReplacedList } from "./detectors/page/replaced-list.ts";
import { detectShownNoValue } from "./detectors/page/shown-no-value.ts";
import { detectShownToRole } from "./detectors/page/shown-to-role.ts";
import { detectStayedOpen } from "./detectors/page/stayed-open.ts";
import { detectTookAnother } from "./detectors/page/took-another.ts";
import { detectUnmoved } from "./detectors/page/unmoved.ts";
import { detectUnsaidRefusal } from "./detectors/page/unsaid-refusal.ts";
import { detectWorkedOut } from "./detectors/page/worked-out.ts";
import { detectAborted } from "./detectors/requests/aborted.ts";
import { detectAskedByAction } from "./detectors/requests/asked-by-action.ts";
import { detectAskedByItself } from "./detectors/requests/asked-by-itself.ts";
import { detectAskedDays } from "./detectors/requests/asked-days.ts";
import { detectAskedEndlessly } from "./detectors/requests/asked-endlessly.ts";
import { detectAwaited } from "./detectors/requests/awaited.ts";
import { detectEarly } from "./detectors/requests/early.ts";
import { detectEventSent } from "./detectors/requests/event-sent.ts";
import { detectKeptPart } from "./detectors/requests/kept-part.ts";
import { detectOtherReads } from "./detectors/requests/other-read.ts";
import { detectOvertaken } from "./detectors/requests/overtaken.ts";
import { detectPageSize } from "./detectors/requests/page-size.ts";
import { detectPending } from "./detectors/requests/pending.ts";
import { detectPolling } from "./detectors/requests/polling.ts";
import { detectReadAhead } from "./detectors/requests/read-ahead.ts";
import { detectRepeated } from "./detectors/requests/repeated.ts";
import { detectFailedRequests } from "./detectors/requests/requests.ts";
import { detectSameField } from "./detectors/requests/same-field.ts";
import { detectSameKey } from "./detectors/requests/same-key.ts";
import { detectSameOrder } from "./detectors/requests/same-order.ts";
import { detectSentOtherwise } from "./detectors/requests/sent-otherwise.ts";
import { detectStopped } from "./detectors/requests/stopped.ts";
import { detectTooLate } from "./detectors/requests/too-late.ts";
import { detectUnasked } from "./detectors/requests/unasked.ts";
import { detectUndecoded } from "./detectors/requests/undecoded.ts";
import { detectUnsent } from "./detectors/requests/unsent.ts";
import { detectUnspoken } from "./detectors/requests/unspoken.ts";
import { detectCookies } from "./detectors/session/cookies.ts";
import { detectCredentials } from "./detectors/session/credentials.ts";
import { detectNarrowCookie } from "./detectors/session/narrow-cookie.ts";
import { detectNavigation } from "./detectors/session/navigation.ts";
import { detectOtherAccount } from "./detectors/session/other-account.ts";
import { detectOtherParent } from "./detectors/session/other-parent.ts";
import { detectOtherPart } from "./detectors/session/other-part.ts";
import { detectRedirect } from "./detectors/session/redirect.ts";
import { detectSessionCookie } from "./detectors/session/session-cookie.ts";
import { detectShortCookie } from "./detectors/session/short-cookie.ts";
import { detectStillKnown } from "./detectors/session/still-known.ts";
import { detectStorage } from "./detectors/session/storage.ts";
import { detectStrictCookie } from "./detectors/session/strict-cookie.ts";
import { detectTokens } from "./detectors/session/tokens.ts";
import { detectWentBack } from "./detectors/session/went-back.ts";
import { detectAnotherTest } from "./detectors/test-code/another-test.ts";
import { detectAssertion } from "./detectors/test-code/assertion.ts";
import { detectEnded } from "./detectors/test-code/ended.ts";
import { detectLeftAlone } from "./detectors/test-code/left-alone.ts";
import { detectLeftOver } from "./detectors/test-code/left-over.ts";
import { detectMadeBefore } from "./detectors/test-code/made-before.ts";
import { detectMissedRoute, detectMocks } from "./detectors/test-code/mocks.ts";
import { detectOtherInput } from "./detectors/test-code/other-input.ts";
import { detectOtherSetting } from "./detectors/test-code/other-setting.ts";
import { detectPageScripts } from "./detectors/test-code/page-scripts.ts";
import { detectReadOtherwise } from "./detectors/test-code/read-otherwise.ts";
import { detectRewrittenTest } from "./detectors/test-code/rewritten-test.ts";
import { detectSeededOtherwise } from "./detectors/test-code/seeded-otherwise.ts";
import { detectSentAgain } from "./detectors/test-code/sent-again.ts";
import { detectSentNoMore } from "./detectors/test-code/sent-no-more.ts";
import { detectSetBefore } from "./detectors/test-code/set-before.ts";
import { detectTakenBefore } from "./detectors/test-code/taken-before.ts";
import { detectTestCode } from "./detectors/test-code/test-code.ts";
import { detectWaiting } from "./detectors/test-code/waiting.ts";
import type { Detector, Evidence, Finding } from "./types.ts";

/** Every class of causes. Their order means nothing: the ranker has the last word. */
const DETECTORS: readonly Detector[] = [
  detectActed,
  detectAges,
  detectAlone,
  detectAnotherElement,
  detectAnotherTest,
  detectAnotherThing,
  detectAnsweredAlike,
  detectAnswers,
  detectAppeared,
  detectAssertion,
  detectAskedByAction,
  detectAskedByItself,
  detectAskedDays,
  detectAskedEndlessly,
  detectAwaited,
  detectBehindWrite,
  detectAborted,
  detectByAlphabet,
  detectCalls,
  detectColumns,
  detectConsole,
  detectCookies,
  detectCountedOtherwise,
  detectCredentials,
  detectCutOff,
  detectDocuments,
  detectDrawnOtherwise,
  detectDroppedMessages,
  detectEarly,
  detectEnded,
  detectEventSent,
  detectFailedRequests,
  detectFiles,
  detectForgotten,
  detectGaveOtherwise,
  detectGaveValue,
  detectGiven,
  detectGone,
  detectHalfDrawn,
  detectHappenings,
  detectHeard,
  detectHeaderRow,
  detectHeaders,
  detectHeldForm,
  detectIdle,
  detectImplicitSubmit,
  detectInert,
  detectInterference,
  detectLabelElsewhere,
  detectLeftAlone,
  detectLeftOver,
  detectLeftStanding,
  detectLifetimes,
  detectLines,
  detectLoadedAnew,
  detectListedTwice,
  detectKeptElsewhere,
  detectKeptOtherwise,
  detectKeptFigure,
  detectKeptPart,
  detectKeptTyped,
  detectStateNotKept,
  detectLostAttribute,
  detectLostKeys,
  detectLostPart,
  detectLostRole,
  detectMadeBefore,
  detectMarkup,
  detectMissing,
  detectMissedRoute,
  detectMissingFrame,
  detectMissingOption,
  detectMocks,
  detectNarrowCookie,
  detectNavigation,
  detectNoData,
  detectNotEmptied,
  detectNotTakenBack,
  detectUnmoved,
  detectOtherAccount,
  detectOtherInput,
  detectOtherName,
  detectOtherOption,
  detectOtherParent,
  detectOtherPart,
  detectOtherReads,
  detectOtherSetting,
  detectOtherShortcut,
  detectOtherState,
  detectOtherTestId,
  detectOtherUnit,
  detectOvertaken,
  detectPaged,
  detectPageMessages,
  detectPageScripts,
  detectPageSize,
  detectPageWidth,
  detectPassedByTab,
  detectPending,
  detectPictures,
  detectPolicy,
  detectPolling,
  detectQuietLines,
  detectReadAhead,
  detectReadOtherwise,
  detectRefusedAgain,
  detectRefusedField,
  detectRedirect,
  detectRefusedOtherwise,
  detectRelease,
  detectRemovedOther,
  detectRepeated,
  detectReplacedList,
  detectReplacedToken,
  detectRenamedScope,
  detectNoDate,
  detectReturned,
  detectSameItemTwice,
  detectRewrittenTest,
  detectRowAsBefore,
  detectSameField,
  detectSameId,
  detectSameKey,
  detectSameOrder,
  detectSeededOtherwise,
  detectSentAgain,
  detectSentAsBefore,
  detectSentNoMore,
  detectSentOtherwise,
  detectSentZone,
  detectServedElement,
  detectSetBack,
  detectSetBefore,
  detectServerClock,
  detectSessionCookie,
  detectShortCookie,
  detectShown,
  detectShownByStyle,
  detectShownNoValue,
  detectShownToRole,
  detectSilentStream,
  detectSlotless,
  detectSockets,
  detectStale,
  detectStandsAgain,
  detectStayedOpen,
  detectStillKnown,
  detectMovedOtherwise,
  detectOtherDirection,
  detectStillLinked,
  detectStillListed,
  detectStillTimer,
  detectStopped,
  detectStorage,
  detectStreams,
  detectStrictCookie,
  detectStyledElement,
  detectTakenBefore,
  detectTakenForm,
  detectTakenId,
  detectTakenKey,
  detectTestCode,
  detectTestIdAttribute,
  detectPageLanguage,
  detectTime,
  detectTokens,
  detectTooLate,
  detectTookAnother,
  detectTornTyping,
  detectTyped,
  detectTypedElsewhere,
  detectTypedInPart,
  detectUnasked,
  detectUnaskedSince,
  detectUndecoded,
  detectUndeleted,
  detectUndrawn,
  detectUnremembered,
  detectUnsaidRefusal,
  detectUnopened,
  detectUnsent,
  detectUnspoken,
  detectUnstored,
  detectUntold,
  detectWaiting,
  detectWentBack,
  detectWiped,
  detectWithoutToken,
  detectWithoutWanted,
  detectWorkedOut,
];

/** What every detector finds. */
export const detectIn = (evidence: Evidence, attempt: Attempt): Finding[] =>
  DETECTORS.flatMap((detect) => attempt(() => detect(evidence, attempt), []));

import { detectAlone } from "./alone/alone.ts";
import { detectGaveOtherwise } from "./correlation/gave-otherwise.ts";
import { detectGiven } from "./correlation/given.ts";
import { detectReplacedToken } from "./correlation/replaced-token.ts";
import { detectAborted } from "./detectors/aborted.ts";
import { detectActed } from "./detectors/acted.ts";
import { detectAges } from "./detectors/ages.ts";
import { detectAnotherElement } from "./detectors/another-element.ts";
import { detectAnotherTest } from "./detectors/another-test.ts";
import { detectAnswers } from "./detectors/answers.ts";
import { detectAppeared } from "./detectors/appeared.ts";
import { detectAssertion } from "./detectors/assertion.ts";
import { detectAwaited } from "./detectors/awaited.ts";
import { detectCalls } from "./detectors/calls.ts";
import { detectConsole } from "./detectors/console.ts";
import { detectCookies } from "./detectors/cookies.ts";
import { detectCredentials } from "./detectors/credentials.ts";
import { detectCutOff } from "./detectors/cut-off.ts";
import { detectDocuments } from "./detectors/documents.ts";
import { detectEarly } from "./detectors/early.ts";
import { detectEnded } from "./detectors/ended.ts";
import { detectEventSent } from "./detectors/event-sent.ts";
import { detectFiles } from "./detectors/files.ts";
import { detectGone } from "./detectors/gone.ts";
import { detectHappenings } from "./detectors/happenings.ts";
import { detectHeaders } from "./detectors/headers.ts";
import { detectHeard } from "./detectors/heard.ts";
import { detectHeldForm } from "./detectors/held-form.ts";
import { detectIdle } from "./detectors/idle.ts";
import { detectImplicitSubmit } from "./detectors/implicit-submit.ts";
import { detectInterference } from "./detectors/interference.ts";
import { detectLabelElsewhere } from "./detectors/label-elsewhere.ts";
import { detectLeftAlone } from "./detectors/left-alone.ts";
import { detectLeftOver } from "./detectors/left-over.ts";
import { detectLines } from "./detectors/lines.ts";
import { detectLostKeys } from "./detectors/lost-keys.ts";
import { detectMarkup } from "./detectors/markup.ts";
import { detectMissing } from "./detectors/missing.ts";
import { detectMissingFrame } from "./detectors/missing-frame.ts";
import { detectMissedRoute, detectMocks } from "./detectors/mocks.ts";
import { detectNavigation } from "./detectors/navigation.ts";
import { detectNoData } from "./detectors/no-data.ts";
import { detectOtherInput } from "./detectors/other-input.ts";
import { detectOtherParent } from "./detectors/other-parent.ts";
import { detectOtherReads } from "./detectors/other-read.ts";
import { detectOtherSetting } from "./detectors/other-setting.ts";
import { detectOvertaken } from "./detectors/overtaken.ts";
import { detectPageMessages } from "./detectors/page.ts";
import { detectPageScripts } from "./detectors/page-scripts.ts";
import { detectPageWidth } from "./detectors/page-width.ts";
import { detectPending } from "./detectors/pending.ts";
import { detectPictures } from "./detectors/pictures.ts";
import { detectPolicy } from "./detectors/policy.ts";
import { detectPolling } from "./detectors/polling.ts";
import { detectQuietLines } from "./detectors/quiet-lines.ts";
import { detectReadOtherwise } from "./detectors/read-otherwise.ts";
import { detectRedirect } from "./detectors/redirect.ts";
import { detectRefusedField } from "./detectors/refused-field.ts";
import { detectRelease } from "./detectors/release.ts";
import { detectRepeated } from "./detectors/repeated.ts";
import { detectFailedRequests } from "./detectors/requests.ts";
import { detectReturned } from "./detectors/returned.ts";
import { detectRewrittenTest } from "./detectors/rewritten-test.ts";
import { detectSameId, detectTakenId } from "./detectors/same-id.ts";
import { detectSameKey } from "./detectors/same-key.ts";
import { detectSameOrder } from "./detectors/same-order.ts";
import { detectSentOtherwise } from "./detectors/sent-otherwise.ts";
import { detectServedElement } from "./detectors/served-element.ts";
import { detectOtherShortcut } from "./detectors/shortcut.ts";
import { detectShown } from "./detectors/shown.ts";
import { detectInert } from "./detectors/shut-off.ts";
import { detectSlotless } from "./detectors/slotless.ts";
import { detectSockets } from "./detectors/sockets.ts";
import { detectStale } from "./detectors/stale.ts";
import { detectStopped } from "./detectors/stopped.ts";
import { detectStorage } from "./detectors/storage.ts";
import { detectStreams } from "./detectors/streams.ts";
import { detectStrictCookie } from "./detectors/strict-cookie.ts";
import { detectStyledElement } from "./detectors/styled.ts";
import { detectPassedByTab } from "./detectors/tab-order.ts";
import { detectTakenKey } from "./detectors/taken-key.ts";
import { detectTestCode } from "./detectors/test-code.ts";
import { detectTime } from "./detectors/time.ts";
import { detectTokens } from "./detectors/tokens.ts";
import { detectTooLate } from "./detectors/too-late.ts";
import { detectTornTyping } from "./detectors/torn.ts";
import { detectTyped } from "./detectors/typed.ts";
import { detectUndeleted } from "./detectors/undeleted.ts";
import { detectUnsent } from "./detectors/unsent.ts";
import { detectUnspoken } from "./detectors/unspoken.ts";
import { detectWaiting } from "./detectors/waiting.ts";
import { detectWentBack } from "./detectors/went-back.ts";
import { detectWiped } from "./detectors/wiped.ts";
import type { Detector } from "./types.ts";

/** Every class of causes. Their order means nothing: the ranker has the last word. */
export const DETECTORS: readonly Detector[] = [
  detectActed,
  detectAges,
  detectAlone,
  detectAnotherElement,
  detectAnotherTest,
  detectAnswers,
  detectAppeared,
  detectAssertion,
  detectAwaited,
  detectAborted,
  detectCalls,
  detectConsole,
  detectCookies,
  detectCredentials,
  detectCutOff,
  detectDocuments,
  detectEarly,
  detectEnded,
  detectEventSent,
  detectFailedRequests,
  detectFiles,
  detectGaveOtherwise,
  detectGiven,
  detectGone,
  detectHappenings,
  detectHeard,
  detectHeaders,
  detectHeldForm,
  detectIdle,
  detectImplicitSubmit,
  detectInert,
  detectInterference,
  detectLabelElsewhere,
  detectLeftAlone,
  detectLeftOver,
  detectLines,
  detectLostKeys,
  detectMarkup,
  detectMissing,
  detectMissedRoute,
  detectMissingFrame,
  detectMocks,
  detectNavigation,
  detectNoData,
  detectOtherInput,
  detectOtherParent,
  detectOtherReads,
  detectOtherSetting,
  detectOtherShortcut,
  detectOvertaken,
  detectPageMessages,
  detectPageScripts,
  detectPageWidth,
  detectPassedByTab,
  detectPending,
  detectPictures,
  detectPolicy,
  detectPolling,
  detectQuietLines,
  detectReadOtherwise,
  detectRefusedField,
  detectRedirect,
  detectRelease,
  detectRepeated,
  detectReplacedToken,
  detectReturned,
  detectRewrittenTest,
  detectSameId,
  detectSameKey,
  detectSameOrder,
  detectSentOtherwise,
  detectServedElement,
  detectShown,
  detectSlotless,
  detectSockets,
  detectStale,
  detectStopped,
  detectStorage,
  detectStreams,
  detectStrictCookie,
  detectStyledElement,
  detectTakenId,
  detectTakenKey,
  detectTestCode,
  detectTime,
  detectTokens,
  detectTooLate,
  detectTornTyping,
  detectTyped,
  detectUndeleted,
  detectUnsent,
  detectUnspoken,
  detectWaiting,
  detectWentBack,
  detectWiped,
];

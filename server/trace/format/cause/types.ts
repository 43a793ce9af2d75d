import type { StackFrame } from "../event.ts";
import type { Attempt } from "./attempt.ts";
import type { SeenElement } from "./page/page-view.ts";
import type { PageShot, RunFacts, Step } from "./run/run-facts.ts";
import type { WindowSize } from "./style/media.ts";

/** What a suspect is, in the field's words. */
export const CAUSE_KINDS = [
  /** An answer with a status from 400, or none because the connection failed. */
  "request_failed",
  /** A request that had no answer when the step gave up. */
  "request_pending",
  /** A request that the passes sent and this run did not. */
  "request_unsent",
  /** A request that was sent once too often. */
  "request_repeated",
  /** An older request whose answer came after a newer one's. */
  "out_of_order",
  /** An answer that says something else than in the last pass, or than the test wants. */
  "answer_changed",
  /** The page is at another address than in the last pass. */
  "redirected",
  /** The browser refused it: CORS, CSP, mixed content, a certificate. */
  "browser_policy",
  /** A script, chunk or style sheet did not load. */
  "script_failed",
  "page_error",
  "console_error",
  "element_covered",
  "element_hidden",
  "element_unstable",
  "element_disabled",
  "element_detached",
  "element_outside",
  "element_ambiguous",
  "element_renamed",
  "element_missing",
  "websocket_closed",
  /** A stream of server-sent events that stays open in passes came to its end. */
  "stream_ended",
  /** A service worker or the cache answered with something else than the network. */
  "stale_answer",
  "dialog",
  "popup",
  "download",
  "crash",
  /** Time, zone or locale of the page. */
  "time",
  /** Cookies or storage that ended or are missing. */
  "storage",
  /** An alert or validation message that stands on the page. */
  "page_message",
  "page_changed",
  "injected_fault",
  "slow",
  /** The test's own code threw. */
  "test_code",
  /** What the test expected and got: the symptom, where nothing explains it. */
  "assertion",
] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

/** What a detector found. */
export interface Finding {
  kind: CauseKind;
  /** A sentence that a person would say, without a full stop. */
  title: string;
  detail: string | null;
  step_id: string | null;
  /** Sequence numbers of the events that show it. */
  events: number[];
  /** Epoch ms; null when it belongs to no moment. */
  ts: number | null;
  /** Whether the compared passes lack it; null when there was none to compare with, or it cannot be compared. */
  is_new: boolean | null;
  /** 0..1: how much a thing of this kind explains a failure of this form when it stands alone. */
  weight: number;
  /** What it is about (an address, a selector): findings about one thing belong to one chain. */
  about?: string;
  /** Whether it is of the site under test; unknown counts as its own. */
  isOwn?: boolean;
  /** Of an answer: a value of another kind than in passes, which the page threw an error over. */
  isMisread?: boolean;
  /** Of an answer: it has nothing, or no things, where passes or the page need something. */
  isNothing?: boolean;
  /** Of an answer: what it says where passes say something else: another value, or another number of things. */
  isOther?: "value" | "count";
  /** Of an answer to a write: the write was sent with another field than in passes. */
  isAskedOtherwise?: boolean;
  /** Of an answer: it gives an id by another name than in passes. */
  isIdRenamed?: boolean;
  /** Of an answer: to a question, which changes nothing. */
  isRead?: boolean;
  /** Of an answer, of what was sent, or of what a field held: what it says where passes say something else. */
  said?: string;
  /** Of a request that was not sent: in passes another tab sends it. */
  isOfOtherTab?: boolean;
  /** Of a write that was not sent: the fields that the last pass sent with it, by their last names. */
  lacked?: ReadonlyMap<string, string>;
  /** Of a connection: a message that it brings in passes never came. */
  isUnheard?: boolean;
  /** Of such a message: when it came in the last pass, epoch ms. */
  heardAt?: number;
  /** Of an answer: where the value stands that differs, as a path of names (`/data/unread`). */
  place?: string;
  /** Of an answer: its value that the page shows where the test wants another one. */
  shown?: string;
  /** Of the same: where that value stands in the answer. */
  shownAt?: string;
  /** Of an answer that came after a newer one: the page shows what only it has. */
  isShown?: boolean;
  /** Of an answer: a list without items where the test looks for one of them. */
  isEmptyList?: boolean;
  /** Of an answer: it brought nothing at all, though it says that all went well. */
  isWithoutData?: boolean;
  /** Of an answer: no server was asked for it just then, since a service worker or the browser had a copy. */
  isCopy?: boolean;
  /** Of a script: it is the site's service worker. */
  isWorker?: boolean;
  /** Of an answer: a switch that is off, which may be why the page leaves out what the test looks for. */
  isSwitchOff?: boolean;
  /** Of an answer: it has what else the page shows of a kind, and not what the test looks for. */
  isLeftOut?: boolean;
  /** Of an answer: a list of days that came the other way round. */
  isReversed?: boolean;
  /** Of a request: a read that no pass asks so, whose answer the page shows. */
  isOtherQuestion?: boolean;
  /** Of a request: a write that went to another thing than in the passes. */
  isToAnother?: boolean;
  /** Of a request: the field that it was sent without, or with another value than in the passes: `items.0.price`. */
  sentField?: string;
  /** Of a request: in the place of an id it has something that is none. */
  isNoId?: boolean;
  /** Of a request: in the place of a value it has what scripts write where they have none. */
  isNoValue?: boolean;
  /** Of the same: a date with its day and month in each other's place. */
  isDateTurned?: boolean;
  /** Of a request that changes something: no pass sends it. */
  isUnasked?: boolean;
  /** Of a page: it has twice what was entered once. */
  isDoubled?: boolean;
  /** Of a request: it keeps the order that a list had before. */
  isUnmoved?: boolean;
  /** Of an answer: it said the same each time that it was asked for, and no job of its own that stands still. */
  isStuck?: boolean;
  /** Of an answer: it is a page that the server rendered. */
  isServed?: boolean;
  /** Of an answer: it has a thing as it was before a write that changes it in passes. */
  isUnstored?: boolean;
  /** Of an answer: a list of the same things in another order. */
  isReordered?: boolean;
  /** Of an answer: a list whose numbers are in the order of texts. */
  isSortedAsText?: boolean;
  /** Of a field: the name under which a form sends it, which it has no longer. */
  lostName?: string;
  /** Of a served page: the name that one of its fields has, and the one that it has in the passes. */
  renamed?: { now: string; before: string };
  /** Of a button: it sends its form, which it does not in the passes. */
  isSubmitter?: boolean;
  /** Of a request that was sent more than once: it was two times. */
  isTwice?: boolean;
  /** Of the same: time and again it was two at once, so that each answer stands in another's place. */
  isTwiceEach?: boolean;
  /** Of a request that was sent more than once, or no longer: the test itself sends it, to prepare what it needs. */
  isOfSetUp?: boolean;
  /** Of data that the test prepared otherwise: the texts of the thing that is another one. */
  seeded?: string[];
  /** Of an event stream: it was opened, and the page shows nothing of it. */
  isSilent?: boolean;
  /** Of an event stream: browsers ask no more after such an answer. */
  isOverForGood?: boolean;
  /** Of an action on an element that was not meant: by its label, whose id stands twice, or by what the last pass found. */
  astray?: "label" | "pass";
  /** Of an action on a link: the whole address that it leads to, where it led elsewhere in the last pass. */
  leadsTo?: string;
  /** Of an element that is not seen: it stands in something closed, and in the last pass outside of it. */
  isMoved?: boolean;
  /** Of an element that is not seen: the window is of another size than in the passes, or narrow. */
  isOfWindow?: boolean;
  /** Of an element: it has lost the attribute that gave it its role or name. */
  hasLostRole?: boolean;
  /** Of an element: it shows the key of a text in the place of the text. */
  isTextKey?: boolean;
  /** Of an element: it is the one that was looked for, with other figures in its text. */
  isOtherFigure?: boolean;
  /** Of the time: what two texts differ in as by another clock, zone or locale. */
  otherTime?: "day" | "time" | "locale";
  /** Of a file of the product: another one than in the passes, or one that did not come. */
  file?: "script" | "style sheet";
  /** Of a served page: what is another in its markup: the code of a script, the address of one, an element that is disabled now, or that a script is gone. */
  markup?: "code" | "address" | "disabled" | "gone";
  /** Of a connection that closed without a code while the page went on: whether the page said something of it. */
  withoutCode?: "told" | "untold";
  /** Of a form: the server gave it back, and led nowhere. */
  isReturned?: boolean;
  /** Of an answer: another status of success than in every pass. */
  isOtherSuccess?: boolean;
  /** Of an answer, or of what was sent: it is a moment that is another one. */
  isOfTime?: boolean;
  /** Of an error of the page: a script that the test brought into it threw it. */
  isInjected?: boolean;
  /** Of an answer: another form of text than the one that scripts read. */
  isUnreadable?: boolean;
  /** Of a form that the browser did not send: the name of the field that holds it back. */
  heldField?: string;
  /** Of a field: the page marked it as invalid. */
  isMarked?: boolean;
  /** Of a page: it did not go where the passes had gone. */
  isStill?: boolean;
  /** Of a text that was torn apart between two fields: both parts. */
  parts?: [string, string];
  /** Of what the page said: a dialog says it, which opened after the last action. */
  isDialog?: boolean;
  /** Of a page: what a server rendered, by which it is another one, is told by the page alone. */
  isDrawn?: boolean;
  /** Of a served page: it came without what the test looks for. */
  isWithoutTarget?: boolean;
  /** Of a served page: it has a thing more often than it had. */
  listsMore?: boolean;
  /** Of a request that was answered with an error: its status. */
  status?: number;
  /** Of an answer: a header that hands a token over is missing, or another one. */
  isOfToken?: boolean;
  /** Of a request: it came without a cookie or a header by which the passes' was known. */
  isUnaccompanied?: boolean;
  /** Of such a request: that cookie. */
  lackedCookie?: string;
  /** Of an answer: the cookie that it sets under other terms than in the passes. */
  otherCookie?: string;
  /** Of an answer that led elsewhere: the other origin at which the page was from then on. */
  otherOrigin?: string;
  /** Of a page that is elsewhere: when it was sent there, epoch ms. */
  sentAt?: number;
  /** Of a served page: the element that the failed step or the action before it was about came with another attribute. */
  isOfElement?: boolean;
  /** Of the same: the tag that came so, as it was written. */
  tag?: string;
  /** Of a served page: it names another element by an id that none has. */
  refersToNothing?: boolean;
  /** Of a test: it typed, picked or answered something else than in the passes. */
  isGivenOtherwise?: boolean;
  /** Of a test: it gave a field an empty text where it gives something in the passes. */
  isGivenNothing?: boolean;
  /** Of a test that was changed: in few places, at one of which this run came by. */
  isOfTest?: boolean;
  /** Of a test that was changed: the change is of its routes, or of the network. */
  isOfNetwork?: boolean;
  /** Of a test that was changed: the change is of the page's clock alone. */
  isOfClock?: boolean;
  /** Of a test that was changed: a line that waited is gone. */
  isAwaitGone?: boolean;
  /** Of a test that was changed: when the first step came that the changed lines do or that follows them in their file, epoch ms. */
  changedFrom?: number;
  /** Of a test that was changed: its lines were moved, so that its steps come in another order. */
  isMovedTest?: boolean;
  /** Of a test that was changed: it no longer waits for a call, and went on while that was under way. */
  isUnawaited?: boolean;
  /** Of an answer: it says something else than its own question asks for, whatever values it has besides. */
  isAgainstItself?: boolean;
}

export interface Suspect {
  /** From 1. */
  rank: number;
  kind: CauseKind;
  title: string;
  detail: string | null;
  confidence: number;
  step_id: string | null;
  events: number[];
  is_new: boolean | null;
}

export interface Cause {
  failed_step: { step_id: string; title: string } | null;
  /** One sentence of at most `MAX_HEADLINE` characters; null when nothing failed. */
  headline: string | null;
  /** At most `MAX_SUSPECTS`, best first. */
  suspects: Suspect[];
  /** What went wrong here and in the compared passes alike. */
  also_when_passing: { title: string; count: number }[];
}

/** What stands around a failure beside its suspects. */
export interface CauseContext {
  /** Playwright's call log of the failed step, what repeats told once. */
  log: string[];
  /** Requests that were waiting for an answer when the step gave up. */
  pending: string[];
  /** The address that the page was at, and that it is at in the last pass by then. */
  url: string | null;
  passing_url: string | null;
  /** Where the run went another way than the last pass. */
  divergence: string | null;
  /** Roles and names of what was on the page around the step's target. */
  tree: string[];
}

/** What is kept of one search for a cause. */
export interface FoundCause {
  cause: Cause;
  /** As whoever is handed this trace alone may have it: without a word of the passes. Absent in what older engines kept. */
  shared?: Cause;
  context: CauseContext | null;
}

export const MAX_HEADLINE = 300;
export const MAX_SUSPECTS = 10;
export const MAX_ALSO = 20;

/** The failure, as the summary chose it. */
export interface Failed {
  /** Null when no step failed: only the runner's verdict says so. */
  step: Step | null;
  /** The wait that ran out of time, where `step` is the action beside it that had not got through. */
  waited?: Step;
  title: string;
  message: string;
  expected: string | null;
  received: string | null;
  /** What was expected no test says: it is what every pass read. */
  isExpectedByPasses?: true;
  /** Of the error, where the failed step has none. */
  stack: StackFrame[];
  /** Epoch ms: when the failed step began and when it gave up. */
  from: number;
  to: number;
}

/** A page as it was, and what it showed. */
export interface SeenPage {
  shot: PageShot;
  elements: SeenElement[];
}

/** What an action met: the page as it stood then, and as it left it where the action typed. */
export interface Act {
  step: Step;
  met: SeenPage;
  left: SeenPage | null;
}

/** A style sheet that a recorded page had. */
export interface PageSheet {
  text: string;
  /** Its address; null of one that stands in the page. */
  url: string | null;
  /** Of the answer that brought it. */
  seq: number | null;
  /** The media queries under which it was asked for, each of which must hold. */
  media: string[];
}

/** One recorded run. */
export interface RunEvidence {
  facts: RunFacts;
  /** The page when the step gave up, or of a pass at its counterpart. Null when none was recorded. */
  page: SeenPage | null;
  /** Of a failed run that looks for an element: the pages right before, oldest first. */
  earlier?: SeenPage[];
  /** Of a failed run: its page as the last action before the failure met it, where that was recorded. */
  before?: SeenPage | undefined;
  /** The last actions up to the failure, and of a pass the same, with the pages that they met. Absent where none was recorded. */
  acts?: Act[];
  /** Texts of answers that events only refer to, by the answer's sequence number, as far as they were read. */
  bodies: Map<number, string>;
  /** Of a failed run whose element could not be seen or reached: the style sheets of `page`, in their order. */
  sheets?: PageSheet[];
  /** The window of `page` in CSS pixels, beside its `sheets`; null where it was not recorded. */
  window?: WindowSize | null;
  /** Of a failed run: the test's own code, by the files that stacks name. Absent where none was recorded. */
  sources?: ReadonlyMap<string, string>;
  /** What is known of the machine and the browser, by name. */
  environment: Record<string, unknown>;
}

/** A file of the test's own code that is another one than in the newest pass. */
export interface TestFile {
  /** As the run's stacks name it. */
  file: string;
  now: string;
  before: string;
}

export interface Evidence {
  failed: Failed;
  run: RunEvidence;
  /** Newest first; at most `MOST_PASSES`. */
  passes: RunEvidence[];
  /** Absent where no source was recorded. */
  testFiles?: TestFile[];
}

export const MOST_PASSES = 3;

/**
 * Looks for one class of causes. Pure; throws for no recorded event, whatever its form.
 * @param attempt for one that has detectors of its own
 */
export type Detector = (evidence: Evidence, attempt: Attempt) => Finding[];

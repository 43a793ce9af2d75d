import { isMadeByTest } from "../../format/cause/detectors/requests/requests.ts";
import type { CauseKind } from "../../format/cause/types.ts";

export interface Advice {
  /** Where the change belongs, as far as the kind of cause tells. */
  where: "application" | "test" | "either" | "environment";
  what: string;
}

/** What a person would try first for each kind of cause. */
const ADVICE: Record<CauseKind, Advice> = {
  request_failed: {
    where: "application",
    what: "Look at the server's side of this request: its log at that moment says why it answered so. Until it answers, the test is right to fail.",
  },
  request_pending: {
    where: "application",
    what: "The request had no answer when the step gave up: find what makes it slow or hang. A longer wait in the test would only hide it.",
  },
  request_unsent: {
    where: "application",
    what: "The page no longer sends a request that it sent in passing runs: look at the code that sends it, and at errors before it.",
  },
  request_repeated: {
    where: "application",
    what: "A request goes out once too often: look for a handler that is bound twice, or a retry without a guard.",
  },
  out_of_order: {
    where: "application",
    what: "An older answer overwrote a newer one: let the page drop answers of requests that are no longer the last.",
  },
  answer_changed: {
    where: "either",
    what: "The server answers something else than in passing runs. If that is meant, change what the test expects; if not, mend the server.",
  },
  redirected: {
    where: "either",
    what: "The page landed elsewhere than in passing runs. Check the session and the routes first; if the new address is meant, change the test.",
  },
  browser_policy: {
    where: "application",
    what: "The browser refused it: mend the header (CORS, CSP), the certificate or the mixed content that the message names.",
  },
  script_failed: {
    where: "application",
    what: "A script or style sheet did not load: check that the build serves that file, and that its name is not an old one.",
  },
  page_error: {
    where: "application",
    what: "The page's own script threw: mend the line that the error names.",
  },
  console_error: {
    where: "application",
    what: "The console names an error right before the failure: begin with the line that it names.",
  },
  element_covered: {
    where: "either",
    what: "Something lies over the element. If a person could not click it either, mend the page; else close what covers it in the test first.",
  },
  element_hidden: {
    where: "either",
    what: "The element is there but not visible: check what shows it, and whether the test opens that first.",
  },
  element_unstable: {
    where: "either",
    what: "The element keeps moving: end the animation, or let the test wait until it rests.",
  },
  element_disabled: {
    where: "either",
    what: "The element is disabled: find what enables it, which is often an answer or a field that is missing.",
  },
  element_detached: {
    where: "either",
    what: "The element was replaced while the step used it: let the page keep it, or let the test find it again.",
  },
  element_outside: {
    where: "either",
    what: "The element lies outside of the window: mend the layout, or scroll to it.",
  },
  element_ambiguous: {
    where: "test",
    what: "The locator fits several elements: name the one that is meant, by role and name, or by the part of the page it lies in.",
  },
  element_renamed: {
    where: "test",
    what: "The element has another name than before. If that is meant, use the new name in the test's locator.",
  },
  element_missing: {
    where: "either",
    what: "The element is not on the page: find out what should have brought it there, and only then change the locator.",
  },
  websocket_closed: {
    where: "application",
    what: "The connection was closed: look at who closed it and why, and let the page connect again.",
  },
  stream_ended: {
    where: "application",
    what: "The stream of events ended: look at who ended it and why, and let the page connect again.",
  },
  stale_answer: {
    where: "application",
    what: "A cache or service worker answered in the server's place: let it go after a release.",
  },
  dialog: {
    where: "test",
    what: "A dialog stood in the way: let the test accept or dismiss it, if it is meant to be there.",
  },
  popup: {
    where: "test",
    what: "Another window opened: let the test follow it, or the page open it in its own.",
  },
  download: {
    where: "either",
    what: "A download came in the place of a page, or did not come: check the header of that answer.",
  },
  crash: {
    where: "environment",
    what: "The page or the browser crashed: look at memory and at the browser's version before anything else.",
  },
  time: {
    where: "either",
    what: "The clock, the time zone or the locale explains it: let the test fix them, or the page not depend on them.",
  },
  storage: {
    where: "either",
    what: "Cookies or storage ended or are missing: check how the session is made, and how long it lasts.",
  },
  page_message: { where: "either", what: "The page itself says what is wrong: begin with that message." },
  page_changed: {
    where: "either",
    what: "The page is not what it was in passing runs. If that is meant, change the test.",
  },
  injected_fault: {
    where: "test",
    what: "The scenario injected this fault itself: the page did not get over it.",
  },
  slow: {
    where: "either",
    what: "It took longer than the step waits: find what became slower before the limit is raised.",
  },
  test_code: { where: "test", what: "The test's own code threw: mend the line that the stack names." },
  assertion: {
    where: "either",
    what: "Expected and received differ, and nothing recorded explains it. Decide which of the two is right, and change the other.",
  },
};

const OF_A_ROUTE: Advice = {
  where: "either",
  what: "No server was asked: a route of the test answers or ends this request. If the page is to get over that, mend the page; else mend the route, or what the test expects after it.",
};

/** What to try first for a suspect. */
export const adviceFor = (suspect: { kind: CauseKind; detail: string | null }): Advice =>
  isMadeByTest(suspect) ? OF_A_ROUTE : ADVICE[suspect.kind];

export const WHERE: Record<Advice["where"], string> = {
  application: "It looks like the application, not the test.",
  test: "It looks like the test, not the application.",
  either: "It may be the application or the test.",
  environment: "It looks like the environment, neither the application nor the test.",
};

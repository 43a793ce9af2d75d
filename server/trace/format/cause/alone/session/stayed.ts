import { messageOf } from "../../detectors/page/page.ts";
import { OPENS } from "../../page/filled.ts";
import type { PageShot, RunFacts } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, pathOf, requestOf, TROUBLE } from "../../words.ts";
import { isRefusedBy } from "../requests/refused.ts";
import { leadsTo } from "./cookies.ts";
import { asksToSignIn } from "./sign-in.ts";

/** A form that comes back from the browser's own sending says why. */
const SENT_BY_SCRIPT = /^(?:xhr|fetch)$/;

/** A page that goes on asking to sign in, though the sign-in was answered well, led nowhere, and nothing was objected to. */
export function detectStayed(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts, page } = run;
  const action = actionBefore(facts, failed);
  const elements = page?.elements.filter(({ isHidden }) => !isHidden) ?? [];
  if (!page || !action || !elements.some(({ attributes }) => attributes.type === "password")) return [];
  if (elements.some((one) => TROUBLE.test(messageOf(one, elements) ?? ""))) return [];
  const signIn = facts.exchanges.findLast(
    (one) =>
      one.ts >= action.ts - 5 &&
      one.ts <= failed.to &&
      SENT_BY_SCRIPT.test(one.type ?? "") &&
      asksToSignIn(one, run),
  );
  if (!signIn || (signIn.status ?? 400) >= 300 || isRefusedBy(signIn, run) || leadsTo(signIn) !== null)
    return [];
  const isRefusedSince = facts.exchanges.some(
    (one) => one.ts > signIn.ts && one.ts <= failed.to && (one.status === 401 || one.status === 403),
  );
  if (isRefusedSince || !isOpenedByTest(facts, page.shot)) return [];
  return [
    {
      kind: "redirected",
      title: `The page stayed at ${addressOf(page.shot.url, facts)} after the sign-in: ${requestOf(signIn, facts)} was answered with ${signIn.status}, and nothing led on from there`,
      detail: null,
      step_id: action.step_id,
      events: [page.shot.seq, signIn.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.86,
      about: aboutUrl(signIn.url, facts, signIn.operation),
      isStill: true,
    },
  ];
}

/** Whether the test itself opened the address that a page is at, and the page has been nowhere else since. */
export function isOpenedByTest({ steps, pages }: RunFacts, here: PageShot): boolean {
  const opened = steps.findLast(
    ({ name, ts, page }) => OPENS.test(name) && ts <= here.ts && page === here.page,
  );
  const url = typeof opened?.params.url === "string" ? URL.parse(opened.params.url, here.url) : null;
  return (
    opened !== undefined &&
    url?.pathname === pathOf(here.url) &&
    pages.every(
      (shot) =>
        shot.ts <= opened.end ||
        shot.ts > here.ts ||
        shot.page !== here.page ||
        pathOf(shot.url) === url.pathname,
    )
  );
}

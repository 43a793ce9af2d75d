import { isNew } from "../../compare.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, addressOf, lapse, quoted, quotedStep } from "../../words.ts";
import { wordsFor } from "../requests/requests.ts";

const NET_ERROR =
  /(net::ERR_\w+|NS_ERROR_\w+|NS_BINDING_\w+|ECONNREFUSED|ECONNRESET|ENOTFOUND|Could not connect to server|SSL certificate problem[^\n]*)(?:[^\n]*?\bat ((?:https?|wss?):\/\/[^\s"']+))?/;
const CERTIFICATE = /CERT|SSL|SEC_ERROR|MOZILLA_PKIX/i;

/** A page or an API that the step could not reach: the step's own error says so. */
export function detectNavigation(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const found = NET_ERROR.exec(failed.message);
  if (!found) return [];
  const given = found[2] ?? failed.step?.params.url;
  const url = typeof given === "string" ? given : null;
  const isCertificate = CERTIFICATE.test(found[1]!);
  const said = wordsFor(found[1]!);
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null || /ERR_ABORTED/.test(found[1]!)) return [];
  return [
    {
      kind: isCertificate ? "browser_policy" : /REDIRECT/.test(found[1]!) ? "redirected" : "request_failed",
      title:
        url === null
          ? `The server could not be reached: ${said}`
          : `${addressOf(url, { authority: null })} could not be opened: ${statusOf(evidence, url) ?? said}${circleOf(evidence, url)}${otherBase(evidence)}${strangeBase(evidence, found[1]!)}${cutOffBy(evidence)}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: isNew(evidence, () => false),
      weight: 0.95,
      ...(url !== null && { about: aboutUrl(url, run.facts) }),
    },
  ];
}

const MOST_HOPS = 4;

/** The addresses that lead to one another. */
function circleOf({ run: { facts }, failed }: Evidence, url: string): string {
  const hops = facts.exchanges.filter(
    ({ status, ts, type }) =>
      type === "document" &&
      status !== null &&
      status >= 300 &&
      status < 400 &&
      ts >= failed.from - 50 &&
      ts <= failed.to + 50,
  );
  const authority = URL.parse(url)?.host ?? null;
  const places = [...new Set(hops.map((one) => addressOf(one.url, { authority })))];
  if (places.length === 0) return "";
  const [first, ...others] = places.slice(0, MOST_HOPS);
  return others.length === 0
    ? `: ${first} leads to itself`
    : `: ${first} leads to ${others.join(", that to ")}, and so on`;
}

const EMPTY_ERROR = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";

/** The status of an answer without a page, of which the browser says no more than that it was an error. */
function statusOf({ run, failed }: Evidence, url: string): string | null {
  if (!failed.message.includes(EMPTY_ERROR)) return null;
  const one = run.facts.exchanges.findLast(
    ({ type, url: asked, status }) => type === "document" && asked === url && status !== null,
  );
  return one ? `it was answered with ${one.status} and no page` : null;
}

/** Where a page is not there that the test opens by its base URL, and nothing else was there before, that this may be another server's. */
function strangeBase({ run, failed, passes }: Evidence, error: string): string {
  const given = failed.step?.params.url;
  const isFound = run.facts.exchanges.some(
    ({ type, status }) => type === "document" && status !== null && status < 400,
  );
  return error === EMPTY_ERROR &&
    passes.length === 0 &&
    typeof given === "string" &&
    given.startsWith("/") &&
    !isFound
    ? "; the base URL of the run may be that of another server"
    : "";
}

/** The step by which the test itself had cut the connection, as a clause; empty where it had not. */
function cutOffBy({ run: { facts }, failed }: Evidence): string {
  const step = facts.steps.findLast(({ name, ts }) => /(?:^|\.)setOffline$/i.test(name) && ts <= failed.from);
  return step && String(step.params.offline) === "true"
    ? `; the test itself had cut the connection ${lapse(failed.from - step.ts)} before (${quotedStep(step)})`
    : "";
}

/** The address that the test begins at, where none of the passes had it. */
function otherBase({ run, passes }: Evidence): string {
  const [now, before] = [run, passes[0]].map((one) => one?.environment.base_url);
  const isOther = typeof now === "string" && passes.every(({ environment }) => environment.base_url !== now);
  if (!isOther || typeof before !== "string") return "";
  return `; the base URL is ${quoted(now, 80)}, in the last pass it was ${quoted(before, 80)}`;
}

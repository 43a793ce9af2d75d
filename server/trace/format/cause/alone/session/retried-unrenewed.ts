import { FOR_RENEWAL } from "../../cookie-terms.ts";
import { isFailedExchange } from "../../detectors/requests/requests.ts";
import type { Exchange } from "../../run-facts.ts";
import { CHANGING } from "../../sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bodyOf, headerOf, pathOf, requestOf } from "../../words.ts";

const MOST = 200;

/** A request that was refused, and was refused again with the very token of the first time, though a new one had been asked for and given in between. */
export function detectRetriedUnrenewed(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const sent = run.facts.exchanges.filter(({ ts }) => ts <= failed.to).slice(-MOST);
  const again = sent.findLast((one) => tokenOf(one) !== null && one.status === 401);
  const before =
    again &&
    sent.findLast(
      (one) =>
        one.seq < again.seq &&
        one.status === 401 &&
        one.method === again.method &&
        one.url === again.url &&
        tokenOf(one) === tokenOf(again),
    );
  const renewed =
    before &&
    sent.find(
      (one) =>
        one.ts >= before.ts &&
        (one.end ?? one.ts) <= again.ts &&
        isRenewal(one) &&
        GIVES_TOKEN.test(bodyOf(one, run.bodies) ?? "") &&
        !bodyOf(one, run.bodies)!.includes(bare(tokenOf(again)!)),
    );
  if (!again || !renewed) return [];
  const renewal = requestOf(renewed, run.facts);
  return [
    {
      kind: "request_failed",
      title: `${requestOf(again, run.facts)} was sent again with the same old token after ${renewal} had given a new one, and was answered with 401 again`,
      detail: null,
      step_id: again.step_id,
      events: [again.seq, renewed.seq],
      ts: again.end ?? again.ts,
      is_new: null,
      weight: 0.96,
      status: 401,
      about: `old token ${pathOf(again.url)}`,
    },
  ];
}

const tokenOf = ({ requestHeaders }: Exchange): string | null => headerOf(requestHeaders, "authorization");

/** A token without the word before it that says how it is meant. */
const bare = (token: string): string => token.split(" ").at(-1)!;

const isRenewal = (one: Exchange): boolean =>
  CHANGING.has(one.method) && FOR_RENEWAL.test(pathOf(one.url)) && !isFailedExchange(one);

const GIVES_TOKEN = /"\w{0,40}token\w{0,40}"\s*:/i;

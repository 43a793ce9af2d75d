import { requestText } from "../../exchanges/sent.ts";
import { isFill } from "../../page/field-values.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { isOwnWrite } from "../requests/empty-write.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 60;
const WHOLE = /^\d{1,6}$/;
/** Of less than two there are too many. */
const LEAST = 2;

/** A number that stands as it stood, where the test wants it to be more or less by just what it typed and what was sent and taken. */
export function detectNotAdded(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  if (!WHOLE.test(want!) || !WHOLE.test(got!) || want === got) return [];
  const by = Number(want) - Number(got);
  const typed = run.facts.steps.findLast(
    (step) => step.ts <= failed.from && isFill(step) && Math.abs(Number(step.params.value)) === Math.abs(by),
  );
  if (!typed || Math.abs(by) < LEAST) return [];
  const write = lastOf(
    run.facts.exchanges,
    MOST,
    (one) =>
      one.ts >= typed.ts &&
      one.ts <= failed.to &&
      isOwnWrite(one, run) &&
      saysNumber(one, String(typed.params.value), evidence),
  ).at(-1);
  if (!write || write.status === null || write.status >= 400 || isRefusedBy(write, run)) return [];
  const has = (number: number) => (one: Exchange) => isSaidBy(one, number, evidence);
  const isSince = (one: Exchange) => one.ts >= write.ts;
  const all = lastOf(run.facts.exchanges, MOST, (one) => one.ts <= failed.to);
  // What an answer has as it is wanted was changed: the page or another answer is behind.
  if (all.filter(isSince).some(has(Number(want)))) return [];
  if (!all.filter((one) => !isSince(one)).some(has(Number(got)))) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(write, run.facts)}, sent with ${quoted(String(typed.params.value), 20)} and answered with ${write.status}, did not change ${targetOf(evidence) || "what the page shows"}: that is still ${quoted(got!, 20)}, as before, where the test wants ${quoted(want!, 20)}, which is ${Math.abs(by)} ${by > 0 ? "more" : "less"}`,
      detail: null,
      step_id: write.step_id,
      events: [write.requestSeq ?? write.seq, typed.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.86,
    },
  ];
}

function saysNumber(one: Exchange, text: string, { run }: Evidence): boolean {
  const sent = requestText(one, run.bodies);
  const data = jsonOf(sent);
  return data === undefined
    ? [...new URLSearchParams(sent).values()].includes(text)
    : leavesOf(data).some(({ value }) => String(value) === text);
}

/** Whether an answer, or what was sent for it, has a number. */
const isSaidBy = (one: Exchange, number: number, { run }: Evidence): boolean =>
  [requestText(one, run.bodies), bodyOf(one, run.bodies) ?? ""].some((text) =>
    leavesOf(jsonOf(text)).some(({ value }) => value === number),
  );

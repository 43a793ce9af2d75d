import { oneLine } from "../../../error-text.ts";
import { isBefore } from "../../compare.ts";
import type { RunFacts, SocketCall } from "../../run/run-facts.ts";
import { answerOf } from "../../run/socket-calls.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, addressOf, bareOf, lapse, quoted } from "../../words.ts";

/** What products ask over a WebSocket: a question that was refused, never answered, or answered with what the test met. */
export function detectCalls(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const nths = new Map<string, number>();
  return facts.calls
    .filter((call) => isBefore(evidence, call.ts))
    .flatMap((call) => {
      const nth = nths.get(call.name) ?? 0;
      nths.set(call.name, nth + 1);
      const others = evidence.passes.map((pass) => callIn(pass, call.name, nth));
      const told =
        call.answer && isBefore(evidence, call.answer.ts)
          ? answered(evidence, call, others)
          : unanswered(evidence, call, others);
      return told === null ? [] : [finding(evidence, call, told)];
    })
    .slice(-MOST);
}

const MOST = 20;
const ONE_MS = 1_000;

interface Told {
  kind: "answer_changed" | "request_failed" | "request_pending";
  words: string;
  weight: number;
  is_new: boolean | null;
}

const callIn = ({ facts }: RunEvidence, name: string, nth: number): SocketCall | undefined =>
  facts.calls.filter((other) => other.name === name)[nth];

const socketOf = ({ exchanges }: RunFacts, { request_id: id }: SocketCall) =>
  exchanges.find(({ type, request_id }) => type === "websocket" && request_id === id);

function finding(
  { run: { facts } }: Evidence,
  call: SocketCall,
  { kind, words, weight, is_new }: Told,
): Finding {
  const socket = socketOf(facts, call);
  return {
    kind,
    title: `The WebSocket${socket ? ` ${addressOf(socket.url, facts)}` : ""} ${words}`,
    detail: null,
    step_id: call.step_id,
    events: [call.seq, ...(call.answer ? [call.answer.seq] : [])],
    ts: call.answer?.ts ?? call.ts,
    is_new,
    weight,
    about: socket ? aboutUrl(socket.url, facts, call.name) : `call ${call.name}`,
  };
}

function answered(evidence: Evidence, call: SocketCall, others: (SocketCall | undefined)[]): Told | null {
  const value = answerOf(call.answer!.text);
  const refusal = refusalIn(value);
  if (refusal !== null) {
    const usual = others.map((other) => refusalIn(answerOf(other?.answer?.text ?? "")));
    // Where the passes were refused as well, it is news only in other words.
    const before = usual.length > 0 && usual.every((words) => words !== null) ? usual[0]! : null;
    return {
      kind: "request_failed",
      words: `answered the call ${quoted(call.name, 60)} with a refusal: ${quoted(refusal, 160)}${before === null || before === refusal ? "" : `, where the last pass had ${quoted(before, 160)}`}`,
      weight: 0.93,
      is_new: usual.length === 0 ? null : !usual.includes(refusal),
    };
  }
  return others.length === 0 ? null : otherwise(evidence, call, value, others);
}

/** The value of an answer that the test met, in the place of the one that it wants and that every pass was given. */
function otherwise(
  { failed }: Evidence,
  call: SocketCall,
  value: unknown,
  others: (SocketCall | undefined)[],
): Told | null {
  const [want, got] = [bareOf(failed.expected ?? ""), bareOf(failed.received ?? "")];
  if (want === "" || got === "" || want === got) return null;
  const theirs = others.map(
    (other) =>
      new Map(leavesOf(answerOf(other?.answer?.text ?? "")).map((leaf) => [leaf.path, String(leaf.value)])),
  );
  const leaf = leavesOf(value).find(
    (one) => String(one.value) === got && theirs.every((leaves) => leaves.get(one.path) === want),
  );
  return leaf === undefined
    ? null
    : {
        kind: "answer_changed",
        words: `answered the call ${quoted(call.name, 60)} with ${quoted(got, 80)} for ${quoted(leaf.path, 80)}, where the last pass had ${quoted(want, 80)}`,
        weight: 0.88,
        is_new: true,
      };
}

function unanswered(evidence: Evidence, call: SocketCall, others: (SocketCall | undefined)[]): Told | null {
  const { run, failed } = evidence;
  const isClosed = run.facts.frames.some(
    ({ request_id: id, opcode, ts }) => id === call.request_id && opcode === 8 && ts <= failed.to,
  );
  const waited = failed.to - call.ts;
  // What is asked to no end is never answered; what the passes were answered, or another call of this socket, is.
  const isUsual =
    others.length > 0
      ? others.every((other) => other?.answer != null)
      : run.facts.calls.some(({ request_id: id, answer }) => id === call.request_id && answer !== null);
  if (isClosed || !isUsual || waited < ONE_MS) return null;
  return {
    kind: "request_pending",
    words: `had not answered the call ${quoted(call.name, 60)} after ${lapse(waited)}, when the step gave up`,
    weight: others.length > 0 ? 0.9 : 0.74,
    is_new: others.length > 0 ? true : null,
  };
}

/** Why a question was refused, in the server's words; null where it was not. */
function refusalIn(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const { error } = value;
  const isRefused =
    value.ok === false ||
    value.success === false ||
    value.status === "error" ||
    (error !== undefined && error !== null && error !== false && error !== "");
  if (!isRefused) return null;
  const inner = isRecord(error) ? error : value;
  const words = [inner.message, inner.msg, inner.reason, inner.detail, error].find(
    (one) => typeof one === "string" && one !== "",
  );
  return typeof words === "string" ? oneLine(words) : "it says no more";
}

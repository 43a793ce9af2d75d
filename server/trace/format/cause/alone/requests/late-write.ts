import { isStoring, mayRead, requestBodyOf } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, isForeign, lapse, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { TYPES } from "./search.ts";
import { holds } from "./sought.ts";
import { readableAddress, textOf } from "./unsaid.ts";

const MOST = 60;
const SHORTEST = 3;

/** What the test typed and then read as it was before: the write with it was sent only after it had been asked for, or not at all. */
export function detectLateWrite(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  if (want.length < SHORTEST || got.length < SHORTEST || holds(got, want)) return [];
  const typed = facts.steps.findLast(
    (step) => TYPES.test(step.name) && !step.isFailed && step.end <= failed.from && textOf(step) === want,
  );
  if (!typed) return [];
  const read = answersBefore(evidence, MOST, (one) => one.ts > typed.end && isData(one, run)).findLast(
    (one) => {
      const body = bodyOf(one, run.bodies) ?? "";
      return holds(body, got) && !holds(body, want);
    },
  );
  if (!read) return [];
  const writes = facts.exchanges.filter(
    (one) =>
      one !== read &&
      one.ts >= typed.ts &&
      isStoring(one, run) &&
      !isBeside(one) &&
      !isForeign(one.url, facts),
  );
  const isOf = (one: Exchange) =>
    leavesOf(requestBodyOf(one, run)).some(({ value }) => holds(String(value), want));
  // One that was sent without it, or with what was not kept, is told of otherwise.
  if (writes.some((one) => one.ts <= read.ts)) return [];
  // A question has it in its address; over a socket it goes without a request.
  const isSaid =
    facts.exchanges.some((one) => one.ts >= typed.ts && holds(readableAddress(one), want)) ||
    [...facts.spoken.values()].flat().some(({ ts }) => ts >= typed.ts && ts <= read.ts);
  if (isSaid) return [];
  const late = writes.find(isOf);
  const asked = requestOf(read, facts);
  return [
    {
      kind: "request_unsent",
      title: late
        ? `${requestOf(late, facts)} was sent with ${quoted(want, 80)} only ${lapse(late.ts - read.ts)} after ${asked}, which answered with what was there before (${quoted(got, 60)})`
        : `Nothing had been sent yet with ${quoted(want, 80)}, which the test had typed, when ${asked} was asked: it answered with what was there before (${quoted(got, 60)})`,
      detail: null,
      step_id: typed.step_id,
      events: late ? [late.seq, read.seq, typed.seq] : [read.seq, typed.seq],
      ts: read.end ?? read.ts,
      is_new: null,
      weight: late ? 0.95 : 0.9,
      about: aboutUrl(read.url, facts, read.operation),
    },
  ];
}

const isData = (one: Exchange, run: RunEvidence): boolean =>
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") && mayRead(one, run);

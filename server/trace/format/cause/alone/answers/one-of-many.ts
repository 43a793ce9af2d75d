import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isWrite, requestText } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";

const MOST = 20;
const NUMBER = /\d+/;

/** A write was sent with several values of one field, and what the test reads is that one thing was done: the server took one of them. */
export function detectOneOfMany(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const count = Number(NUMBER.exec(want!)?.[0]);
  if (!(count > 1) || got !== want!.replace(NUMBER, "1")) return [];
  const last = answersBefore(evidence, MOST, (one) => one.type !== "api" && isWrite(one, run)).at(-1);
  const name = last && listsSent(last, run).find(([, length]) => length === count)?.[0];
  return last && name !== undefined
    ? [
        answerFinding(
          evidence,
          last,
          `${requestOf(last, run.facts)} was sent with ${count} ${quoted(name, 40)}, and only one of them was taken: the page says ${quoted(got, 60)} where the test wants ${quoted(want!, 60)}`,
          0.96,
        ),
      ]
    : [];
}

/** What a request has several of, with how many: lists of JSON, and fields of a form that are there more than once. */
function listsSent(one: Exchange, { bodies }: RunEvidence): [name: string, length: number][] {
  const text = requestText(one, bodies);
  const data = jsonOf(text);
  if (isRecord(data))
    return Object.entries(data).flatMap(([name, value]): [string, number][] =>
      Array.isArray(value) ? [[name, value.length]] : [],
    );
  const fields = new URLSearchParams(text);
  return [...new Set(fields.keys())].map((name) => [name, fields.getAll(name).length]);
}

import { givenIn, isNoValue, requestText, SECRET } from "../../exchanges/sent.ts";
import { fieldsOf } from "../../exchanges/sent-form.ts";
import { isFill } from "../../page/field-values.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { GESTURES } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { quoted, quotedStep, requestOf } from "../../words.ts";
import { isOwnWrite } from "../requests/empty-write.ts";
import { bareName } from "../requests/last-write.ts";
import { textOf } from "../requests/unsaid.ts";

/** What a click sends, it sends within this, ms. */
const SENT_WITHIN_MS = 1_000;

/** A button that the test pressed before it had filled in the field that this sends: the field was sent empty, and what was typed afterwards was never sent. */
export function detectPressedFirst({ run, failed }: Evidence): Finding[] {
  const { facts } = run;
  const acts = facts.steps.filter(
    ({ kind, name, isFailed, ts }) =>
      kind === "agent.action" && GESTURES.test(name) && !isFailed && ts <= failed.from,
  );
  const fill = acts.at(-1);
  const text = fill && isFill(fill) ? textOf(fill) : null;
  const pressed = acts.findLast((one) => !isFill(one));
  if (!fill || !text || !pressed || pressed.ts >= fill.ts) return [];
  const write = facts.exchanges.findLast(
    (one) => one.ts >= pressed.ts && one.ts <= pressed.end + SENT_WITHIN_MS && isOwnWrite(one, run),
  );
  const name = write && emptyFieldOf(write, fill, run);
  if (!name) return [];
  const isSent = facts.exchanges.some(
    (one) => one.ts >= pressed.ts && requestText(one, run.bodies).includes(text),
  );
  if (isSent) return [];
  return [
    {
      kind: "test_code",
      title: `${quotedStep(pressed)} came before ${quotedStep(fill)}: ${requestOf(write, facts)} was sent with an empty ${quoted(name, 40)}${write.status === null ? "" : ` (answered with ${write.status})`}, and what was typed afterwards was never sent`,
      detail: null,
      step_id: pressed.step_id,
      events: [pressed.seq, write.requestSeq ?? write.seq, fill.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.94,
    },
  ];
}

/** The name under which a write has nothing, where it goes by a word of the field that was filled in. */
function emptyFieldOf(one: Exchange, { title, params }: Step, run: RunEvidence): string | undefined {
  const text = requestText(one, run.bodies);
  const said =
    jsonOf(text) === undefined
      ? (fieldsOf(text, one) ?? []).map(([path, value]) => ({ path, value }))
      : leavesOf(givenIn(one, run));
  const words = `${title} ${String(params.selector ?? "")}`.toLowerCase();
  return said.find(
    ({ path, value }) =>
      (value === "" || isNoValue(value)) &&
      !SECRET.test(path) &&
      words.includes(bareName(path).toLowerCase()),
  )?.path;
}

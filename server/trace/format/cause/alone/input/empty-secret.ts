import { isWrite } from "../../exchanges/sent.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import type { Step } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isTracker, quoted } from "../../words.ts";
import { isReport } from "../requests/reports.ts";

const MOST = 200;
const FILLS = /(?:^|\.)fill$/;
/** What tests call a field for what only they know, which is given to them from outside. */
const SECRET = /passw|passcode|passphrase|secret|\btoken\b|\bpin\b|api.?key/i;

/** A password that the test filled in as an empty text, where the sign-in was refused or never sent: what it was to be filled with is not set. */
export function detectEmptySecret(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { steps, exchanges } = run.facts;
  const filled = lastOf(steps, MOST, ({ ts }) => ts <= failed.from).findLast(
    (step) => FILLS.test(step.name) && !step.isFailed && SECRET.test(fieldOf(step)),
  );
  if (filled?.params.value !== "" || isCleared(filled, steps)) return [];
  const writes = exchanges.filter(
    (one) =>
      one.ts >= filled.ts &&
      one.ts <= failed.to &&
      isWrite(one, run) &&
      !isTracker(one.url) &&
      !isReport(run, one),
  );
  if (writes.length > 0 && !writes.some(isFailedExchange)) return [];
  return [
    {
      kind: "test_code",
      title: `The test filled an empty text into ${quoted(fieldOf(filled), 60)}: the password or secret that it was to give is not set or empty${writes.length === 0 ? "; the form was not sent" : ""}`,
      detail: null,
      step_id: filled.step_id,
      events: [filled.seq],
      ts: filled.end,
      is_new: null,
      weight: 0.96,
    },
  ];
}

/** Whether the field had been given something before: then it was emptied on purpose. */
const isCleared = (filled: Step, steps: readonly Step[]): boolean =>
  steps.some(
    (step) =>
      step.seq < filled.seq &&
      step.params.selector === filled.params.selector &&
      FILLS.test(step.name) &&
      step.params.value !== "",
  );

/** The name of the field as its locator has it. */
const fieldOf = ({ title, params: { value } }: Step): string =>
  title
    .replace(/^Fill /, "")
    .replace(JSON.stringify(value ?? ""), "")
    .trim();

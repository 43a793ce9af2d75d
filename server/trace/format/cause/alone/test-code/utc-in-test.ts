import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

/** An hour, or the beginning of a time of the day. */
const HOUR = /(?<![\d:])([01]?\d|2[0-3]):(?=\D|$|[0-5]\d)/;
const IN_UTC = /\b(toISOString|toUTCString|getUTCHours)\(/;
/** Lines before the failed one in which what it compares may be made. */
const LINES_BEFORE = 5;
/** No zone is further from UTC. */
const MOST_HOURS = 14;

/** A time that the test itself makes by UTC, where the page shows another hour of its own zone. */
export function detectUtcInTest({ run, failed }: Evidence): Finding[] {
  const { step } = failed;
  const [want, got] = [failed.expected, failed.received].map((text) => HOUR.exec(bareOf(text ?? ""))?.[1]);
  if (!step || want === undefined || got === undefined) return [];
  const apart = Math.abs(Number(want) - Number(got));
  const frame = step.stack.find(({ file }) => run.sources?.has(file));
  const lines = frame ? run.sources!.get(frame.file)!.split("\n") : [];
  const made = frame
    ? IN_UTC.exec(lines.slice(Math.max(0, frame.line - 1 - LINES_BEFORE), frame.line).join("\n"))?.[1]
    : undefined;
  if (made === undefined || apart === 0 || Math.min(apart, 24 - apart) > MOST_HOURS) return [];
  return [
    {
      kind: "time",
      title: `The test expects ${quoted(bareOf(failed.expected!), 40)}, which its code makes in UTC (${made}), and the page shows ${quoted(bareOf(failed.received!), 80)} by its own time zone`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.9,
    },
  ];
}

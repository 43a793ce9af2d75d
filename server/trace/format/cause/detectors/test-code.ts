import { headline, oneLine } from "../../error-text.ts";
import type { Evidence, Finding } from "../types.ts";

const LIBRARY =
  /^(?:expect\b|expect\(|locator\.|page\.|frame\.|browser\w*\.|elementHandle\.|apiRequestContext\.|Test timeout|"\w+" hook timeout|Timeout|TimeoutError|strict mode violation|net::|Target |Error: (?:expect|locator|page)\b|Timed out|.* Timeout \d+ms exceeded|Tearing down|Navigation)/i;
const THROWN = /^(?:\w*(?:Error|Exception))\b:?/;

/** An error that the test's own code threw: in a helper, a fixture, a hook. */
export function detectTestCode({ failed, run, passes }: Evidence): Finding[] {
  const { step, message } = failed;
  const seq = step?.seq ?? run.facts.lastSeq;
  const said = oneLine(headline(message));
  if (seq === null || said === "" || LIBRARY.test(said) || step?.kind === "assertion") return [];
  // A step of the library fails by its own words; what comes without one, or in a step of the runner, the test threw.
  const isTests = step === null || step.category !== null;
  if (!isTests || (step === null && /^The run ended as/.test(said))) return [];
  const frame = step?.stack.find(({ file }) => !/node_modules|^node:|^internal/.test(file));
  const place = frame ? ` at ${frame.file.split(/[\\/]/).slice(-2).join("/")}:${frame.line}` : "";
  return [
    {
      kind: "test_code",
      title: `The test's own code threw ${said}${place}`,
      detail: message,
      step_id: step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: THROWN.test(said) ? 0.78 : 0.66,
    },
  ];
}

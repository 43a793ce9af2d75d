import { headline, oneLine } from "../../../error-text.ts";
import { framesIn } from "../../run/error-frames.ts";
import type { Evidence, Finding } from "../../types.ts";

const LIBRARY =
  /^(?:expect\b|expect\(|locator\.|page\.|frame\.|browser\w*\.|elementHandle\.|apiRequestContext\.|Test timeout|"\w+" hook timeout|Timeout|TimeoutError|strict mode violation|net::|Target |Error: (?:expect|locator|page)\b|Timed out|.* Timeout \d+ms exceeded|Tearing down|Navigation)/i;
const THROWN = /^(?:\w*(?:Error|Exception))\b:?/;

/** An error that the test's own code threw: in a helper, a fixture, a hook. */
export function detectTestCode(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const { step, message } = failed;
  const seq = step?.seq ?? run.facts.lastSeq;
  const said = oneLine(headline(message));
  if (seq === null || said === "" || LIBRARY.test(said) || step?.kind === "assertion") return [];
  // A step of the library fails by its own words; what comes without one, or in a step of the runner, the test threw.
  const isTests = step === null || step.category !== null;
  if (!isTests || (step === null && /^The run ended as/.test(said))) return [];
  const place = placeOf(evidence.failed);
  return [
    {
      kind: "test_code",
      title: `The test's own code threw ${said}${place === null ? "" : ` at ${place}`}`,
      // What it says on one line, the title says.
      detail: oneLine(message) === said ? null : message,
      step_id: step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: THROWN.test(said) ? 0.78 : 0.66,
    },
  ];
}

const FOREIGN = /node_modules|^node:|^internal|^native/;

/** The first place of the error in the test's own code: `helpers/cart.ts:12`. */
function placeOf({ step, stack }: Evidence["failed"]): string | null {
  const frame = [...framesIn(step?.errorStack ?? ""), ...stack, ...(step?.stack ?? [])].find(
    ({ file }) => !FOREIGN.test(file),
  );
  return frame ? `${frame.file.split(/[\\/]/).slice(-2).join("/")}:${frame.line}` : null;
}

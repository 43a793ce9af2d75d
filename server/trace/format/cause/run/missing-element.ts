import type { Evidence } from "../types.ts";
import { isGoneFromScenario } from "./scenario-words.ts";

const NO_ELEMENT = /element\(s\) not found|<element\(s\) not found>|unable to find|no element matches/i;

/** Whether the step waited for an element that never came. */
export function isMissing({ failed }: Pick<Evidence, "failed">): boolean {
  const log = failed.step?.log ?? [];
  if (NO_ELEMENT.test(failed.message) || isGoneFromScenario(failed)) return true;
  // What was received was read from an element.
  if (failed.received !== null && failed.received !== "hidden") return false;
  const hasWaited =
    log.some((line) => /waiting for /.test(line)) ||
    /waiting for (?:locator|get|selector)/i.test(failed.message);
  const hasFound = [...log, failed.message].some((line) =>
    /resolved to|intercepts pointer|element is |waiting for element to be|did not find some options/.test(
      line,
    ),
  );
  return hasWaited && !hasFound && isLocated(failed);
}

const isLocated = ({ step, message }: Evidence["failed"]) =>
  step === null ||
  typeof step.params.selector === "string" ||
  /locator|getBy|selector/i.test(message + step.title);

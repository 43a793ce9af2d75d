import type { Evidence } from "../types.ts";

/** Whether the test wants none of what it found. */
export const isOneTooMuch = ({
  failed: { step, message, expected, received },
}: Pick<Evidence, "failed">): boolean =>
  /\btoHaveCount\b/.test(`${step?.name} ${message}`) && expected === "0" && /^[1-9]\d*$/.test(received ?? "");

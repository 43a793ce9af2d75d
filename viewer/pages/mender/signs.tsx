import type { JSX } from "preact";
import { percentDigits } from "../../ui/format.ts";
import { CheckCircle, CrossCircle, type Icon, Pause, Play, Tick } from "../../ui/icons.tsx";
import type { AttemptAnswer } from "./api.ts";

type Status = AttemptAnswer["status"];
type Classification = AttemptAnswer["classification"];

const STATUS: Record<Status, { word: string; icon: Icon; tone: string }> = {
  proposed: { word: "Not verified", icon: Pause, tone: "is-quiet" },
  verified: { word: "Verified", icon: CheckCircle, tone: "is-passed" },
  applied: { word: "Applied", icon: Tick, tone: "is-passed" },
  rejected: { word: "Rejected", icon: CrossCircle, tone: "is-quiet" },
  failed: { word: "No fix", icon: CrossCircle, tone: "is-quiet" },
};

const STAGES: Record<AttemptAnswer["stage"], string> = {
  diagnosing: "Looking",
  repeating: "Repeating",
  verifying: "Verifying",
  ended: "",
};

/** Icon and word: the status never lies in the colour alone. */
export function AttemptStatus({
  attempt,
}: {
  attempt: Pick<AttemptAnswer, "status" | "stage">;
}): JSX.Element {
  const { word, icon: StatusIcon, tone } = STATUS[attempt.status];
  const isOpen = attempt.stage !== "ended";
  return (
    <span class={`status ${isOpen ? "is-running" : tone}`}>
      {isOpen ? <Play /> : <StatusIcon />}
      <span class="status-word">{isOpen ? STAGES[attempt.stage] : word}</span>
    </span>
  );
}

const CLASSES: Record<Classification, { word: string; said: string }> = {
  locator_drift: {
    word: "Element changed",
    said: "The product changed an element, and the scenario has not followed yet",
  },
  assertion_drift: {
    word: "Wording changed",
    said: "The product changed its wording, and the scenario has not followed yet",
  },
  timing: { word: "Too slow", said: "The product is slower than the scenario waits" },
  network_failure: {
    word: "Request failed",
    said: "A request failed: nothing of the scenario is to be changed",
  },
  app_regression: {
    word: "Product broken",
    said: "The product is broken: nothing of the scenario is to be changed",
  },
  flake: { word: "Flaky", said: "It fails now and then, without a change" },
  unknown: { word: "Unknown", said: "What it is could not be told" },
};

export const STATUSES = Object.keys(STATUS) as Status[];
export const statusWord = (status: Status): string => STATUS[status].word;
export const classWord = (of: Classification): string => CLASSES[of].word;
export const classSaid = (of: Classification): string => CLASSES[of].said;
export const percent = (share: number): string => `${percentDigits(share * 100)} %`;

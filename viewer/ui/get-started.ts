import { signal } from "@preact/signals";
import type { OnboardingStatus } from "../../server/identity/onboarding/model.ts";
import { getJson } from "../api/request.ts";
import { recall, remember } from "./storage.ts";

/** How many steps to the first watched scenario are done; null while that is not known, and once it is of no interest any more. */
export const progress = signal<{ done: number; total: number } | null>(null);

/** What keeps the way out of the navigation: that it is walked, or that somebody wants it gone. */
const KEY = "start";
let isAsked = false;

/** Asks once for each document, and never again when it is over. */
export async function loadProgress(): Promise<void> {
  if (isAsked || recall(KEY) !== null) return;
  isAsked = true;
  try {
    tellProgress(await getJson<OnboardingStatus>("/v1/onboarding/status"));
  } catch {
    // The navigation is there without it too: what the page itself asks for says what is wrong.
  }
}

/** Takes over what the page of the steps has learnt. */
export function tellProgress({ steps }: OnboardingStatus): void {
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) remember(KEY, "done");
  progress.value = recall(KEY) === null ? { done, total: steps.length } : null;
}

/** Whether somebody has put it away. */
export const isPutAway = (): boolean => recall(KEY) === "hidden";

/** Takes the way out of the navigation, in this browser, or puts it back. */
export function putAway(isAway: boolean): void {
  remember(KEY, isAway ? "hidden" : null);
  if (isAway) progress.value = null;
}

/** Another org has a way of its own. */
export const forgetProgress = (): void => remember(KEY, null);

import type { Finding } from "../types.ts";
import { titleWithin } from "../words.ts";
import type { Scene } from "./scene.ts";

/** What a rule makes of a finding, as the rules before it left it. */
export type Change = (told: Finding) => Finding;

/** Looks at one finding beside all others. @returns null where it has nothing to say of it */
export type Rule = (finding: Finding, scene: Scene) => Change | null;

/** Something else explains it. */
export const explained: Change = (told) => ({ ...told, weight: told.weight * 0.85 });

export const lessBy =
  (factor: number): Change =>
  (told) => ({ ...told, weight: told.weight * factor });

export const all =
  (...changes: Change[]): Change =>
  (told) =>
    changes.reduce((one, change) => change(one), told);

export const atLeast =
  (weight: number): Change =>
  (told) => ({ ...told, weight: Math.max(told.weight, weight) });

/** It is told with a clause more, and with the events that show that. */
export const say =
  (words: string, ...events: number[]): Change =>
  (told) => ({
    ...told,
    // What an answer said may have ended as a sentence.
    title: `${told.title.replace(/(?<!\.)\.$/, "")}; ${words}`,
    events: [...told.events, ...events],
  });

/** It is told together with what it came of. */
export const because = (cause: Finding): Change => say(titleWithin(cause.title), ...cause.events);

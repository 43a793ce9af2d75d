import type { Frame, Locator, Page } from "playwright-core";
import type { Target } from "../language/ast.ts";
import { ask } from "./ask.ts";
import { chooseBy, type Fingerprint, type Heal, readFingerprints, showFingerprint } from "./fingerprint.ts";
import { showTarget } from "./targets.ts";

/** What a run knows of the elements of its scenario, and what it learns of them. */
export interface Elements {
  /** By element, as `name` gives it: of earlier passes. */
  known: Readonly<Record<string, Fingerprint>>;
  /** Of this run. */
  seen: Record<string, Fingerprint>;
  heals: Heal[];
  /** False where the scenario wants its targets as they are written (`cache: never`). */
  mayHeal: boolean;
  /** How the next use of a target is called: a scenario may use the same one for several elements. */
  name(target: Target): string;
}

export function createElements(known: Elements["known"], mayHeal: boolean): Elements {
  const uses = new Map<string, number>();
  return {
    known,
    seen: {},
    heals: [],
    mayHeal,
    name(target) {
      const shown = showTarget(target);
      const use = (uses.get(shown) ?? 0) + 1;
      uses.set(shown, use);
      return use === 1 ? shown : `${shown} #${use}`;
    },
  };
}

export type Healed =
  | { type: "healed"; locator: Locator; frame: Frame; to: string; why: string }
  | { type: "unclear"; count: number }
  | { type: "none" };

/** Looks for the one element that is what earlier passes saw, in the page or in a frame of it. */
export async function findByFingerprint(page: Page, known: Fingerprint): Promise<Healed> {
  const candidates: { locator: Locator; frame: Frame; fingerprint: Fingerprint }[] = [];
  for (const frame of page.frames()) {
    const all = frame.locator(known.tag).filter({ visible: true });
    const found = (await ask<Fingerprint[]>(all, String(readFingerprints))) ?? [];
    for (const [index, fingerprint] of found.entries())
      candidates.push({ locator: all.nth(index), frame, fingerprint });
  }
  const choice = chooseBy(
    known,
    candidates.map(({ fingerprint }) => fingerprint),
  );
  if (choice.type === "none") return { type: "none" };
  if (choice.type === "several") return { type: "unclear", count: choice.count };
  const { locator, frame, fingerprint } = candidates[choice.index]!;
  return { type: "healed", locator, frame, to: showFingerprint(fingerprint), why: choice.why };
}

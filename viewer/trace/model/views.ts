import { recall, remember } from "../../ui/storage.ts";

/** The forms in which the stage shows an instant. */
export const VIEWS = ["page", "screenshot", "replay", "video"] as const;
export type View = (typeof VIEWS)[number];

/** Of a step: the page before it, when it acted, after it. */
export const MOMENTS = ["before", "action", "after"] as const;
export type Moment = (typeof MOMENTS)[number];

const KEY = "stage.view";

const isView = (text: string | null): text is View => VIEWS.some((view) => view === text);

/** What the reader looked at last, in any trace. */
export function preferredView(): View | null {
  const kept = recall(KEY);
  return isView(kept) ? kept : null;
}

export const preferView = (view: View): void => remember(KEY, view);

/**
 * The view wanted of those that there are: the address's, the reader's usual one, the first that is good. A picture that
 * is older than the page's last state (`isShotStale`) may show the opposite of it: then the page itself comes first.
 */
export function chooseView(
  wanted: View | null,
  preferred: View | null,
  { there, isShotStale }: { there: readonly View[]; isShotStale: boolean },
): View {
  const usual: View[] = ["screenshot", "page", "replay", "video"];
  const ways = isShotStale ? [wanted, "page" as const, preferred, ...usual] : [wanted, preferred, ...usual];
  return ways.find((view) => view && there.includes(view)) ?? "screenshot";
}

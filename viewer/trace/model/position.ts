import { computed, signal } from "@preact/signals";
import { type Address, readAddress } from "./address.ts";
import type { TabId } from "./tabs.ts";
import { preferredView } from "./views.ts";

/** Where the reader is in a trace: what the page's address holds, and what it opens with. */
export function createPosition(query: URLSearchParams) {
  const start = readAddress(query);
  const stepId = signal(start.step);
  /** Milliseconds since the origin; null stands at the end of the step. */
  const t = signal(start.t);
  const relativeWindow = signal(start.window);
  const tab = signal<TabId | null>(start.tab);
  const eventSeq = signal(start.event);
  const wantedView = signal(start.view);
  const usualView = signal(preferredView());
  const moment = signal(start.moment);
  return {
    stepId,
    t,
    relativeWindow,
    tab,
    eventSeq,
    wantedView,
    usualView,
    moment,
    /** Nothing was picked: a running trace shows its newest step. */
    isFollowing: computed(() => stepId.value === null && t.value === null),
    address: computed<Address>(() => ({
      step: stepId.value,
      t: t.value,
      window: relativeWindow.value,
      tab: tab.value,
      event: eventSeq.value,
      view: wantedView.value,
      moment: moment.value,
    })),
    apply(wanted: Address): void {
      stepId.value = wanted.step;
      t.value = wanted.t;
      const before = relativeWindow.peek();
      if (before?.join() !== wanted.window?.join()) relativeWindow.value = wanted.window;
      tab.value = wanted.tab;
      eventSeq.value = wanted.event;
      wantedView.value = wanted.view;
      moment.value = wanted.moment;
    },
  };
}

export type Position = ReturnType<typeof createPosition>;

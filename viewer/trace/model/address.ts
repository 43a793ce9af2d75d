import { TABS, type TabId } from "./tabs.ts";
import { MOMENTS, type Moment, VIEWS, type View } from "./views.ts";

/** The part of the trace page that its address holds. Times are milliseconds since the trace's first event. */
export interface Address {
  step: string | null;
  t: number | null;
  window: readonly [number, number] | null;
  tab: TabId | null;
  /** Sequence number of the event opened in the tab. */
  event: number | null;
  /** Form in which the stage shows the instant. */
  view: View | null;
  /** Of the step. */
  moment: Moment | null;
}

const integer = (text: string | null): number | null =>
  text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null;

/** Reads the address; what makes no sense is absent. */
export function readAddress(params: URLSearchParams): Address {
  const [from, to] = (params.get("w") ?? "").split("~").map(integer);
  const tab = params.get("tab");
  return {
    step: params.get("step"),
    t: integer(params.get("t")),
    window: from != null && to != null && to > from ? [from, to] : null,
    tab: TABS.find((entry) => entry.id === tab)?.id ?? null,
    event: integer(params.get("event")),
    view: VIEWS.find((view) => view === params.get("view")) ?? null,
    moment: MOMENTS.find((moment) => moment === params.get("moment")) ?? null,
  };
}

export function writeAddress(address: Address): Record<string, string | null> {
  return {
    step: address.step,
    t: address.t === null ? null : String(Math.round(address.t)),
    w: address.window ? address.window.map(Math.round).join("~") : null,
    tab: address.tab,
    event: address.event === null ? null : String(address.event),
    view: address.view,
    moment: address.moment,
  };
}

/** The panels beside the page, in order; `key` follows `g` on the keyboard. */
export const TABS = [
  { id: "error", title: "Error", key: "r" },
  { id: "network", title: "Network", key: "n" },
  { id: "console", title: "Console", key: "c" },
  { id: "call", title: "Call", key: "l" },
  { id: "expects", title: "Expects", key: "x" },
  { id: "thoughts", title: "Thoughts", key: "t" },
  { id: "world", title: "World", key: "w" },
  { id: "storage", title: "Storage", key: "s" },
  { id: "attachments", title: "Files", key: "f" },
  { id: "events", title: "Events", key: "e" },
  { id: "metadata", title: "Info", key: "i" },
  { id: "inspect", title: "Inspect", key: "p" },
] as const;

export type Tab = (typeof TABS)[number];
export type TabId = Tab["id"];

/** The kinds of the world around the page that a scenario moves or looks at. */
export const isWorldKind = (kind: string): boolean =>
  kind.startsWith("clone.") || kind.startsWith("clock.") || kind.endsWith("_injection");

/** What a panel needs for it to be of use; panels that are not named are of use in every trace. */
const NEEDS: Partial<Record<TabId, (kind: string) => boolean>> = {
  expects: (kind) => kind === "assertion",
  thoughts: (kind) => kind === "agent.thought",
  world: isWorldKind,
  inspect: (kind) => kind === "dom.snapshot",
  storage: (kind) => kind === "storage.state" || kind === "network.request" || kind === "network.response",
};

/** The panels of a trace with these counts of events per kind; `current` is among them whatever it has. */
export function tabsOf(counts: Record<string, number>, current: TabId | null): readonly Tab[] {
  const kinds = Object.keys(counts).filter((kind) => (counts[kind] ?? 0) > 0);
  return TABS.filter(({ id }) => {
    const needs = NEEDS[id];
    return !needs || id === current || kinds.some(needs);
  });
}

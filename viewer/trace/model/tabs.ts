/** The panels beside the page, in order; `key` follows `g` on the keyboard. */
export const TABS = [
  { id: "error", title: "Error", key: "r" },
  { id: "network", title: "Network", key: "n" },
  { id: "console", title: "Console", key: "c" },
  { id: "call", title: "Call", key: "l" },
  { id: "events", title: "Events", key: "e" },
  { id: "metadata", title: "Info", key: "i" },
  { id: "attachments", title: "Files", key: "f" },
] as const;

export type TabId = (typeof TABS)[number]["id"];

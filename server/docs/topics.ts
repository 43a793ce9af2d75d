/** How topics are grouped in the list of them, in this order. */
export const GROUPS = ["Tasks", "Reference", "The project"] as const;

export interface WrittenTopic {
  /** Its name in the address: `/docs/<name>`. */
  name: string;
  group: (typeof GROUPS)[number];
  /** The Markdown file, from the top of the source. */
  file: string;
}

const inDocs = (name: string, group: WrittenTopic["group"]): WrittenTopic => ({
  name,
  group,
  file: `viewer/docs/${name}.md`,
});

/** What people wrote. The rest of the topics is made from the program; see `service.ts`. */
export const WRITTEN: readonly WrittenTopic[] = [
  inDocs("start", "Tasks"),
  inDocs("failed-test", "Tasks"),
  inDocs("share", "Tasks"),
  inDocs("scenarios", "Tasks"),
  inDocs("playwright", "Tasks"),
  inDocs("ci", "Tasks"),
  inDocs("gate", "Tasks"),
  inDocs("watch", "Tasks"),
  inDocs("mender", "Tasks"),
  inDocs("code-host", "Tasks"),
  inDocs("find", "Tasks"),
  inDocs("ask", "Tasks"),
  inDocs("host", "Tasks"),
  inDocs("tokens", "Tasks"),
  inDocs("audit", "Tasks"),
  inDocs("scim", "Tasks"),
  inDocs("accounts", "Tasks"),
  inDocs("agents", "Tasks"),
  inDocs("notifications", "Tasks"),
  inDocs("automate", "Tasks"),
  { name: "pages", group: "Reference", file: "viewer/PAGES.md" },
  { name: "scenario-language", group: "Reference", file: "server/run/language/LANGUAGE.md" },
  { name: "security", group: "The project", file: "SECURITY.md" },
  inDocs("figures", "The project"),
  inDocs("work", "The project"),
];

/** The pictures that topics show. */
export const PICTURES = "viewer/pictures";

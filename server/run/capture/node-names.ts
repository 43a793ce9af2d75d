/** A node as rrweb serialises it. */
export interface RecordedNode {
  id: number;
  tagName?: string;
  textContent?: string;
  attributes?: Record<string, unknown>;
  childNodes?: RecordedNode[];
}

const LONGEST = 80;

/** What people call the nodes of a recorded page: `button#pay.primary`, or the beginning of a text. */
export function createNodeNames() {
  const names = new Map<number, string>();
  return {
    /** Takes in a node with all that is below it. */
    learn(root: RecordedNode): void {
      const pending = [root];
      for (let node = pending.pop(); node; node = pending.pop()) {
        names.set(node.id, nameOf(node));
        if (node.childNodes) pending.push(...node.childNodes);
      }
    },
    of: (id: number): string => names.get(id) ?? "",
  };
}

function nameOf({ tagName, textContent, attributes = {} }: RecordedNode): string {
  if (!tagName) return (textContent ?? "#document").trim().slice(0, LONGEST);
  const id = typeof attributes.id === "string" && attributes.id !== "" ? `#${attributes.id}` : "";
  const classes =
    typeof attributes.class === "string" ? attributes.class.trim().split(/\s+/).filter(Boolean) : [];
  return `${tagName}${id}${id === "" ? classes.map((name) => `.${name}`).join("") : ""}`.slice(0, LONGEST);
}

import { type Locator, plain } from "./model.ts";

/** Roles that people write as they call them; others are written as ARIA does. */
const FIELD_ROLES = ["textbox", "searchbox", "spinbutton", "combobox"];

const TARGET = /^([a-z]+) "((?:[^"\\]|\\["\\])*)"$/;

/** A text in the quotes of a scenario step, on one line. */
function quotedTarget(text: string): string {
  return `"${text.replace(/\s+/g, " ").replace(/["\\]/g, "\\$&")}"`;
}

/** A locator of one call as the target of a scenario step (`button "Pay"`); null where the language has none. */
export function writeTarget(locator: Locator): string | null {
  const [part, ...more] = locator;
  if (!part || more.length > 0) return null;
  if (part.by === "css") return `css ${quotedTarget(part.css)}`;
  if (part.by === "role" && part.name?.is === "text") {
    if (Object.keys(part.states).length > 0) return null;
    return `${FIELD_ROLES.includes(part.role) ? "field" : part.role} ${quotedTarget(part.name.value)}`;
  }
  if (!("text" in part) || part.text.is !== "text") return null;
  if (part.by === "label") return `field ${quotedTarget(part.text.value)}`;
  return part.by === "text" || part.by === "testid" ? `${part.by} ${quotedTarget(part.text.value)}` : null;
}

/** The locator that a scenario step's target stands for; null when the text is no target. */
export function parseTarget(text: string): Locator | null {
  const [, word, body] = TARGET.exec(text) ?? [];
  if (!word || body === undefined) return null;
  const value = body.replace(/\\(["\\])/g, "$1");
  if (word === "css") return [{ by: "css", css: value }];
  if (word === "text") return [{ by: "text", text: plain(value) }];
  if (word === "testid") return [{ by: "testid", text: plain(value, true) }];
  if (word === "field") return [{ by: "label", text: plain(value) }];
  return [{ by: "role", role: word, name: plain(value), states: {} }];
}

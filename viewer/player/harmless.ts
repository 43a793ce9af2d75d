import type { RecordedEvent } from "./recording.ts";

const FULL_SNAPSHOT = 2;
const INCREMENTAL = 3;
const MUTATION = 0;

type Fields = Record<string, unknown>;

/**
 * A recorded event without links that reach for another host by being in a page (`preconnect`, `dns-prefetch` and the like):
 * no policy of a page forbids them. Style sheets stay, since their text was recorded with them. Changes the event.
 */
export function withoutReaching(event: RecordedEvent): RecordedEvent {
  const { type, data } = event;
  if (type === FULL_SNAPSHOT) calm(data.node);
  if (type !== INCREMENTAL || data.source !== MUTATION) return event;
  for (const added of list(data.adds)) calm(fields(added)?.node);
  for (const change of list(data.attributes)) {
    const attributes = fields(fields(change)?.attributes);
    if (attributes) keepStyleSheet(attributes);
  }
  return event;
}

/** Goes through a node and all below it. */
function calm(root: unknown): void {
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = fields(next);
    if (!node) continue;
    const attributes = fields(node.attributes);
    if (attributes && typeof node.tagName === "string" && node.tagName.toLowerCase() === "link")
      keepStyleSheet(attributes);
    for (const child of list(node.childNodes)) waiting.push(child);
  }
}

function keepStyleSheet(attributes: Fields): void {
  for (const name of Object.keys(attributes))
    if (name.toLowerCase() === "rel" && attributes[name] !== "stylesheet") delete attributes[name];
}

function fields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null ? (value as Fields) : null;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

import type { Cause } from "../../server/trace/format/cause/types.ts";
import type { Summary } from "../../server/trace/format/summary.ts";
import type { TraceDetail } from "./answers.ts";

/** A finished trace as its page comes with it: what the page would ask for first. */
export interface Opened {
  /** Trace id, or short id on a shared page. */
  id: string;
  detail: TraceDetail;
  summary: Summary;
  cause: Cause;
}

/** Id of the element that it lies in, as JSON. */
const ELEMENT_ID = "opened";
let given: Opened | null = null;

/** What this page came with. Read before the first render; null on a page that has to ask. */
export function readOpened(): Opened | null {
  const text = document.getElementById(ELEMENT_ID)?.textContent;
  given = text ? (JSON.parse(text) as Opened) : null;
  return given;
}

/** Hands it to the page of that trace, once: whoever comes back later wants it as it is then. */
export function takeOpened(id: string): Opened | null {
  if (given?.id !== id) return null;
  const taken = given;
  given = null;
  return taken;
}

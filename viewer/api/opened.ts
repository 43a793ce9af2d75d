import type { Cause } from "../../server/trace/format/cause/types.ts";
import type { Summary } from "../../server/trace/format/summary.ts";
import type { TraceDetail } from "./answers.ts";
import { fromTable, type Table, toTable } from "./table.ts";

/** A finished trace as its page comes with it: what the page would ask for first. */
export interface Opened {
  /** Trace id, or short id on a shared page. */
  id: string;
  detail: TraceDetail;
  summary: Summary;
  cause: Cause;
}

/** The same as it lies in the page: most of a summary is the names of the fields of its lists. */
export type PackedOpened = Omit<Opened, "summary"> & {
  summary: Omit<Summary, "steps" | "filmstrip">;
  steps: Table;
  filmstrip: Table;
};

export function packOpened({ summary, ...rest }: Opened): PackedOpened {
  const { steps, filmstrip, ...others } = summary;
  return { ...rest, summary: others, steps: toTable(steps), filmstrip: toTable(filmstrip) };
}

export function unpackOpened({ summary, steps, filmstrip, ...rest }: PackedOpened): Opened {
  const lists = {
    steps: fromTable<Summary["steps"][number]>(steps),
    filmstrip: fromTable<Summary["filmstrip"][number]>(filmstrip),
  };
  return { ...rest, summary: { ...summary, ...lists } };
}

/** Id of the element that it lies in, as JSON. */
const ELEMENT_ID = "opened";
let given: Opened | null = null;

/** What this page came with. Read before the first render; null on a page that has to ask. */
export function readOpened(): Opened | null {
  const text = document.getElementById(ELEMENT_ID)?.textContent;
  given = text ? unpackOpened(JSON.parse(text) as PackedOpened) : null;
  return given;
}

/** Hands it to the page of that trace, once: whoever comes back later wants it as it is then. */
export function takeOpened(id: string): Opened | null {
  if (given?.id !== id) return null;
  const taken = given;
  given = null;
  return taken;
}

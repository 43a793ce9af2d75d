import type { EventFile } from "../../../store/events/types.ts";
import type { Deps } from "../../deps.ts";
import { orDamaged } from "../events/source.ts";
import type { EventColumns } from "../format/page-data.ts";
import { type PartFile, pack } from "./page-parts.ts";

interface Meta {
  seq: number;
  kind: string;
  step_id?: string | null;
}

/**
 * Writes every event of a trace in parts of a few hundred kilobytes, each with a small part beside it that says which
 * events it holds, so that the page unpacks only what it shows.
 */
export async function putEvents(deps: Deps, file: EventFile, parts: PartFile): Promise<void> {
  const batches = file.lineBatches()[Symbol.asyncIterator]();
  for (let number = 0; ; number++) {
    const { done, value: lines } = await orDamaged(deps, batches.next());
    if (done) return;
    await parts.put(`columns-${number}`, await pack(Buffer.from(JSON.stringify(columnsOf(lines)))));
    await parts.put(`events-${number}`, await pack(Buffer.from(lines.join("\n"))));
  }
}

function columnsOf(lines: readonly string[]): EventColumns {
  const kinds = new Map<string, number>();
  const steps = new Map<string, number>();
  const columns: EventColumns = { seqs: [], kinds: [], kind: [], steps: [], step: [] };
  let last = 0;
  for (const line of lines) {
    const { seq, kind, step_id: step } = JSON.parse(line) as Meta;
    columns.seqs.push(seq - last);
    last = seq;
    columns.kind.push(numberOf(kinds, kind));
    columns.step.push(typeof step === "string" ? numberOf(steps, step) + 1 : 0);
  }
  columns.kinds = [...kinds.keys()];
  columns.steps = [...steps.keys()];
  return columns;
}

function numberOf(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

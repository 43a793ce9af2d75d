import type { TraceSource } from "../../api/trace-source.ts";
import { type AttachedFile, attachmentsOf } from "./attachments.ts";
import { asking, createRows, type Rows } from "./rows.ts";

export interface AttachmentRow {
  file: AttachedFile;
  stepId: string | null;
}

const isStep = (kind: string): boolean => kind === "agent.action" || kind === "assertion";

/** What the steps of a trace attached. Only steps that may have something are asked for. */
export function createAttachmentRows(source: TraceSource): Rows<AttachmentRow> {
  const rows: AttachmentRow[] = [];
  return createRows(asking(source, { q: '"attachments"' }), "agent.action,assertion", isStep, {
    add(event) {
      for (const file of attachmentsOf(event.attachments)) rows.push({ file, stepId: event.step_id ?? null });
    },
    snapshot: () => rows.slice(),
  });
}

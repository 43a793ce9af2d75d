import { Type } from "@sinclair/typebox";
import { invalid } from "../../http/errors.ts";
import { createBodyCheck } from "../../http/validation.ts";
import { FRAME, type NewTestRun } from "./model.ts";

/** The form of a report: its file, and what may stand beside it. */
export const REPORT_FORM = {
  file: "report",
  fields: [...Object.keys(FRAME), "started_at"],
};

export type ReportFrame = Partial<NewTestRun>;

const check = createBodyCheck(
  Type.Object({ ...FRAME, started_at: Type.Optional(Type.String({ maxLength: 40 })) }),
);

/** The form's fields as the body of `POST /v1/test-runs` has them. @throws AppError `invalid_request` naming the field */
export function readReportFields(fields: ReadonlyMap<string, string>): ReportFrame {
  const frame: Record<string, unknown> = {};
  for (const [name, text] of fields) frame[name] = readField(name, text);
  check(frame);
  return frame as ReportFrame;
}

function readField(name: string, text: string): unknown {
  if (name === "ci" || name === "shard") return readJson(name, text);
  if (name === "is_dirty") {
    if (!/^(true|false|1|0)$/.test(text))
      throw invalid('The body\'s field "is_dirty" must be true or false.');
    return text === "true" || text === "1";
  }
  if (name === "pr_number") return /^\d{1,15}$/.test(text) ? Number(text) : text;
  return text;
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`The body's field "${name}" must be a JSON object.`);
  }
}

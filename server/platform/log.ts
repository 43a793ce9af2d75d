import type { Clock } from "./clock.ts";
import { toIso } from "./clock.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Record<string, unknown>;

/** One JSON object a line on standard error. Give ids and counts, never headers, tokens or signed URLs. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  child(fields: LogFields): Log;
}

const ORDER: LogLevel[] = ["debug", "info", "warn", "error"];

export function createLog(options: {
  clock: Pick<Clock, "now">;
  level: LogLevel;
  write: (line: string) => void;
  fields?: LogFields;
}): Log {
  const threshold = ORDER.indexOf(options.level);
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (ORDER.indexOf(level) < threshold) return;
    const entry = { at: toIso(options.clock.now()), level, message, ...options.fields, ...describe(fields) };
    options.write(`${JSON.stringify(entry)}\n`);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => createLog({ ...options, fields: { ...options.fields, ...fields } }),
  };
}

function describe(fields: LogFields = {}): LogFields {
  const out: LogFields = {};
  for (const [key, value] of Object.entries(fields)) {
    out[key] =
      value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
  }
  return out;
}

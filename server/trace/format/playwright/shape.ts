import { cut } from "../error-text.ts";
import type { StackFrame } from "../event.ts";

/**
 * Reading values whose shape nobody vouches for. Nothing here throws, whatever it is given; what comes out is bounded
 * in size and depth, and never carries a `__proto__`.
 */

export type Raw = Record<string, unknown>;

const LONGEST_TEXT = 64 * 1024;
const DEEPEST = 12;
const MOST_NODES = 2000;

export function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Raw {
  return isRecord(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The string, cut at `longest` characters; undefined for anything else and for the empty string. */
export function text(value: unknown, longest = LONGEST_TEXT): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return longest < 2 ? undefined : cut(value, longest);
}

/** A finite number; undefined for anything else. */
export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A copy that can be serialised: depth, size and string lengths bounded, non-JSON values left out. */
export function plain(value: unknown): unknown {
  const budget = { nodes: MOST_NODES, characters: LONGEST_TEXT };
  return copy(value, DEEPEST, budget);
}

/** `plain` of an object; `{}` for anything else. */
export function plainRecord(value: unknown): Record<string, unknown> {
  return record(plain(record(value)));
}

function copy(value: unknown, depth: number, budget: { nodes: number; characters: number }): unknown {
  if (budget.nodes-- <= 0) return "…";
  if (typeof value === "string") {
    const kept = text(value, budget.characters) ?? "";
    budget.characters -= kept.length;
    return kept;
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object") return undefined;
  if (depth === 0) return "…";
  if (Array.isArray(value)) {
    const out: unknown[] = [];
    for (const item of value) {
      if (budget.nodes <= 0) break;
      out.push(copy(item, depth - 1, budget) ?? null);
    }
    return out;
  }
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (budget.nodes <= 0) break;
    if (key === "__proto__" || key.length > 200) continue;
    const kept = copy((value as Raw)[key], depth - 1, budget);
    if (kept !== undefined) out[key] = kept;
  }
  return out;
}

const MOST_FRAMES = 50;

/** Stack frames given as objects; empty and malformed ones left out. */
export function stackFrames(value: unknown): StackFrame[] | undefined {
  const frames: StackFrame[] = [];
  for (const item of list(value).slice(0, MOST_FRAMES)) {
    const { file, line, column, function: name } = record(item);
    const path = text(file, 4096);
    if (!path) continue;
    const caller = text(name, 500);
    frames.push({
      file: path,
      line: number(line) ?? 0,
      column: number(column) ?? 0,
      ...(caller && { function: caller }),
    });
  }
  return frames.length > 0 ? frames : undefined;
}

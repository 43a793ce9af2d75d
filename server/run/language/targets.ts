import type { Target } from "./ast.ts";
import { StepProblem } from "./problem.ts";
import type { Reader } from "./reader.ts";
import { ROLES } from "./roles.ts";

const OTHERS = ["field", "text", "testid", "css"] as const;
const KINDS = [...OTHERS, ...ROLES] as const;

export const isTarget = (reader: Reader): boolean => KINDS.some((kind) => reader.isAt(kind));

/**
 * `button "Pay" nth 2 in dialog "Payment" near text "Total"`.
 * @throws StepProblem
 */
export function readTarget(reader: Reader): Target {
  const kind = reader.oneOf(KINDS, 'what it acts on, such as button "Pay", field "Email" or text "Total",');
  const target: Target = isOther(kind)
    ? { by: kind, value: reader.text(WHAT[kind]) }
    : {
        by: "role",
        role: kind,
        ...(reader.peek().type === "text" ? { value: reader.text("the name") } : {}),
      };
  for (;;) {
    const { offset } = reader.peek();
    if (reader.takes("nth")) {
      const nth = reader.number("a position, counted from 1,");
      if (nth < 1) throw new StepProblem(offset, "positions are counted from 1");
      set(target, "nth", nth, offset);
    } else if (reader.takes("in")) {
      set(target, "in", readTarget(reader), offset);
    } else if (reader.takes("near")) {
      set(target, "near", readTarget(reader), offset);
    } else {
      return target;
    }
  }
}

const WHAT = { field: "the label", text: "the text", testid: "the test id", css: "the selector" } as const;
const isOther = (kind: string): kind is (typeof OTHERS)[number] =>
  (OTHERS as readonly string[]).includes(kind);

function set<K extends "nth" | "in" | "near">(
  target: Target,
  key: K,
  value: Target[K],
  offset: number,
): void {
  if (target[key] !== undefined) throw new StepProblem(offset, `"${key}" stands here a second time`);
  target[key] = value;
}

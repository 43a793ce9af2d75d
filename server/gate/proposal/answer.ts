import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const LONGEST_STEP = 600;
const LONGEST_PIECE = 4000;
const MOST_EDITS = 6;
const MOST_SOURCES = 3;

const Step = Type.String({ minLength: 1, maxLength: LONGEST_STEP });
const Piece = (minLength: number) => Type.String({ minLength, maxLength: LONGEST_PIECE });

/** What a model may answer: steps by the numbers that the scenario has now, and pieces of scripts as they are served. */
export const Proposal = Type.Object(
  {
    explanation: Type.String({ minLength: 1, maxLength: 1000 }),
    replace: Type.Array(Type.Object({ step: Type.Integer({ minimum: 1 }), text: Step }), {
      maxItems: MOST_EDITS,
    }),
    insert: Type.Array(Type.Object({ before_step: Type.Integer({ minimum: 1 }), text: Step }), {
      maxItems: MOST_EDITS,
    }),
    sources: Type.Array(
      Type.Object({ path: Type.String({ minLength: 1, maxLength: 1000 }), find: Piece(1), put: Piece(0) }),
      { maxItems: MOST_SOURCES },
    ),
  },
  { additionalProperties: false },
);
export type Proposal = Static<typeof Proposal>;

/** An answer that cannot be used; the message says why, for the model and for people. */
export class AnswerError extends Error {
  override name = "AnswerError";
}

/**
 * Reads a model's answer: one JSON object, alone, in a code block or with words around it; lists that are left out are empty.
 * @throws AnswerError
 */
export function readAnswer(text: string): Proposal {
  const given = objectIn(text);
  if (given === null) throw new AnswerError("It holds no JSON object.");
  const whole: unknown = { explanation: "", replace: [], insert: [], sources: [], ...given };
  if (!Value.Check(Proposal, whole)) {
    const [problem] = Value.Errors(Proposal, whole);
    throw new AnswerError(
      `Its field "${(problem?.path ?? "").slice(1).replaceAll("/", ".").slice(0, 60)}" is not as asked for: ${(problem?.message ?? "wrong").toLowerCase()}.`,
    );
  }
  return whole;
}

/** Whether a proposal changes nothing: its explanation then says why. */
export const isEmpty = ({ replace, insert, sources }: Proposal): boolean =>
  replace.length + insert.length + sources.length === 0;

function objectIn(text: string): object | null {
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  if (from < 0 || to < from) return null;
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1));
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

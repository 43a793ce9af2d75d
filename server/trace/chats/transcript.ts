import { changeAnswer } from "../../../store/records/chats.ts";
import type { Deps } from "../../deps.ts";
import type { ModelUsage } from "../language-model/types.ts";
import { createHarmless } from "./harmless.ts";

const LONGEST_ANSWER = 60_000;
/** What was said is kept at least so often. */
const SAVE_MS = 1_000;

/** How an answer ended. */
export type Ending = "done" | "cut" | "failed";

/** What an answer says and costs, kept as it comes, so that a server that dies leaves what was said. */
export interface Transcript {
  say(text: string): void;
  pay(usage: ModelUsage): void;
  /** Keeps what was said until now, sooner or later. */
  save(): void;
  readonly cost: Pick<ModelUsage, "inputTokens" | "outputTokens" | "microcents">;
  /**
   * Keeps the whole answer as ended.
   * @param stepsOf the steps that its text links to
   * @returns false when the chat is gone
   */
  end(ending: Ending, stepsOf: (text: string) => string[]): Promise<boolean>;
}

/** @param told gets the text as readers may have it */
export function createTranscript(
  { store: { records }, clock }: Pick<Deps, "store" | "clock">,
  messageId: string,
  told: (text: string) => void,
): Transcript {
  const cost = { inputTokens: 0, outputTokens: 0, microcents: 0 };
  let said = "";
  let savedAt = clock.monotonic();
  let saving = Promise.resolve(true);

  function save(): void {
    savedAt = clock.monotonic();
    const change = { content: said, microcents: cost.microcents };
    // What cannot be kept now fails at the end, where all of it is kept.
    saving = saving.then(() => changeAnswer(records, messageId, change)).catch(() => false);
  }

  const clean = createHarmless((text) => {
    const piece = text.slice(0, Math.max(0, LONGEST_ANSWER - said.length));
    if (piece === "") return;
    said += piece;
    told(piece);
    if (clock.monotonic() - savedAt >= SAVE_MS) save();
  });

  return {
    say: clean.take,
    save,
    cost,
    pay({ inputTokens, outputTokens, microcents }) {
      cost.inputTokens += inputTokens;
      cost.outputTokens += outputTokens;
      cost.microcents += microcents;
    },
    async end(state, stepsOf) {
      clean.end();
      await saving;
      return changeAnswer(records, messageId, {
        ...{ content: said, state, microcents: cost.microcents, server_id: null },
        step_ids: JSON.stringify(stepsOf(said)),
      });
    },
  };
}

import type { JSX } from "preact";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { storyOf } from "../../../server/trace/format/story.ts";
import { block } from "../../ui/text.ts";
import { useModel } from "../model/model.ts";

/** What happened in one paragraph; nothing for summaries that have none. */
export function Narrative(): JSX.Element | null {
  const { summary, cause } = useModel();
  const told = summary.value?.narrative ?? null;
  const story = cause.value ? storyOf(told, cause.value) : told;
  return story ? <p class="narrative captured">{block(inWords(story), 700)}</p> : null;
}

import type { JSX } from "preact";
import { block } from "../../ui/text.ts";
import { useModel } from "../model/model.ts";

/** What happened in one paragraph; nothing for summaries that have none. */
export function Narrative(): JSX.Element | null {
  const story = useModel().summary.value?.narrative;
  return story ? <p class="narrative captured">{block(story, 700)}</p> : null;
}

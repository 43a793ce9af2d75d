import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { readText } from "../../api/bodies.ts";
import { errorText } from "../../api/request.ts";
import { Copy } from "../../ui/icons.tsx";
import { copyText, notify } from "../../ui/toast.tsx";

/** More than the server ever sends. */
const CAP = 64_000;

/** Copies the failure as a prompt for an agent, and says whether it worked. */
export async function copyPrompt(url: string): Promise<void> {
  try {
    const { text } = await readText(url, CAP, AbortSignal.timeout(15_000));
    await copyText(text, "Prompt");
  } catch (error) {
    notify(errorText(error), { isError: true });
  }
}

/** Copies the failure as a prompt for an agent. */
export function CopyPrompt({ url }: { url: string }): JSX.Element {
  const isBusy = useSignal(false);
  async function copy(): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    await copyPrompt(url);
    isBusy.value = false;
  }
  return (
    <button
      type="button"
      class="button"
      title="What failed and what was around it, for an agent to mend"
      onClick={() => void copy()}
    >
      <Copy /> Copy as prompt
    </button>
  );
}

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { setQuery } from "../../router.ts";
import { CopyButton } from "../../ui/parts.tsx";
import { recall, remember } from "../../ui/storage.ts";
import { notify } from "../../ui/toast.tsx";
import { Problem } from "../checks/form.tsx";
import { startApi } from "./api.ts";
import type { StepProps } from "./step.tsx";

interface Draft {
  path: string;
  text: string;
}

const DRAFT = "start-draft";

/** What was last written here, so that it can be taken up again. */
function recallDraft(): Draft | null {
  try {
    const { path, text } = JSON.parse(recall(DRAFT) ?? "null") as Draft;
    return typeof path === "string" && typeof text === "string" ? { path, text } : null;
  } catch {
    return null;
  }
}

/** Any page will do to try it: this server has a public one. */
const OWN = { url: `${location.origin}/status`, text: "status" };

/** The first scenario, from an address, or from a folder of files. */
export function WriteStep({ scenario, onChanged }: StepProps): JSX.Element {
  const [draft, setDraft] = useState(recallDraft);
  const [given, setGiven] = useState({ url: "", text: "" });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const editor = useId();

  async function act(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    await work().catch((error: unknown) => setProblem(errorText(error)));
    setBusy(false);
  }
  const keep = (file: Draft): void => {
    remember(DRAFT, JSON.stringify(file));
    setDraft(file);
  };
  const take = async (file: Draft): Promise<void> => {
    const { slug } = await startApi.write(file);
    // The steps that come are about it, now and when the address is opened again.
    setQuery({ scenario: slug }, { replace: true });
    onChanged();
  };
  const write = () =>
    act(async () => {
      const { path, text } = await startApi.starter(given.url.trim(), given.text);
      keep({ path, text });
      await take({ path, text });
    });
  const save = (file: Draft) =>
    act(async () => {
      await take(file);
      notify("The scenario is changed.");
    });

  return (
    <>
      {scenario && (
        <p>
          <a class="captured" href={`/scenarios/${scenario.slug}`}>
            {scenario.title}
          </a>{" "}
          is taken in. Write another, or go on with the next step.
        </p>
      )}
      <form
        class="form start-form"
        onSubmit={(event) => {
          event.preventDefault();
          void write();
        }}
      >
        <label>
          Address of the page
          <input
            class="input"
            name="url"
            type="url"
            pattern="https?://.*"
            placeholder="https://shop.example/"
            value={given.url}
            required
            autocomplete="off"
            onInput={(event) => setGiven({ ...given, url: event.currentTarget.value })}
          />
        </label>
        <label>
          A text that visitors must see there
          <input
            class="input"
            name="text"
            placeholder="Add to cart"
            value={given.text}
            required
            maxLength={200}
            autocomplete="off"
            onInput={(event) => setGiven({ ...given, text: event.currentTarget.value })}
          />
        </label>
        <div class="start-acts">
          <button type="submit" class="button is-primary" disabled={isBusy}>
            Write the scenario
          </button>
          <button type="button" class="link-button" onClick={() => setGiven(OWN)}>
            No page at hand? Take this server’s status page
          </button>
        </div>
      </form>
      <Problem text={problem} />
      {draft && (
        <section class="start-draft" aria-label="The file">
          <label class="start-file" for={editor}>
            <code>{draft.path}</code>
            <CopyButton text={draft.text} what="The file" />
          </label>
          <textarea
            id={editor}
            class="input mono"
            rows={draft.text.split("\n").length}
            spellcheck={false}
            value={draft.text}
            onInput={(event) => keep({ ...draft, text: event.currentTarget.value })}
          />
          <div class="start-acts">
            <button type="button" class="button" disabled={isBusy} onClick={() => void save(draft)}>
              Save the change
            </button>
            <a href="/docs/scenario-language">What else a step can do</a>
          </div>
        </section>
      )}
      <details class="start-more">
        <summary>From a terminal, or with files in your repository</summary>
        <p>
          <code class="command">tracedeck scenarios new https://shop.example/ --text "Add to cart"</code>
        </p>
        <p>
          <code class="command">tracedeck scenarios sync scenarios/</code>
        </p>
        <p class="dim">
          Keep what you write here in that folder too: a sync takes the folder for all there is, and marks
          what it does not hold.
        </p>
      </details>
    </>
  );
}

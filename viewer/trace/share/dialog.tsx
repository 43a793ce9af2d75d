import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Visibility } from "../../api/answers.ts";
import { errorText } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { isDealtWith } from "../../ui/failing.ts";
import { formatWall, plural } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { copyText, notify } from "../../ui/toast.tsx";
import { useModel } from "../model/model.ts";
import { type ShareState, shareApi } from "./api.ts";
import { Check } from "./check.tsx";
import { Embed } from "./embed.tsx";
import { Openings } from "./openings.tsx";

const DAYS = [1, 7, 30, 90, 365];
const VISIBILITY: { value: Visibility; label: string; says: string }[] = [
  {
    value: "org-only",
    label: "Members only",
    says: "Opens for who is signed in to this organisation; others are asked to sign in.",
  },
  {
    value: "public-read",
    label: "Anyone with the link",
    says: "Opens without signing in. All of this trace can be read: pages, requests, bodies. No other trace.",
  },
];

/** The share's address, at the moment the reader is looking at. */
function linkHere(share: ShareState, isHere: boolean): string {
  const url = URL.parse(share.url, location.origin);
  if (!url) return share.url;
  if (isHere) url.search = location.search;
  return url.href;
}

export function ShareDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const model = useModel();
  const { id } = model.source;
  const share = useSignal<ShareState | null>(null);
  const state = useSignal<"loading" | "ready" | "busy">("loading");
  const problem = useSignal<unknown>(null);
  /** What came of the last press. */
  const wrong = useSignal<string | null>(null);
  const visibility = useSignal<Visibility>("org-only");
  const days = useSignal(7);
  const isHere = useSignal(true);

  useEffect(() => {
    if (!model.detail.peek()?.share_visibility) {
      state.value = "ready";
      return;
    }
    shareApi.show(id).then(
      (found) => {
        share.value = found;
        if (found) visibility.value = found.visibility;
        state.value = "ready";
      },
      (error: unknown) => {
        problem.value = error;
        state.value = "ready";
      },
    );
  }, [id]);

  const act = async (work: () => Promise<void>): Promise<void> => {
    state.value = "busy";
    wrong.value = null;
    try {
      await work();
      await model.loader.refreshDetail();
    } catch (error) {
      if (!isDealtWith(error)) wrong.value = errorText(error);
    } finally {
      state.value = "ready";
    }
  };
  const save = () =>
    act(async () => {
      await shareApi.set(id, visibility.value, days.value);
      share.value = await shareApi.show(id);
    });
  const withdraw = () =>
    act(async () => {
      await shareApi.withdraw(id);
      share.value = null;
      notify("The link no longer works.");
    });

  const current = share.value;
  const detail = model.detail.value;
  const title = `${oneLine(detail?.scenario_title || detail?.scenario_slug, 120)} · Tracedeck`;
  if (state.value === "loading") {
    return (
      <Dialog title="Share" onClose={onClose}>
        <Loading />
      </Dialog>
    );
  }
  return (
    <Dialog title="Share this trace" onClose={onClose} width="560px">
      {problem.value ? <Failed error={problem.value} /> : null}
      <fieldset class="choices">
        <legend>Who can open it</legend>
        {VISIBILITY.map((choice) => (
          <label key={choice.value} class="choice">
            <input
              type="radio"
              name="visibility"
              checked={visibility.value === choice.value}
              onChange={() => {
                visibility.value = choice.value;
              }}
            />
            <span>
              {choice.label}
              <span class="dim choice-says">{choice.says}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Check id={id} visibility={visibility.value} />
      <label class="field">
        <span>Works for</span>
        <select
          class="select"
          value={String(days.value)}
          onChange={(event) => {
            days.value = Number(event.currentTarget.value);
          }}
        >
          {DAYS.map((count) => (
            <option key={count} value={String(count)}>
              {count === 365 ? "1 year" : plural(count, "day")}
            </option>
          ))}
        </select>
      </label>
      {current && (
        <div class="share-link">
          <div class="command">
            <code class="ellipsis">{linkHere(current, isHere.value)}</code>
            <button
              type="button"
              class="button"
              onClick={() => void copyText(linkHere(current, isHere.value), "Link")}
            >
              Copy
            </button>
          </div>
          <label class="choice">
            <input
              type="checkbox"
              checked={isHere.value}
              onChange={(event) => {
                isHere.value = event.currentTarget.checked;
              }}
            />
            Opens at the step and panel shown now
          </label>
          <p class="dim">
            {current.visibility === "public-read" ? "Anyone with the link" : "Members only"}, until{" "}
            {formatWall(current.expires_at)}
          </p>
          {current.visibility === "public-read" && (
            <Embed link={linkHere(current, isHere.value)} title={title} />
          )}
          <Openings id={id} views={current.views ?? 0} />
        </div>
      )}
      {wrong.value && (
        <p class="is-failed captured" role="alert">
          {wrong.value}
        </p>
      )}
      <div class="dialog-foot">
        {current && (
          <button
            type="button"
            class="button is-danger"
            disabled={state.value === "busy"}
            onClick={() => void withdraw()}
          >
            Withdraw
          </button>
        )}
        <span class="bar-space" />
        <button
          type="button"
          class="button is-primary"
          disabled={state.value === "busy"}
          onClick={() => void save()}
        >
          {current ? "Renew with these settings" : "Create link"}
        </button>
      </div>
    </Dialog>
  );
}

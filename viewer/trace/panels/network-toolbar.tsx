import type { JSX } from "preact";
import { Download, Search } from "../../ui/icons.tsx";
import { oneLine } from "../../ui/text.ts";
import { useModel } from "../model/model.ts";
import type { NetworkState } from "./network-state.ts";
import { StepToggle } from "./step-toggle.tsx";

/** Which requests are listed, how many these are, and all of them to take away. */
export function NetworkToolbar({ state }: { state: NetworkState }): JSX.Element {
  const model = useModel();
  const total = model.network.rows.value.length;
  const { read, total: events } = model.network.progress.value;
  const isLoading = model.network.state.value === "loading";
  return (
    <div class="toolbar net-toolbar">
      <Search />
      <input
        class="bare-input"
        type="search"
        aria-label="Filter requests"
        placeholder="Filter"
        value={state.words.value}
        spellcheck={false}
        onInput={(event) => {
          state.words.value = event.currentTarget.value;
        }}
      />
      <select
        class="select"
        aria-label="Type"
        value={state.type.value}
        onChange={(event) => {
          state.type.value = event.currentTarget.value;
        }}
      >
        <option value="">All types</option>
        {state.types.value.map((type) => (
          <option key={type} value={type}>
            {oneLine(type, 24)}
          </option>
        ))}
      </select>
      <select
        class="select"
        aria-label="Status"
        value={state.outcome.value}
        onChange={(event) => {
          state.outcome.value = event.currentTarget.value;
        }}
      >
        <option value="">Any status</option>
        {state.outcomes.value.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <StepToggle isOn={state.scope.isStepOnly} />
      <span class="dim num" role="status">
        {isLoading
          ? `${Math.round((read / Math.max(1, events)) * 100)} %`
          : `${state.rows.value.length} of ${total}`}
      </span>
      {model.source.harUrl && total > 0 && (
        <a
          class="icon-button"
          href={model.source.harUrl}
          download
          aria-label="Download as HAR"
          title="Download as HAR"
        >
          <Download />
        </a>
      )}
    </div>
  );
}

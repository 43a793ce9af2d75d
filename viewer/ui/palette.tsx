import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api/calls.ts";
import { navigate, route } from "../router.ts";
import { formatAge } from "./format.ts";
import { Keys } from "./help.tsx";
import { Close, Search } from "./icons.tsx";
import { Modal } from "./modal.tsx";
import { type Candidate, matching, pageCommands } from "./palette-commands.ts";
import { takeTypedAhead } from "./palette-keys.ts";
import { Status } from "./status.tsx";
import { oneLine } from "./text.ts";
import { useLoad } from "./use-load.ts";

const TYPING_MS = 200;
const TRACES = 8;

interface Option {
  key: string;
  run: () => void;
  content: ComponentChildren;
}

function Label({ command, positions }: Candidate): JSX.Element {
  if (positions.length === 0) return <>{command.label}</>;
  const marked = new Set(positions);
  return (
    <>
      {[...command.label].map((character, index) =>
        marked.has(index) ? <b key={index}>{character}</b> : character,
      )}
    </>
  );
}

function toOption(candidate: Candidate): Option {
  const { command } = candidate;
  return {
    key: `${command.group} ${command.label}`,
    run: command.run,
    content: (
      <>
        <span class="ellipsis palette-label">
          <Label {...candidate} />
        </span>
        <span class="dim palette-group">{command.group}</span>
        <span class="palette-keys">
          {command.keys.slice(0, 2).map((chord) => (
            <Keys key={chord} chord={chord} />
          ))}
        </span>
      </>
    ),
  };
}

/** Traces that hold the text, on the page that lists them. */
function useTraces(typed: string): Option[] {
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isWanted = route.value.page === "list" && asked.length > 1;
  const { data } = useLoad(isWanted ? asked : null, (signal) =>
    api.list({ q: asked, limit: TRACES }, signal),
  );
  return (data?.items ?? []).map((item) => ({
    key: item.id,
    run: () => navigate(`/traces/${item.id}`),
    content: (
      <>
        <Status status={item.status} />
        <span class="ellipsis captured palette-label">
          {oneLine(item.scenario_title || item.scenario_slug, 120)}
        </span>
        <span class="dim num">{formatAge(item.created_at, Date.now())}</span>
      </>
    ),
  }));
}

/** Everything that can be done here, found by a few letters. */
export function Palette({ onClose }: { onClose: () => void }): JSX.Element {
  const chosen = useRef<Option | null>(null);
  const close = (): void => {
    onClose();
    // After the page has the focus back: some commands give it to a field.
    const option = chosen.current;
    if (option) setTimeout(option.run);
  };
  return (
    <Modal class="dialog palette" label="Commands" onClose={close}>
      {(leave) => (
        <Commands
          leave={leave}
          onChoose={(option) => {
            chosen.current = option;
            leave();
          }}
        />
      )}
    </Modal>
  );
}

function Commands({
  leave,
  onChoose,
}: {
  leave: () => void;
  onChoose: (option: Option) => void;
}): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const commands = useMemo(pageCommands, []);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const found = useMemo(() => matching(commands, typed).map(toOption), [commands, typed]);
  const options = [...found, ...useTraces(typed)];
  const at = Math.min(active, options.length - 1);

  useLayoutEffect(() => setTyped(takeTypedAhead()), []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at, typed]);
  const choose = (option: Option | undefined): void => {
    if (option) onChoose(option);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    const last = options.length - 1;
    if (event.key === "ArrowDown") setActive(at >= last ? 0 : at + 1);
    else if (event.key === "ArrowUp") setActive(at <= 0 ? last : at - 1);
    else if (event.key === "Enter") choose(options[at]);
    else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) leave();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div class="toolbar palette-field">
        <Search />
        <input
          class="bare-input"
          type="text"
          role="combobox"
          aria-label="Command"
          aria-autocomplete="list"
          aria-expanded={true}
          aria-controls="palette-list"
          aria-activedescendant={at >= 0 ? `palette-${at}` : undefined}
          placeholder={route.value.page === "list" ? "Command, or text in a trace" : "Command"}
          value={typed}
          maxLength={200}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="icon-button" aria-label="Close" title="Close ( Esc )" onClick={leave}>
          <Close />
        </button>
      </div>
      <div ref={list} class="palette-list" id="palette-list" role="listbox" aria-label="Commands">
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={option.key}
            id={`palette-${index}`}
            class={index === at ? "palette-row is-active" : "palette-row"}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerMove={() => index !== at && setActive(index)}
            onClick={() => choose(option)}
          >
            {option.content}
          </div>
        ))}
      </div>
      <p class={options.length === 0 ? "dim palette-none" : "hidden-text"} role="status">
        {options.length === 0 ? "Nothing fits." : `${options.length} found`}
      </p>
    </>
  );
}

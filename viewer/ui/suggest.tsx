import { useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import { oneLine } from "./text.ts";

interface SuggestProps {
  label: string;
  value: string;
  /** What is known; those that hold the text are offered while it is typed. */
  known: readonly string[];
  isInvalid: boolean;
  maxLength: number;
  onChange: (value: string) => void;
  fieldRef?: { current: HTMLInputElement | null } | undefined;
}

const MOST = 6;

/**
 * A text field that offers what is known. Arrows choose an offer and Enter takes it; without a choice Enter belongs to
 * the form, as in any other field. Escape closes the offers first.
 */
export function Suggest(props: SuggestProps): JSX.Element {
  const id = useId();
  const isOpen = useSignal(false);
  const active = useSignal(-1);
  const text = props.value.trim().toLowerCase();
  const fitting = props.known.filter((one) => one !== props.value && one.includes(text)).slice(0, MOST);
  const offers = isOpen.value ? fitting : [];
  const at = Math.min(active.value, offers.length - 1);

  const close = (): void => {
    isOpen.value = false;
    active.value = -1;
  };
  const take = (offer: string): void => {
    props.onChange(offer);
    close();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // The field itself, without a choice, is one place of the round.
      const places = fitting.length + 1;
      active.value = isOpen.value ? ((active.value + 1 + step + places) % places) - 1 : -1;
      isOpen.value = true;
      return;
    }
    // What holds now: a key may come before the last one is drawn.
    const chosen = isOpen.value ? fitting[active.value] : undefined;
    if (event.key === "Enter" && chosen !== undefined) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === "Escape" && isOpen.value && fitting.length > 0) {
      // Else the dialog around it would close.
      event.preventDefault();
      close();
    }
  };

  return (
    <div class="suggest">
      <input
        ref={props.fieldRef}
        class="input mono"
        role="combobox"
        aria-label={props.label}
        aria-invalid={props.isInvalid}
        aria-autocomplete="list"
        aria-expanded={offers.length > 0}
        aria-controls={offers.length > 0 ? id : undefined}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        value={props.value}
        maxLength={props.maxLength}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => {
          props.onChange(event.currentTarget.value);
          isOpen.value = true;
          active.value = -1;
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      {offers.length > 0 && (
        <div id={id} class="suggest-list" role="listbox" aria-label="Known">
          {offers.map((offer, index) => (
            <div
              key={offer}
              id={`${id}-${index}`}
              class={index === at ? "suggest-offer mono is-active" : "suggest-offer mono"}
              role="option"
              aria-selected={index === at}
              // Before the field loses the focus, which would close the list.
              onPointerDown={(event) => {
                event.preventDefault();
                take(offer);
              }}
            >
              {oneLine(offer, 80)}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Tick } from "./icons.tsx";

export interface MenuItem {
  label: string;
  icon?: JSX.Element;
  /** A link, or an action. */
  href?: string;
  isDownload?: boolean;
  /** Of a download, where its address names none. */
  fileName?: string;
  isNewTab?: boolean;
  /** Of a link: it leads to what is shown. */
  isHere?: boolean;
  isChecked?: boolean;
  /** A switch of its own: the menu stays open, so that several can be set. */
  isOn?: boolean;
  run?: () => void;
}

interface MenuProps {
  label: string;
  button: ComponentChildren;
  buttonClass?: string;
  items: MenuItem[];
  /** One of these is the one that holds; they stand last, under their title, so that nothing moves when they come late. */
  choices?: { title: string; items: MenuItem[] } | undefined;
  onOpen?: () => void;
}

/** Does what a click on the item would do. */
export function follow(item: MenuItem): void {
  if (!item.href) {
    item.run?.();
    return;
  }
  const link = document.createElement("a");
  link.href = item.href;
  if (item.isDownload) link.download = item.fileName ?? "";
  if (item.isNewTab) Object.assign(link, { target: "_blank", rel: "noopener" });
  link.click();
}

function Item({ item, close }: { item: MenuItem; close: () => void }): JSX.Element {
  const isSwitch = item.isOn !== undefined;
  const state = item.isOn ?? item.isChecked;
  const inside = (
    <>
      {item.isOn || item.isHere ? <Tick /> : (item.icon ?? <span class="icon" />)}
      <span>{item.label}</span>
    </>
  );
  if (item.href) {
    return (
      <a
        class="menu-item"
        role="menuitem"
        tabIndex={-1}
        href={item.href}
        download={item.isDownload ? (item.fileName ?? "") : undefined}
        target={item.isNewTab ? "_blank" : undefined}
        rel={item.isNewTab ? "noopener" : undefined}
        aria-current={item.isHere ? "page" : undefined}
        onClick={close}
      >
        {inside}
      </a>
    );
  }
  return (
    <button
      type="button"
      class="menu-item"
      role={isSwitch ? "menuitemcheckbox" : state === undefined ? "menuitem" : "menuitemradio"}
      {...(state === undefined ? {} : { "aria-checked": state })}
      tabIndex={-1}
      onClick={() => {
        if (!isSwitch) close();
        item.run?.();
      }}
    >
      {inside}
    </button>
  );
}

/** A button that opens a list of actions. Arrows move, Escape closes, focus returns to the button. */
export function Menu(props: MenuProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = (): void => setOpen(false);

  // Before the items can be seen, and a key be meant for them.
  useLayoutEffect(() => {
    if (!isOpen) return;
    host.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
    const onOutside = (event: PointerEvent): void => {
      if (event.target instanceof Node && !host.current?.contains(event.target)) close();
    };
    addEventListener("pointerdown", onOutside);
    return () => removeEventListener("pointerdown", onOutside);
  }, [isOpen]);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (!isOpen) return;
    if (event.key === "Escape" || event.key === "Tab") {
      close();
      if (event.key === "Escape") {
        event.stopPropagation();
        trigger.current?.focus();
      }
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const items = [...(host.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = (at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length;
    items[next]?.focus();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up from the button and the items
    <div class="menu-host" ref={host} onKeyDown={onKeyDown}>
      <button
        ref={trigger}
        type="button"
        class={props.buttonClass ?? "icon-button"}
        aria-label={props.label}
        title={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => {
          if (!isOpen) props.onOpen?.();
          setOpen(!isOpen);
        }}
      >
        {props.button}
      </button>
      {isOpen && (
        <div class="menu" role="menu" aria-label={props.label}>
          {props.items.map((item) => (
            <Item key={item.label} item={item} close={close} />
          ))}
          {props.choices && (
            <div class="menu-choices" role="group" aria-label={props.choices.title}>
              <p class="menu-title" aria-hidden="true">
                {props.choices.title}
              </p>
              {props.choices.items.map((item) => (
                <Item key={item.label} item={item} close={close} />
              ))}
            </div>
          )}
        </div>
      )}
    </div>
  );
}

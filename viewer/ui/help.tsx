import type { JSX } from "preact";
import { isFile } from "../where.ts";
import { Dialog } from "./dialog.tsx";
import { activeBindings, isHelpOpen, isMac } from "./keyboard.ts";

const NAMES: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "Enter",
  Escape: "Esc",
};

/** A chord as it is printed on keys: `g n`, `Ctrl K`. */
export function Keys({ chord }: { chord: string }): JSX.Element {
  const [modifier, letter] = chord.split("+");
  if (letter) {
    return (
      <kbd>
        {modifier === "Mod" && isMac ? "⌘" : "Ctrl"} {letter.toUpperCase()}
      </kbd>
    );
  }
  const keys = chord === " " ? ["Space"] : chord.split(" ").map((key) => NAMES[key] ?? key);
  return <kbd>{keys.join(" ")}</kbd>;
}

/** The keys that work here and now, from the bindings themselves. */
export function HelpSheet(): JSX.Element | null {
  if (!isHelpOpen.value) return null;
  const bound = activeBindings().filter(({ keys }) => keys.length > 0);
  const groups = Map.groupBy(bound, (binding) => binding.group);
  return (
    <Dialog title="Keyboard" width="720px" onClose={() => (isHelpOpen.value = false)}>
      <div class="help-groups">
        {[...groups].map(([group, bindings]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="help-keys">
              {bindings.map((binding) => (
                <div key={binding.label}>
                  <dt>
                    {binding.keys.map((chord) => (
                      <Keys key={chord} chord={chord} />
                    ))}
                  </dt>
                  <dd>{binding.label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      {!isFile && (
        <p class="help-more">
          <a href="/docs/pages" target="_blank" rel="noopener">
            Every page with its keys, in the docs
          </a>
        </p>
      )}
    </Dialog>
  );
}

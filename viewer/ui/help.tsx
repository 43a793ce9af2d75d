import type { JSX } from "preact";
import { Dialog } from "./dialog.tsx";
import { activeBindings, isHelpOpen } from "./keyboard.ts";

const NAMES: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Enter: "Enter",
  Escape: "Esc",
};

/** The keys that work here and now, from the bindings themselves. */
export function HelpSheet(): JSX.Element | null {
  if (!isHelpOpen.value) return null;
  const groups = Map.groupBy(activeBindings(), (binding) => binding.group);
  return (
    <Dialog title="Keyboard" width="560px" onClose={() => (isHelpOpen.value = false)}>
      <div class="help-groups">
        {[...groups].map(([group, bindings]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl class="help-keys">
              {bindings.map((binding) => (
                <div key={binding.label}>
                  <dt>
                    {binding.keys.map((chord) => (
                      <kbd key={chord}>
                        {chord
                          .split(" ")
                          .map((key) => NAMES[key] ?? key)
                          .join(" ")}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{binding.label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

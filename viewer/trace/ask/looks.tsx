import type { JSX } from "preact";
import { formatDuration, plural } from "../../ui/format.ts";
import type { ToolCall } from "./api.ts";

/** What an answer looked at, folded: name, arguments, time; opened, what came. */
export function Looks({ calls }: { calls: readonly ToolCall[] }): JSX.Element | null {
  if (calls.length === 0) return null;
  const failed = calls.filter(({ ok }) => !ok).length;
  return (
    <details class="ask-looks">
      <summary>
        Looked {plural(calls.length, "time")}
        {failed > 0 && <span class="is-error"> ({failed} in vain)</span>}
      </summary>
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <details>
              <summary>
                <span class={call.ok ? "mono" : "mono is-error"}>
                  {call.name}
                  {argumentsOf(call.arguments)}
                </span>
                <span class="dim num">{formatDuration(call.duration_ms)}</span>
              </summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer */}
              <pre class="captured" tabIndex={0}>
                {JSON.stringify(call.result, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    </details>
  );
}

function argumentsOf(given: unknown): string {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return text === "{}" || text === undefined ? "" : ` ${text.slice(0, 200)}`;
}

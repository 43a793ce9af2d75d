import type { JSX } from "preact";
import { CopyButton } from "../../../ui/parts.tsx";
import { SettingsSection } from "../../../ui/settings-page.tsx";
import { AGENT_LINES } from "./lines.ts";

/** How an agent is let in: by this server's address alone. */
export function Connect(): JSX.Element {
  const address = `${location.origin}/mcp`;
  return (
    <SettingsSection
      title="Connect an agent"
      about={
        <>
          Give it this address. It opens a page here that asks you what it may do.{" "}
          <a class="agents-more" href="/docs/agents">
            More in the docs
          </a>
        </>
      }
    >
      <div class="command agents-address">
        <code>{address}</code>
        <CopyButton text={address} what="Address" />
      </div>
      <dl class="agents-lines">
        {AGENT_LINES.map(({ agent, where, line }) => (
          <div key={agent}>
            <dt>
              {agent}
              <span class="dim">{where}</span>
            </dt>
            <dd class="command is-block">
              <code>{line(address)}</code>
              <CopyButton text={line(address)} what={`Line for ${agent}`} />
            </dd>
          </div>
        ))}
      </dl>
    </SettingsSection>
  );
}

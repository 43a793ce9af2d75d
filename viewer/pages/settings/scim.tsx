import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ScimStatus } from "../../../server/identity/scim/model.ts";
import { api } from "../../api/calls.ts";
import { useSignIn } from "../../ui/failing.ts";
import { formatAgo, formatCount, plural } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../ui/settings-page.tsx";
import { copyText } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { ScimRoles } from "./scim-roles.tsx";
import { ScimTokens } from "./scim-tokens.tsx";

function Sync({ status, now }: { status: ScimStatus; now: number }): JSX.Element {
  const { users, groups, last_request_at, errors } = status;
  const isQuiet = last_request_at === null && users.total === 0;
  const inactive = users.total - users.active;
  return (
    <SettingsSection title="What was synced">
      {isQuiet ? (
        <p class="dim">
          No directory has called yet. Give it the address and a token from below;{" "}
          <a href="/docs/scim">Provision people from a directory</a> goes through it step by step.
        </p>
      ) : (
        <dl class="settings-facts">
          <dt>Last request</dt>
          <dd>
            {last_request_at === null ? "none with a token from here" : formatAgo(last_request_at, now)}
          </dd>
          <dt>Users</dt>
          <dd>
            {formatCount(users.active)} active
            {inactive > 0 && `, ${formatCount(inactive)} deprovisioned`}
          </dd>
          <dt>Groups</dt>
          <dd>{formatCount(groups.total)}</dd>
          <dt>Refused</dt>
          <dd class={errors.length > 0 ? "is-failed" : undefined}>
            {errors.length > 0
              ? `${plural(errors.length, "request")} in the last day`
              : "nothing in the last day"}
          </dd>
        </dl>
      )}
    </SettingsSection>
  );
}

function Errors({ errors, now }: { errors: ScimStatus["errors"]; now: number }): JSX.Element | null {
  if (errors.length === 0) return null;
  return (
    <SettingsSection title="Refused in the last day" about="What the directory was told, newest first.">
      <ol class="scim-errors">
        {errors.map(({ at, method, path, status, detail }, index) => (
          <li key={`${at} ${index}`}>
            <span class="captured">{detail}</span>
            <span class="dim scim-request">
              <span class="mono">
                {status} {method} {path.replace("/api/v1/scim/v2", "")}
              </span>
              <time datetime={at}>{formatAgo(at, now)}</time>
            </span>
          </li>
        ))}
      </ol>
    </SettingsSection>
  );
}

export function ScimPage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("scim", (signal) => api.scim(signal), revision.value);
  const now = useNow(data !== null);
  useSignIn(error);
  const reload = () => void revision.value++;
  return (
    <SettingsPage title="Directory (SCIM)" isLoading={!data && !error}>
      {data ? (
        <>
          <Sync status={data} now={now} />
          <SettingsSection
            title="Address"
            about="What Entra calls the tenant URL and Okta the base URL. Users and groups lie below it."
          >
            <div class="command">
              <code class="ellipsis">{data.base_url}</code>
              <button type="button" class="button" onClick={() => void copyText(data.base_url, "Address")}>
                Copy
              </button>
            </div>
          </SettingsSection>
          <ScimTokens tokens={data.tokens} now={now} onChange={reload} />
          <ScimRoles roles={data.roles} onChange={reload} />
          <Errors errors={data.errors} now={now} />
        </>
      ) : error ? (
        <Failed error={error} retry={reload} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Me } from "../../../server/identity/me/model.ts";
import { api } from "../../api/calls.ts";
import { useSignIn } from "../../ui/failing.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../ui/settings-page.tsx";
import { useLoad } from "../../ui/use-load.ts";

function Who({ me: { user, org } }: { me: Me }): JSX.Element {
  return (
    <>
      <SettingsSection title="You">
        <dl class="settings-facts">
          <dt>Name</dt>
          <dd>{user?.name ?? "nobody: this is a machine's credential"}</dd>
          <dt>Email</dt>
          <dd>{user?.email ?? "none"}</dd>
        </dl>
      </SettingsSection>
      <SettingsSection title="Organisation">
        <dl class="settings-facts">
          <dt>Name</dt>
          <dd>{org.name}</dd>
          <dt>Your role</dt>
          <dd>{org.role ?? "none"}</dd>
        </dl>
      </SettingsSection>
    </>
  );
}

export function ProfilePage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("me", (signal) => api.me(signal), revision.value);
  useSignIn(error);
  return (
    <SettingsPage title="Profile" isLoading={!data && !error}>
      {data ? (
        <Who me={data} />
      ) : error ? (
        <Failed error={error} retry={() => void revision.value++} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}

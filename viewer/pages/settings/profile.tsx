import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Profile } from "../../../server/identity/profile/model.ts";
import { account } from "../../api/account.ts";
import { query, setQuery } from "../../router.ts";
import { tellFailure, useSignIn } from "../../ui/failing.ts";
import { formatWall } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../ui/settings-page.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { EmailForm, PasswordForm, TextField, useSending } from "./profile-forms.tsx";

interface PartProps {
  profile: Profile;
  /** Reads the profile anew. */
  changed: () => void;
}

function You({ profile, changed }: PartProps): JSX.Element {
  const { isSending, run } = useSending();
  const save = (form: HTMLFormElement) =>
    run(async () => {
      const given = new FormData(form);
      const org = String(given.get("org") ?? "");
      await account.change({ name: String(given.get("name")), default_org_id: org === "" ? null : org });
      notify("Saved.");
      changed();
    });
  return (
    <SettingsSection title="You">
      <form
        class="account-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        <TextField label="Name" name="name" autocomplete="name" maxLength={200} initial={profile.name} />
        {profile.orgs.length > 1 && (
          <label class="account-field">
            <span>Organisation to begin with</span>
            <select class="select" name="org">
              <option value="">The first one that you joined</option>
              {profile.orgs.map(({ id, name }) => (
                <option key={id} value={id} selected={id === profile.default_org_id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" class="button" disabled={isSending}>
          Save
        </button>
      </form>
    </SettingsSection>
  );
}

function Orgs({ profile }: { profile: Profile }): JSX.Element {
  return (
    <SettingsSection title={profile.orgs.length > 1 ? "Organisations" : "Organisation"}>
      <dl class="settings-facts">
        {profile.orgs.map(({ id, name, role }) => [
          <dt key={id}>{name}</dt>,
          <dd key={`${id} role`}>
            You are {role === "admin" || role === "owner" ? `an ${role}` : `a ${role}`}
          </dd>,
        ])}
      </dl>
    </SettingsSection>
  );
}

function Accounts({ profile }: { profile: Profile }): JSX.Element | null {
  if (profile.accounts.length === 0) return null;
  return (
    <SettingsSection title="Accounts elsewhere" about="You sign in with these.">
      <dl class="settings-facts">
        {profile.accounts.map(({ issuer, created_at }) => [
          <dt key={issuer}>{new URL(issuer).hostname}</dt>,
          <dd key={`${issuer} since`}>since {formatWall(created_at)}</dd>,
        ])}
      </dl>
    </SettingsSection>
  );
}

/** Uses the link of a mail that led here, once. */
function useConfirmation(changed: () => void): void {
  const code = query.value.get("confirm");
  useEffect(() => {
    if (code === null) return;
    setQuery({ confirm: null }, { replace: true });
    account.confirmEmail(code).then(({ email }) => {
      notify(`Your address is ${email} now.`);
      changed();
    }, tellFailure);
  }, [code]);
}

export function ProfilePage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad("profile", (signal) => account.profile(signal), revision.value);
  const changed = () => void revision.value++;
  useSignIn(error);
  useConfirmation(changed);
  return (
    <SettingsPage title="Profile" isLoading={!data && !error}>
      {data ? (
        <>
          <You profile={data} changed={changed} />
          <EmailForm profile={data} />
          <PasswordForm profile={data} changed={changed} />
          <Accounts profile={data} />
          <Orgs profile={data} />
        </>
      ) : error ? (
        <Failed error={error} retry={changed} />
      ) : (
        <Loading />
      )}
    </SettingsPage>
  );
}

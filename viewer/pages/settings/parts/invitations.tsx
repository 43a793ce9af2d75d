import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type CreatedInvitation, type Invitation, orgApi, type Role } from "../../../api/orgs.ts";
import { tellFailure } from "../../../ui/failing.ts";
import { formatDate } from "../../../ui/format.ts";
import { SettingsSection } from "../../../ui/settings-page.tsx";
import { copyText, notify } from "../../../ui/toast.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { rolesToGive } from "./roles.ts";

function Link({ made }: { made: CreatedInvitation }): JSX.Element {
  return (
    <div class="settings-once" role="status">
      <p>
        {made.is_mailed ? `A mail to ${made.email} is on its way. ` : `No mail server is set up here. `}
        {made.is_mailed
          ? "The same link, shown only now:"
          : `Pass this link on to ${made.email} yourself; it is shown only now:`}
      </p>
      <div class="command">
        <code>{made.url}</code>
        <button type="button" class="button" onClick={() => void copyText(made.url, "Link")}>
          Copy
        </button>
      </div>
    </div>
  );
}

function Form({
  own,
  invited,
}: {
  own: Role | null;
  invited: (made: CreatedInvitation) => void;
}): JSX.Element {
  const email = useSignal("");
  const role = useSignal<Role>("member");
  const isBusy = useSignal(false);
  const invite = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    try {
      invited(await orgApi.invite(email.value.trim(), role.value));
      email.value = "";
    } catch (error) {
      tellFailure(error);
    }
    isBusy.value = false;
  };
  return (
    <form class="settings-line" onSubmit={(event) => void invite(event)}>
      <input
        class="input"
        type="email"
        required
        aria-label="Mail address"
        placeholder="name@example.com"
        value={email.value}
        onInput={(event) => {
          email.value = event.currentTarget.value;
        }}
      />
      <select
        class="select"
        aria-label="Role"
        value={role.value}
        onChange={(event) => {
          role.value = event.currentTarget.value as Role;
        }}
      >
        {rolesToGive(own).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <button type="submit" class="button is-primary" disabled={isBusy.value}>
        Invite
      </button>
    </form>
  );
}

function Open({ items, revoke }: { items: Invitation[]; revoke: (one: Invitation) => void }): JSX.Element {
  return (
    <table class="settings-table" aria-label="Open invitations">
      <thead>
        <tr>
          <th scope="col">Invited</th>
          <th scope="col">Role</th>
          <th scope="col" class="settings-when">
            Until
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr key={one.id}>
            <th scope="row">
              {one.email}
              {one.invited_by && <span class="settings-second">by {one.invited_by}</span>}
            </th>
            <td>{one.role}</td>
            <td class="settings-when">{formatDate(one.expires_at)}</td>
            <td class="settings-acts">
              <button type="button" class="button" onClick={() => revoke(one)}>
                Revoke
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Asking people in, and who was asked and has not come yet. */
export function Invitations({ own }: { own: Role | null }): JSX.Element {
  const revision = useSignal(0);
  const made = useSignal<CreatedInvitation | null>(null);
  const { data } = useLoad("invitations", (signal) => orgApi.invitations(signal), revision.value);
  const revoke = async (one: Invitation): Promise<void> => {
    try {
      await orgApi.revoke(one.id);
      if (made.value?.id === one.id) made.value = null;
      notify(`The invitation of ${one.email} is revoked.`);
    } catch (error) {
      tellFailure(error);
    }
    revision.value++;
  };
  return (
    <SettingsSection
      title="Invite"
      about="The link works once, for 7 days, for this address alone. Inviting an address again ends its earlier link."
    >
      <Form
        own={own}
        invited={(one) => {
          made.value = one;
          revision.value++;
        }}
      />
      {made.value && <Link made={made.value} />}
      {data && data.items.length > 0 && <Open items={data.items} revoke={(one) => void revoke(one)} />}
    </SettingsSection>
  );
}

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api } from "../../api/calls.ts";
import { type Member, type OrgView, orgApi } from "../../api/orgs.ts";
import { tellFailure } from "../../ui/failing.ts";
import { formatDate } from "../../ui/format.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";
import { copyText, notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { Confirm } from "./parts/confirm.tsx";
import { LoadedPage } from "./parts/loaded.tsx";
import { isManager } from "./parts/roles.ts";

function Name({ org, changed }: { org: OrgView; changed: () => void }): JSX.Element {
  const name = useSignal(org.name);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await orgApi.rename(org.id, name.value.trim());
      notify("Name changed.");
      changed();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <form class="settings-line" onSubmit={(event) => void save(event)}>
      <input
        class="input"
        aria-label="Name"
        maxLength={200}
        value={name.value}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
      />
      <button
        type="submit"
        class="button"
        disabled={name.value.trim() === "" || name.value.trim() === org.name}
      >
        Rename
      </button>
    </form>
  );
}

function About({ org, changed }: { org: OrgView; changed: () => void }): JSX.Element {
  return (
    <SettingsSection title="About">
      <dl class="settings-facts">
        <dt>Name</dt>
        <dd>{isManager(org.role) ? <Name key={org.name} org={org} changed={changed} /> : org.name}</dd>
        <dt>Slug</dt>
        <dd>
          <code>{org.slug}</code>
        </dd>
        <dt>Id</dt>
        <dd class="settings-line">
          <code>{org.id}</code>
          <button type="button" class="button" onClick={() => void copyText(org.id, "Id")}>
            Copy
          </button>
        </dd>
        <dt>Made</dt>
        <dd>{formatDate(org.created_at)}</dd>
        <dt>Your role</dt>
        <dd>{org.role ?? "none"}</dd>
      </dl>
      <p class="dim settings-note">
        Requests of people who belong to several organisations name the one they mean by its id, in the header{" "}
        <code>x-org-id</code>.
      </p>
    </SettingsSection>
  );
}

/** Whether the status of what the org watches is open to everybody. */
function PublicStatus({ org, changed }: { org: OrgView; changed: () => void }): JSX.Element {
  const path = org.is_first ? "/status" : `/status/${org.slug}`;
  const set = async (isPublic: boolean): Promise<void> => {
    try {
      await orgApi.openStatus(org.id, isPublic);
      notify(isPublic ? "The status is public." : "The status is no longer public.");
      changed();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <SettingsSection
      title="Public status"
      about="A page for everybody, without a sign-in: titles of watched scenarios, their state, incidents that go on, and the names of maintenance windows."
    >
      <div class="settings-line">
        <span>{org.status_page ? "It is public." : "It is not public."}</span>
        {org.status_page && <a href={path}>{path}</a>}
        {isManager(org.role) && (
          <button type="button" class="button" onClick={() => void set(!org.status_page)}>
            {org.status_page ? "Close it" : "Open it to everybody"}
          </button>
        )}
      </div>
    </SettingsSection>
  );
}

/** Everybody else: as many as a choice can hold. */
function Transfer({ org, members }: { org: OrgView; members: Member[] }): JSX.Element {
  const others = members.filter(({ is_you }) => !is_you);
  const heir = useSignal(others[0]?.user_id ?? "");
  const isAsking = useSignal(false);
  const chosen = others.find(({ user_id }) => user_id === heir.value);
  if (others.length === 0)
    return (
      <p>
        There is nobody to transfer it to. <a href="/settings/members">Invite somebody</a> first.
      </p>
    );
  return (
    <div class="settings-line">
      <select
        class="select"
        aria-label="New owner"
        value={heir.value}
        onChange={(event) => {
          heir.value = event.currentTarget.value;
        }}
      >
        {others.map(({ user_id, name, email }) => (
          <option key={user_id} value={user_id}>
            {name} ({email})
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button is-danger"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        Transfer…
      </button>
      {isAsking.value && chosen && (
        <Confirm
          title="Transfer the organisation"
          word="Transfer"
          act={async () => {
            await orgApi.transfer(org.id, chosen.user_id);
            location.reload();
          }}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          {chosen.name} ({chosen.email}) becomes the owner of {org.name}, and you an admin. Only {chosen.name}{" "}
          can give it back.
        </Confirm>
      )}
    </div>
  );
}

function Leave({ org }: { org: OrgView }): JSX.Element {
  const isAsking = useSignal(false);
  return (
    <SettingsSection
      title="Leave"
      about="Your sessions here and your personal tokens end. The last owner cannot leave."
    >
      <button
        type="button"
        class="button is-danger"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        Leave {org.name}…
      </button>
      {isAsking.value && (
        <Confirm
          title={`Leave ${org.name}`}
          word="Leave"
          act={async () => {
            await orgApi.leave(org.id);
            location.assign("/signin");
          }}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          You get in again only by a new invitation.
        </Confirm>
      )}
    </SettingsSection>
  );
}

function Delete({ org }: { org: OrgView }): JSX.Element {
  const isAsking = useSignal(false);
  if (org.is_first)
    return (
      <SettingsSection title="Delete">
        <p>This is the first organisation of the data folder, which stays as long as the folder.</p>
      </SettingsSection>
    );
  return (
    <SettingsSection
      title="Delete"
      about="At once nobody gets in and shared links end. Then traces, runs, scenarios, secrets, keys and members are removed for good. The audit log stays."
    >
      <button
        type="button"
        class="button is-danger"
        onClick={() => {
          isAsking.value = true;
        }}
      >
        Delete {org.name}…
      </button>
      {isAsking.value && (
        <Confirm
          title={`Delete ${org.name}`}
          word="Delete for good"
          typed={org.slug}
          act={async () => {
            await orgApi.remove(org.id, org.slug);
            location.assign("/signin");
          }}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          Everything that it has is removed for everybody, and cannot come back.
        </Confirm>
      )}
    </SettingsSection>
  );
}

/** What the page shows: whom the org may go to is asked by its owner alone. */
async function load(signal: AbortSignal) {
  const { org } = await api.me(signal);
  const shown = await orgApi.show(org.id, signal);
  const members = shown.role === "owner" ? (await orgApi.members(null, signal)).items : [];
  return { org: shown, members };
}

export function OrgPage(): JSX.Element {
  const revision = useSignal(0);
  const again = () => void revision.value++;
  const loaded = useLoad("org", load, revision.value);
  return (
    <LoadedPage title="Organisation" loaded={loaded} retry={again}>
      {({ org, members }) => (
        <>
          <About org={org} changed={again} />
          <PublicStatus org={org} changed={again} />
          {org.role === "owner" && (
            <SettingsSection title="Transfer" about="Another member becomes the owner, and you an admin.">
              <Transfer org={org} members={members} />
            </SettingsSection>
          )}
          {org.role !== null && <Leave org={org} />}
          {org.role === "owner" && <Delete org={org} />}
        </>
      )}
    </LoadedPage>
  );
}

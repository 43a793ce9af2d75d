import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api } from "../../api/calls.ts";
import { type Member, orgApi, type Role } from "../../api/orgs.ts";
import { tellFailure } from "../../ui/failing.ts";
import { formatDate, plural } from "../../ui/format.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { Confirm } from "./parts/confirm.tsx";
import { Invitations } from "./parts/invitations.tsx";
import { LoadedPage } from "./parts/loaded.tsx";
import { ROLE_WORDS, rolesToGive } from "./parts/roles.ts";

interface RowProps {
  member: Member;
  own: Role | null;
  changed: () => void;
  dismiss: (member: Member) => void;
}

function Row({ member, own, changed, dismiss }: RowProps): JSX.Element {
  const { user_id, name, email, role, joined_at, is_you } = member;
  const mayChange = own === "owner" || role !== "owner";
  const setRole = async (select: HTMLSelectElement): Promise<void> => {
    try {
      await orgApi.setRole(user_id, select.value as Role);
      notify(`${name} is ${select.value} now.`);
      changed();
    } catch (error) {
      select.value = role;
      tellFailure(error);
    }
  };
  return (
    <tr>
      <th scope="row">
        {name}
        {is_you && <span class="dim"> (you)</span>}
        <span class="settings-second">{email}</span>
      </th>
      <td>
        {mayChange ? (
          <select
            class="select"
            aria-label={`Role of ${name}`}
            value={role}
            onChange={(event) => void setRole(event.currentTarget)}
          >
            {rolesToGive(own).map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        ) : (
          role
        )}
      </td>
      <td class="settings-when">{formatDate(joined_at)}</td>
      <td class="settings-acts">
        {mayChange && !is_you && (
          <button type="button" class="button is-danger" onClick={() => dismiss(member)}>
            Remove
          </button>
        )}
      </td>
    </tr>
  );
}

function Members({ members, isWhole, own, changed }: Shown & { changed: () => void }): JSX.Element {
  const leaving = useSignal<Member | null>(null);
  const gone = leaving.value;
  return (
    <SettingsSection
      title={`${isWhole ? "" : "The first "}${plural(members.length, "member")}`}
      about="A role counts at once. Who is removed loses sessions here and personal tokens at once; keys that they made go on."
    >
      <table class="settings-table" aria-label="Members">
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col">Role</th>
            <th scope="col" class="settings-when">
              Since
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <Row
              key={`${member.user_id} ${member.role}`}
              member={member}
              own={own}
              changed={changed}
              dismiss={(one) => {
                leaving.value = one;
              }}
            />
          ))}
        </tbody>
      </table>
      {gone && (
        <Confirm
          title={`Remove ${gone.name}`}
          word="Remove"
          act={async () => {
            await orgApi.dismiss(gone.user_id);
            notify(`${gone.name} is removed.`);
            changed();
          }}
          onClose={() => {
            leaving.value = null;
          }}
        >
          {gone.name} ({gone.email}) gets in no more, from now on.
        </Confirm>
      )}
    </SettingsSection>
  );
}

const Roles = (): JSX.Element => (
  <SettingsSection title="What roles may do">
    <dl class="settings-facts">
      {Object.entries(ROLE_WORDS).map(([role, words]) => (
        <>
          <dt>{role}</dt>
          <dd>{words}</dd>
        </>
      ))}
    </dl>
  </SettingsSection>
);

interface Shown {
  members: Member[];
  isWhole: boolean;
  own: Role | null;
}

const MOST_PAGES = 10;

async function load(signal: AbortSignal): Promise<Shown> {
  const { org } = await api.me(signal);
  const members: Member[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, next_cursor } = await orgApi.members(cursor, signal);
    members.push(...items);
    cursor = next_cursor;
    if (cursor === null) break;
  }
  return { members, isWhole: cursor === null, own: org.role as Role | null };
}

export function MembersPage(): JSX.Element {
  const revision = useSignal(0);
  const again = () => void revision.value++;
  const loaded = useLoad("members", load, revision.value);
  return (
    <LoadedPage title="Members" loaded={loaded} retry={again}>
      {(shown) => (
        <>
          <Invitations own={shown.own} />
          <Members {...shown} changed={again} />
          <Roles />
        </>
      )}
    </LoadedPage>
  );
}

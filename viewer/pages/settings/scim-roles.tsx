import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ScimStatus } from "../../../server/identity/scim/model.ts";
import { api } from "../../api/calls.ts";
import { tellFailure } from "../../ui/failing.ts";
import { plural } from "../../ui/format.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";

type GroupRole = ScimStatus["roles"][number];
const ROLES = ["admin", "member", "billing"] as const;

interface RolesProps {
  roles: GroupRole[];
  onChange: () => void;
}

/** Which role the members of a group get. */
export function ScimRoles({ roles, onChange }: RolesProps): JSX.Element {
  const group = useSignal("");
  const role = useSignal<GroupRole["role"]>("admin");
  const isBusy = useSignal(false);
  async function save(items: Pick<GroupRole, "group" | "role">[]): Promise<boolean> {
    isBusy.value = true;
    try {
      await api.setScimRoles(items.map((item) => ({ group: item.group, role: item.role })));
      onChange();
      return true;
    } catch (error) {
      tellFailure(error);
      return false;
    } finally {
      isBusy.value = false;
    }
  }
  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const name = group.value.trim();
    if (name === "") return;
    const others = roles.filter((one) => one.group.toLowerCase() !== name.toLowerCase());
    if (await save([...others, { group: name, role: role.value }])) group.value = "";
  }
  return (
    <SettingsSection
      title="Roles by group"
      about="Whoever the directory provisions is a member. People in these groups get the role beside it instead; of several the first of admin, member, billing counts. Nobody becomes owner this way."
    >
      {roles.length > 0 && (
        <ul class="scim-rows">
          {roles.map((one) => (
            <li key={one.group}>
              <span class="captured scim-group">{one.group}</span>
              <span class="scim-says">
                {one.role},{" "}
                {one.members === null
                  ? "not sent by the directory yet"
                  : plural(one.members, "person", "people")}
              </span>
              <button
                type="button"
                class="button"
                disabled={isBusy.value}
                aria-label={`Remove the role of ${one.group}`}
                onClick={() => void save(roles.filter((other) => other !== one))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <form class="scim-form" onSubmit={(event) => void add(event)}>
        <input
          class="input"
          aria-label="Name of the group"
          placeholder="Name of a group"
          maxLength={256}
          value={group.value}
          onInput={(event) => {
            group.value = event.currentTarget.value;
          }}
        />
        <select
          class="select"
          aria-label="Role"
          value={role.value}
          onChange={(event) => {
            role.value = event.currentTarget.value as GroupRole["role"];
          }}
        >
          {ROLES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <button type="submit" class="button" disabled={isBusy.value || group.value.trim() === ""}>
          Give role
        </button>
      </form>
    </SettingsSection>
  );
}

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api } from "../api/calls.ts";
import type { Org } from "../api/orgs.ts";
import { errorText } from "../api/request.ts";
import { More, SignOut, Terminal, Tick } from "./icons.tsx";
import { lazyDialog } from "./lazy-dialog.tsx";
import { Menu, type MenuItem } from "./menu.tsx";
import { openPalette } from "./palette-open.ts";
import { notify } from "./toast.tsx";

async function signOut(): Promise<void> {
  try {
    await api.signOut();
    location.assign("/signin");
  } catch (error) {
    notify(errorText(error), { isError: true });
  }
}

const newOrg = lazyDialog(() => import("./org-switch.tsx").then((module) => module.NewOrgDialog));
/** Not needed until the menu is opened. */
const loadSwitch = () => import("./org-switch.tsx");

/** The orgs to choose from: by name, and by slug where two have the same. */
function orgItems(orgs: Org[]): MenuItem[] {
  const isAmbiguous = ({ name }: Org): boolean => orgs.filter((one) => one.name === name).length > 1;
  return orgs.map((org) => ({
    label: isAmbiguous(org) ? `${org.name} (${org.slug})` : org.name,
    isChecked: org.is_current,
    ...(org.is_current
      ? { icon: <Tick /> }
      : { run: () => void loadSwitch().then(({ switchOrg }) => switchOrg(org.id)) }),
  }));
}

export function AccountMenu(): JSX.Element {
  const orgs = useSignal<Org[]>([]);
  const look = async (): Promise<void> => {
    const { loadOrgs } = await loadSwitch();
    orgs.value = await loadOrgs();
  };
  return (
    <>
      <Menu
        label="Account"
        button={<More />}
        onOpen={() => void look()}
        items={[
          { label: "All commands…", icon: <Terminal />, run: openPalette },
          { label: "API description", href: "/openapi.json", isNewTab: true },
          { label: "New organisation…", run: newOrg.open },
          { label: "Sign out", icon: <SignOut />, run: () => void signOut() },
        ]}
        choices={orgs.value.length > 0 ? { title: "Organisation", items: orgItems(orgs.value) } : undefined}
      />
      <newOrg.Host />
    </>
  );
}

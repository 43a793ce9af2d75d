import type { JSX } from "preact";
import { api } from "../api/calls.ts";
import { errorText } from "../api/request.ts";
import { More, SignOut, Terminal } from "./icons.tsx";
import { Menu } from "./menu.tsx";
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

export function AccountMenu(): JSX.Element {
  return (
    <Menu
      label="More"
      button={<More />}
      items={[
        { label: "All commands…", icon: <Terminal />, run: openPalette },
        { label: "API description", href: "/openapi.json", isNewTab: true },
        { label: "Sign out", icon: <SignOut />, run: () => void signOut() },
      ]}
    />
  );
}

import type { JSX } from "preact";
import { Monitor, Moon, Sun } from "./icons.tsx";
import { Menu, type MenuItem } from "./menu.tsx";
import { THEMES, type Theme, theme } from "./theme.ts";

const NAMES: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };
const ICONS = { system: Monitor, light: Sun, dark: Moon };

/** The themes to choose from; the one that holds is checked. */
export const themeItems = (): MenuItem[] =>
  THEMES.map((name) => {
    const ThemeIcon = ICONS[name];
    return {
      label: NAMES[name],
      icon: <ThemeIcon />,
      isChecked: theme.value === name,
      run: () => {
        theme.value = name;
      },
    };
  });

export function ThemeMenu(): JSX.Element {
  const Current = ICONS[theme.value];
  return <Menu label={`Theme: ${NAMES[theme.value]}`} button={<Current />} items={themeItems()} />;
}

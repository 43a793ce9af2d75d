import { render } from "preact";
import { App } from "./app.tsx";
import { startRouter } from "./router.ts";
import { startKeyboard } from "./ui/keyboard.ts";
import { startTheme } from "./ui/theme.ts";

startTheme();
startRouter();
startKeyboard();

const host = document.getElementById("app");
if (host) render(<App />, host);

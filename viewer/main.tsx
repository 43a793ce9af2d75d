import { render } from "preact";
import { memberTrace, sharedTrace } from "./api.ts";
import { App } from "./app.tsx";
import { route, startRouter } from "./router.ts";
import { startKeyboard } from "./ui/keyboard.ts";
import { startTheme } from "./ui/theme.ts";

const at = route.peek();
if (at.page === "trace") memberTrace(at.id).askEarly();
else if (at.page === "shared") sharedTrace(at.shortId).askEarly();

startTheme();
startRouter();
startKeyboard();

const host = document.getElementById("app");
if (host) render(<App />, host);

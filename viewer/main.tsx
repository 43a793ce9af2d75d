import { render } from "preact";
import { memberTrace, sharedTrace } from "./api/trace-source.ts";
import { App, loadTracePage } from "./app.tsx";
import { replayEarly } from "./first-screen/early.ts";
import { readOpened } from "./first-screen/opened.ts";
import { route, startRouter } from "./router.ts";
import { startKeyboard } from "./ui/keyboard.ts";
import { startTheme } from "./ui/theme.ts";

const at = route.peek();
if (readOpened()) await loadTracePage();
else if (at.page === "trace") memberTrace(at.id).askEarly();
else if (at.page === "shared") sharedTrace(at.shortId).askEarly();

startTheme();
startRouter();
startKeyboard();

const host = document.getElementById("app");
if (host) {
  render(<App />, host);
  // Of a first screen that came with the page: from now on it is more than a picture.
  host.inert = false;
  // At once: what is pressed from here on goes to the viewer alone, and a click would be done twice.
  replayEarly();
}

import { render } from "preact";
import { showLatePictures } from "./api/late-pictures.ts";
import { readOpened } from "./api/opened.ts";
import { memberTrace, sharedTrace } from "./api/trace-source.ts";
import { App, loadDrawnPage } from "./app.tsx";
import { dressFirstScreen, passOnEarlyInput } from "./first-screen/early.ts";
import { readSignin } from "./pages/signin/shown.ts";
import { navigate, route, signinPath, startRouter } from "./router.ts";
import { startKeyboard } from "./ui/keyboard.ts";
import { startTheme } from "./ui/theme.ts";

const signin = readSignin(document);
// It may be the answer to a form, or to a code that is of no use any more; a link that waits to be used stays.
if (signin && !signin.link) navigate(signinPath(signin.next), { replace: true });
const { page, params } = route.peek();
if (readOpened()) await loadDrawnPage("trace");
else if (page === "docs") await loadDrawnPage("docs");
else if (page === "trace") memberTrace(params.id ?? "").askEarly();
else if (page === "shared" || page === "embedded") sharedTrace(params.shortId ?? "").askEarly();

startTheme();
showLatePictures(document);
startRouter();
startKeyboard();

const host = document.getElementById("app");
if (host) {
  // Of a first screen that came with the page, which is more than a picture from now on. Before the drawing, which asks
  // for the layout: each of the two has every element styled anew.
  dressFirstScreen();
  host.inert = false;
  render(<App />, host);
  // At once: what is pressed from here on goes to the viewer alone, and a click would be done twice.
  passOnEarlyInput();
}

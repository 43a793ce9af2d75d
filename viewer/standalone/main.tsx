import { type JSX, render } from "preact";
import { OpenTrace } from "../pages/trace.tsx";
import { followHistory } from "../router.ts";
import { startKeyboard } from "../ui/keyboard.ts";
import { EverywhereKeys, Overlays } from "../ui/overlays.tsx";
import { startTheme } from "../ui/theme.ts";
import { embeddedTrace, readMeta } from "./source.ts";

/** The trace page of an exported file. */
function File(): JSX.Element {
  return (
    <>
      <EverywhereKeys />
      <OpenTrace source={source} sharing="file" />
      <Overlays />
    </>
  );
}

const source = embeddedTrace(readMeta());
startTheme();
followHistory();
startKeyboard();
const host = document.getElementById("app");
if (host) render(<File />, host);

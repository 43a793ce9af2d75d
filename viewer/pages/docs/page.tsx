import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ApiError, send } from "../../api/request.ts";
import { location_ } from "../../router.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { copyText } from "../../ui/toast.tsx";
import { NotFoundPage } from "../not-found.tsx";
import { type DocsDocument, readDocument } from "./document.ts";
import { DocsSearch } from "./search.tsx";
import { DocsView } from "./view.tsx";

/** The topic that came with the page, until another is shown. */
const drawn = readDocument(document);

type Shown = { document: DocsDocument | null } | { error: unknown };

/** The server has each topic drawn as a page; here the same is taken out of it. */
async function load(path: string): Promise<Shown> {
  try {
    const response = await send(path, { headers: { accept: "text/html" } });
    return { document: readDocument(new DOMParser().parseFromString(await response.text(), "text/html")) };
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? { document: null } : { error };
  }
}

/** Where the address points to: a heading, or the top. */
function goToHeading(): void {
  const name = decodeURIComponent(location.hash.slice(1));
  const heading = name === "" ? null : document.getElementById(name);
  if (heading) heading.scrollIntoView();
  else document.getElementById("docs-main")?.scrollTo(0, 0);
  (heading ?? document.getElementById("docs-main"))?.focus({ preventScroll: true });
}

function copyCode(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest(".docs-copy") : null;
  const code = button?.parentElement?.querySelector("code")?.textContent;
  if (code) copyText(code, "Code");
}

/** The documentation that travels with the program. */
export function DocsPage(): JSX.Element {
  const path = location_.value.path.replace(/(?<=.)\/$/, "");
  const [shown, setShown] = useState<Shown | null>(
    drawn && drawn.path === topicPath(path) ? { document: drawn } : null,
  );
  const document_ = shown && "document" in shown ? shown.document : null;

  useEffect(() => {
    if (document_?.path === topicPath(path)) return;
    let isWanted = true;
    void load(path).then((loaded) => isWanted && setShown(loaded));
    return () => {
      isWanted = false;
    };
  }, [path]);
  useLayoutEffect(() => {
    if (!document_) return;
    document.title = `${document_.title} · Tracedeck`;
    // The browser has gone there itself when the page came with its text.
    if (document_ !== drawn || location.hash !== "") goToHeading();
    addEventListener("click", copyCode);
    return () => removeEventListener("click", copyCode);
  }, [document_]);

  if (document_) return <DocsView shown={document_} search={<DocsSearch />} />;
  if (shown && "document" in shown) return <NotFoundPage />;
  return (
    <div class="page">
      <SiteBar />
      <main>
        <h1 class="hidden-text">Docs</h1>
        {shown ? <Failed error={shown.error} /> : <Loading />}
      </main>
    </div>
  );
}

/** The first topic has no name of its own in the address. */
const topicPath = (path: string): string => (path === "/docs" ? "/docs/start" : path);

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { location_ } from "../router.ts";
import { DOCS_OF_PAGE } from "../ui/docs-places.ts";
import { SiteBar } from "../ui/site-bar.tsx";
import { oneLine } from "../ui/text.ts";

interface Way {
  href: string;
  label: string;
}

interface Explained {
  title: string;
  text: string;
  ways: Way[];
}

const ALL = {
  traces: { href: "/traces", label: "All traces" },
  "test-runs": { href: "/test-runs", label: "All test runs" },
  runs: { href: "/runs", label: "All runs" },
  failures: { href: "/failures", label: "All failures" },
  scenarios: { href: "/scenarios", label: "All scenarios" },
  storage: { href: "/storage", label: "Storage" },
  compare: { href: "/compare", label: "Compare two traces" },
  docs: { href: "/docs", label: "All topics" },
} satisfies Record<string, Way>;

const isPlace = (name: string): name is keyof typeof ALL => Object.hasOwn(ALL, name);
const searchFor = (text: string): Way => ({
  href: `/traces?${new URLSearchParams({ q: `"${text.replaceAll('"', " ")}"` })}`,
  label: "Search all traces for it",
});

/** What somebody who went to this path may have wanted, and where that is. */
export function explainPath(path: string): Explained {
  const [place = "", name = ""] = path.split("/").filter(Boolean).map(decode);
  if (name === "" || !isPlace(place)) return unknownPlace(place, name);
  const shown = `“${oneLine(name, 60)}”`;
  const ways = [ALL[place]];
  switch (place) {
    case "traces":
      return {
        title: `There is no trace ${shown}.`,
        text: "A trace is opened by its id or its short id. It may have been removed, or a part of the link was lost.",
        ways: [...ways, searchFor(name)],
      };
    case "test-runs":
      return {
        title: `There is no test run ${shown}.`,
        text: "It may be older than runs are kept, or a part of the link was lost.",
        ways,
      };
    case "runs":
      return { title: `There is no run ${shown}.`, text: "A part of the link may have been lost.", ways };
    case "scenarios":
      return {
        title: `There is no scenario ${shown}.`,
        text: "A scenario is there once a trace of it was kept, or its file was synced.",
        ways,
      };
    case "docs":
      return {
        title: `The documentation has no page ${shown}.`,
        text: "It may have been moved or renamed. Its search ( / ) knows every heading.",
        ways,
      };
    case "failures":
      return {
        title: "Failures have no page of their own.",
        text: "A kind of failure is a list of the traces that failed that way.",
        ways: /^sig_[0-9a-f]{16}$/.test(name)
          ? [{ href: `/traces?signature=${name}`, label: "Traces that failed this way" }, ...ways]
          : [...ways, searchFor(name)],
      };
    default:
      return { title: "There is nothing at this address.", text: "", ways };
  }
}

function unknownPlace(place: string, name: string): Explained {
  const title = "There is nothing at this address.";
  const start = place.slice(0, 3).toLowerCase();
  const near = Object.entries(ALL).find(([known]) => start.length > 1 && known.startsWith(start))?.[1];
  if (!near)
    return { title, text: "It may be mistyped, or a part of the link was lost.", ways: [ALL.traces] };
  const within = `${near.href}/${encodeURIComponent(name)}`;
  const ways = name === "" ? [near] : [{ href: within, label: oneLine(within, 60) }, near];
  return { title, text: "There is a page with a name much like it.", ways };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A page that says what was looked for, why it may be missing, and where to go from here. */
export function NotFoundPage(): JSX.Element {
  const { path } = location_.value;
  const { title, text, ways } = explainPath(path);
  useEffect(() => {
    document.title = "Not found · Tracedeck";
  }, []);
  return (
    <div class="page">
      <SiteBar />
      <main class="not-found">
        <h1>{title}</h1>
        <code class="captured">{oneLine(decode(path), 300)}</code>
        {text && <p class="dim">{text}</p>}
        <p class="not-found-ways">
          {ways.map(({ href, label }) => (
            <a key={href} class="button" href={href}>
              {label}
            </a>
          ))}
          <a class="button" href={DOCS_OF_PAGE["not-found"]}>
            Why this may be
          </a>
        </p>
      </main>
    </div>
  );
}

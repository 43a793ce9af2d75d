import { posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Settings } from "../../store/settings.ts";
import type { DocsDocument, DocsEntry, DocsSection } from "../../viewer/pages/docs/document.ts";
import { type ApiDescription, apiTopic, nounsOf, nounTopic } from "./api.ts";
import { type CommandText, commandsTopic } from "./commands.ts";
import { errorsTopic } from "./errors.ts";
import { type Rendered, renderMarkdown } from "./markdown.ts";
import { settingsTopic } from "./settings.ts";
import { pictureSizes, readTopic } from "./sources.ts";
import { GROUPS, PICTURES, WRITTEN } from "./topics.ts";

/** What the program tells of itself. */
export interface Told {
  api(): Promise<ApiDescription>;
  commands(): Promise<CommandText[]>;
  limits: Settings["rate_limits"];
}

interface Topic extends Rendered {
  path: string;
  group: string;
  markdown: string;
}

export type Docs = ReturnType<typeof createDocs>;

const API = "The API";
/** The topic that `/docs` shows. */
const FIRST = "/docs/start";

/** The documentation: what people wrote and what is made from the program, rendered when somebody first asks. */
export function createDocs(told: Told) {
  let making: Promise<Topic[]> | null = null;

  function topics(): Promise<Topic[]> {
    making ??= make(told);
    making.catch(() => (making = null));
    return making;
  }

  async function find(path: string): Promise<Topic | undefined> {
    const wanted = path === "/docs" ? FIRST : path;
    return (await topics()).find((topic) => topic.path === wanted);
  }

  return {
    /** The page of a topic; null when there is none at this path. */
    async page(path: string): Promise<DocsDocument | null> {
      const topic = await find(path);
      if (!topic) return null;
      const { title, headings, html } = topic;
      return { path: topic.path, title, headings, html, entries: entriesOf(await topics(), topic) };
    },
    /** A topic as Markdown; null when there is none at this path. */
    markdown: async (path: string): Promise<string | null> => (await find(path))?.markdown ?? null,
    /** What a search looks through. */
    async sections(): Promise<DocsSection[]> {
      return (await topics()).flatMap(({ path, title, sections }) =>
        sections.map(({ depth, text, id, lines }) => ({
          path: depth === 1 ? path : `${path}#${id}`,
          title,
          heading: text,
          lines,
        })),
      );
    },
    /** Every topic with its headings and links. */
    all: topics,
  };
}

/** The list of topics; of the API only the nouns while one looks at it. */
function entriesOf(all: readonly Topic[], shown: Topic): DocsEntry[] {
  return all
    .filter(({ path, group }) => group !== API || path === "/docs/api" || shown.group === API)
    .map(({ path, title, group }) => ({
      path,
      title: path === "/docs/api" ? title : title.replace(/^API: /, ""),
      group,
    }));
}

async function make(told: Told): Promise<Topic[]> {
  const [api, commands] = await Promise.all([told.api(), told.commands()]);
  const made: Source[] = [
    ...WRITTEN.map(({ name, group, file }) => ({
      path: `/docs/${name}`,
      group,
      file,
      text: () => readTopic(file),
    })),
    { path: "/docs/settings", group: "Reference", text: settingsTopic },
    ...(commands.length > 0
      ? [{ path: "/docs/command-line", group: "Reference", text: () => commandsTopic(commands) }]
      : []),
    { path: "/docs/errors", group: "Reference", text: errorsTopic },
    { path: "/docs/api", group: API, text: () => apiTopic(api, told.limits) },
    ...nounsOf(api).map((noun) => ({
      path: `/docs/api/${noun}`,
      group: API,
      text: () => nounTopic(api, noun),
    })),
  ];
  const sizes = await pictureSizes();
  const sizeOf = (picture: string) => sizes.get(posix.basename(picture));
  const topics: Topic[] = [];
  for (const source of made) {
    topics.push(topicOf(source, await source.text(), sizeOf));
    // All of them take long enough for others to notice.
    await setImmediate();
  }
  const order: string[] = [GROUPS[0], GROUPS[1], API, ...GROUPS.slice(2)];
  return topics.sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

const pathOfFile = new Map(WRITTEN.map(({ name, file }) => [file, `/docs/${name}`]));

interface Source {
  path: string;
  group: string;
  /** Where links lead from; without it, they are addresses. */
  file?: string;
  text(): string | Promise<string>;
}

function topicOf(
  { path, group, file }: Source,
  markdown: string,
  sizeOf: Parameters<typeof renderMarkdown>[2],
): Topic {
  const resolve = (href: string) => (file === undefined ? absolute(href) : addressOf(href, file));
  return { path, group, markdown, ...renderMarkdown(markdown, resolve, sizeOf) };
}

const absolute = (href: string): string | null => (href.startsWith("/") ? href : null);

/** Files link each other by their places in the source; here they are topics and pictures. */
function addressOf(href: string, file: string): string | null {
  if (href.startsWith("/")) return href;
  const [name = "", heading] = href.split("#");
  const target = posix.join(posix.dirname(file), name);
  if (posix.dirname(target) === PICTURES) return `/docs/pictures/${posix.basename(target)}`;
  const path = pathOfFile.get(target);
  return path ? path + (heading ? `#${heading}` : "") : null;
}

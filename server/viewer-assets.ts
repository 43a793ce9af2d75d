import { createHash } from "node:crypto";
import type { FirstScreen } from "../viewer/first-screen/render.tsx";
import { NOT_FOUND_MODULE, PAGES } from "../viewer/page-table.ts";
import type { DocsDocument } from "../viewer/pages/docs/document.ts";
import type { SigninShown } from "../viewer/pages/signin/shown.ts";
import { CONSENT_STYLE, CONSENT_STYLE_PATH } from "./http/consent-style.ts";
import { acceptedEncoding, type Encoding } from "./http/encoding.ts";
import {
  drawnPage,
  firstScreenPage,
  layoutOf,
  type PageParts,
  type RenderedScreen,
} from "./http/first-screen.ts";
import { NOTICE_STYLE, NOTICE_STYLE_PATH, pagePolicy, playerPage } from "./http/pages.ts";

/** The viewer as a bundler left it: the page, and the files it names. */
export interface ViewerBundle {
  html: string;
  files: ViewerFile[];
  /** Per module that is a page of its own: the names of the scripts that it needs beside those in the HTML. */
  pageScripts: Record<string, string[]>;
}

/** The file that runs in recorded pages which are inspected; the page itself never loads it. */
export const INSPECTOR_FILE = "inspector.js";
/** The script that stands within pages that come with their first screen. */
export const BOOT_FILE = "boot.js";

export interface ViewerFile {
  /** File name, as the page refers to it: `./name`. */
  name: string;
  type: string;
  bytes(): Promise<Uint8Array>;
}

/** What the page at an address is going to ask for, told with the page itself, so that nothing waits for a script to say so. */
export interface PageNeeds {
  /** The module that shows it, as the page table names it. */
  module?: string;
  /** Paths of JSON answers, credentials of the same origin. */
  answers?: string[];
}

/** The viewer's page and files as answers. Nothing is built or read before somebody asks. */
export interface ViewerAssets {
  /** The page's HTML with its security headers; `embed` lets any site frame it, `isMissing` answers 404 with it. */
  page(
    request: Request,
    options?: { embed?: boolean; needs?: PageNeeds; isMissing?: boolean },
  ): Promise<Response>;
  /**
   * The page with its first screen in it, as it goes out: for whoever asks with the same right for the same screen.
   * @throws what the renderer throws on data that it was not made for
   */
  traceScreen(screen: FirstScreen, packing: ScreenPacking): Promise<MadeScreen>;
  /** A page of the documentation, drawn: it can be read without a script. */
  docs(request: Request, shown: DocsDocument): Promise<Response>;
  /** The sign-in page, drawn: it works without a script. */
  signin(
    shown: SigninShown,
    answer?: { status?: number; headers?: Record<string, string> },
  ): Promise<Response>;
  /** The page that DOM recordings are played in; `origin` is the address that the viewer was asked at. */
  player(origin: string): Promise<Response>;
  /** A file below `/assets/`; null when there is none of that name. */
  asset(request: Request, name: string): Promise<Response | null>;
  /** The script that runs in recorded pages which are inspected. */
  inspector(request: Request): Promise<Response>;
}

/** How a first screen goes out: packed quickly, or as it is where packing would take longer than sending. */
export type ScreenPacking = "zstd" | null;

/** A page with its first screen, as it is answered. */
export interface MadeScreen {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** What the build calls the script that plays DOM recordings. */
const PLAYER_SCRIPT = /^player-\w+\.js$/;

interface Prepared {
  type: string;
  etag: string;
  plain: Uint8Array;
  packed: Map<Encoding, Promise<Uint8Array>>;
}

const HOUR = "public, max-age=3600";
const YEAR = "public, max-age=31536000, immutable";
/** Below this, packing costs more than it saves. */
const MIN_PACKED_BYTES = 1024;
/** Somebody waits for a first screen that nobody has made yet. */
const SCREEN_LEVEL = 3;

/** Draws first screens; see `viewer/first-screen/render.tsx`. */
export type ScreenRenderer = (screen: FirstScreen) => RenderedScreen;

/** Draws pages of the documentation; see `viewer/first-screen/docs.tsx`. */
export type DocsRenderer = (
  shown: DocsDocument,
  layout: { isNarrow: boolean },
) => { title: string; markup: string; data: string };

/** Draws the sign-in page; see `viewer/first-screen/signin.tsx`. */
export type SigninRenderer = (shown: SigninShown) => { title: string; markup: string; data: string };

export function createViewerAssets(
  load: () => Promise<ViewerBundle>,
  renderers: {
    trace: () => Promise<ScreenRenderer>;
    docs: () => Promise<DocsRenderer>;
    signin: () => Promise<SigninRenderer>;
  },
): ViewerAssets {
  const notice = prepare(Buffer.from(NOTICE_STYLE), "text/css; charset=utf-8");
  const consent = prepare(Buffer.from(CONSENT_STYLE), "text/css; charset=utf-8");
  let loading: Promise<{
    html: Prepared;
    files: Map<string, Promise<Prepared>>;
    bundle: ViewerBundle;
  }> | null = null;

  function loaded() {
    loading ??= load().then((bundle) => {
      const names = new Set(bundle.files.map(({ name }) => name));
      const html = bundle.html.replace(/(["'])\.?\/?([\w.-]+)\1/g, (whole, quote: string, name: string) =>
        names.has(name) ? `${quote}/assets/${name}${quote}` : whole,
      );
      const files = new Map<string, Promise<Prepared>>();
      return { html: prepare(Buffer.from(html), "text/html; charset=utf-8"), files, bundle };
    });
    // A build that failed is tried again by the next request.
    loading.catch(() => (loading = null));
    return loading;
  }

  let parts: Promise<PageParts> | null = null;
  /** Drawn pages of the documentation by path and layout: what they show stays as long as the program. */
  const drawn = new Map<string, Promise<Prepared>>();

  async function drawDocs(shown: DocsDocument, layout: { isNarrow: boolean }): Promise<Prepared> {
    const [{ html }, render] = await Promise.all([loaded(), renderers.docs()]);
    const page = drawnPage(Buffer.from(html.plain).toString("utf8"), render(shown, layout));
    return prepare(Buffer.from(page), "text/html; charset=utf-8");
  }

  async function readParts(): Promise<PageParts> {
    const { html, files, bundle } = await loaded();
    const text = async (name: string | undefined): Promise<string> => {
      const file = name ? await fileOf(files, bundle, name) : undefined;
      if (!file) throw new Error(`The viewer's build has no ${name ?? "style sheet"}.`);
      return Buffer.from(file.plain).toString("utf8");
    };
    const page = Buffer.from(html.plain).toString("utf8");
    // What parses it is not loaded before a first screen is made.
    const { readStyle } = await import("./http/used-style.ts");
    return {
      html: page,
      usedStyle: readStyle(await text(/href="\/assets\/([\w.-]+\.css)"/.exec(page)?.[1])),
      boot: await text(BOOT_FILE),
      scripts: (bundle.pageScripts[PAGES.trace.module] ?? []).map((name) => `/assets/${name}`),
    };
  }

  return {
    async traceScreen(screen, packing) {
      parts ??= readParts();
      parts.catch(() => (parts = null));
      const [known, render] = await Promise.all([parts, renderers.trace()]);
      const { html, policy } = firstScreenPage(known, render(screen), {
        mayBeFramed: screen.sharing === "embed",
      });
      const plain = new TextEncoder().encode(html);
      return {
        body: packing ? new Uint8Array(await Bun.zstdCompress(plain, { level: SCREEN_LEVEL })) : plain,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          // What it shows is not for everybody, and links in it end.
          "cache-control": "no-store",
          vary: "accept-encoding, cookie",
          ...(packing ? { "content-encoding": packing } : {}),
        },
      };
    },
    async docs(request, shown) {
      const isNarrow = layoutOf(request) === "narrow";
      const key = `${shown.path} ${isNarrow}`;
      const page = drawn.get(key) ?? drawDocs(shown, { isNarrow });
      drawn.set(key, page);
      page.catch(() => drawn.delete(key));
      const { bundle } = await loaded();
      const headers = {
        "cache-control": "no-cache",
        "content-security-policy": pagePolicy({ mayBeFramed: false }),
        link: preloads(bundle, { module: PAGES.docs.module, answers: PAGES.docs.answers() }),
      };
      return answer(request, await page, headers);
    },
    async signin(shown, { status = 200, headers = {} } = {}) {
      const [{ html }, render] = await Promise.all([loaded(), renderers.signin()]);
      const page = drawnPage(Buffer.from(html.plain).toString("utf8"), render(shown));
      return new Response(page, {
        status,
        headers: {
          ...headers,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": pagePolicy({ mayBeFramed: false }),
          // What was typed and the code of a link stand in it.
          "cache-control": "no-store",
        },
      });
    },
    async page(request, { embed = false, needs = {}, isMissing = false } = {}) {
      const { html, bundle } = await loaded();
      const link = preloads(bundle, isMissing ? { module: NOT_FOUND_MODULE } : needs);
      const headers = {
        "cache-control": "no-cache",
        "content-security-policy": pagePolicy({ mayBeFramed: embed }),
        ...(link ? { link } : {}),
      };
      return answer(request, html, headers, isMissing ? 404 : 200);
    },
    async inspector(request) {
      const { files, bundle } = await loaded();
      const prepared = await fileOf(files, bundle, INSPECTOR_FILE);
      if (!prepared) throw new Error("The viewer's build has no inspector.");
      return answer(request, prepared, { "cache-control": HOUR, "x-content-type-options": "nosniff" });
    },
    async player(origin) {
      const { bundle } = await loaded();
      const script = bundle.files.find(({ name }) => PLAYER_SCRIPT.test(name));
      if (!script) throw new Error("The viewer's build has no player.");
      return playerPage(`${origin}/assets/${script.name}`);
    },
    async asset(request, name) {
      // Pages that tell of an error must work when the viewer does not.
      if (`/assets/${name}` === NOTICE_STYLE_PATH) return answer(request, notice, { "cache-control": HOUR });
      if (`/assets/${name}` === CONSENT_STYLE_PATH)
        return answer(request, consent, { "cache-control": HOUR });
      const { files, bundle } = await loaded();
      const prepared = await fileOf(files, bundle, name);
      if (!prepared) return null;
      return answer(request, prepared, { "cache-control": YEAR });
    },
  };
}

/** The value of a `Link` header (RFC 8288) that starts the loads; browsers match them with the later requests. */
function preloads(bundle: ViewerBundle, { module, answers = [] }: PageNeeds): string {
  const scripts = module ? (bundle.pageScripts[module] ?? []) : [];
  return [
    ...answers.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`),
    ...scripts.map((name) => `</assets/${name}>; rel=modulepreload`),
  ].join(", ");
}

/** A file of the bundle, read when it is first asked for. */
async function fileOf(
  files: Map<string, Promise<Prepared>>,
  bundle: ViewerBundle,
  name: string,
): Promise<Prepared | undefined> {
  const file = bundle.files.find((candidate) => candidate.name === name);
  if (file && !files.has(name))
    files.set(
      name,
      file.bytes().then((bytes) => prepare(bytes, file.type)),
    );
  return files.get(name);
}

function prepare(plain: Uint8Array, type: string): Prepared {
  const etag = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  return { type, etag, plain, packed: new Map() };
}

async function answer(
  request: Request,
  file: Prepared,
  headers: Record<string, string>,
  status = 200,
): Promise<Response> {
  const encoding = file.plain.byteLength < MIN_PACKED_BYTES ? null : acceptedEncoding(request, file.type);
  const etag = `"${file.etag}${encoding ? `-${encoding}` : ""}"`;
  const all = { ...headers, etag, vary: "accept-encoding" };
  // Conditions are only asked of what would be a success (RFC 9110, section 13.2.1).
  if (status === 200 && request.headers.get("if-none-match")?.includes(etag))
    return new Response(null, { status: 304, headers: all });
  const body = encoding ? await packed(file, encoding) : file.plain;
  return new Response(body as Uint8Array<ArrayBuffer>, {
    status,
    headers: {
      ...all,
      "content-type": file.type,
      ...(encoding ? { "content-encoding": encoding } : {}),
    },
  });
}

function packed(file: Prepared, encoding: Encoding): Promise<Uint8Array> {
  let bytes = file.packed.get(encoding);
  if (!bytes) {
    const plain = file.plain as Uint8Array<ArrayBuffer>;
    bytes =
      encoding === "zstd"
        ? Bun.zstdCompress(plain, { level: 15 })
        : Promise.resolve(Bun.gzipSync(plain, { level: 9 }));
    file.packed.set(encoding, bytes);
  }
  return bytes;
}

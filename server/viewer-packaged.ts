import page from "../viewer/index.html";

/** The viewer's page and files as the build put them into the executable; in a source run only the page's path. */
export const packagedPage = page as unknown as import("./viewer-build.ts").PackagedPage;

/** A topic in the list of them. */
export interface DocsEntry {
  /** Where it is: `/docs/settings`. */
  path: string;
  title: string;
  group: string;
}

export interface DocsHeading {
  depth: number;
  text: string;
  id: string;
}

/** What a page of the documentation shows. */
export interface DocsDocument {
  path: string;
  title: string;
  entries: DocsEntry[];
  headings: DocsHeading[];
  /** Made by the server of Markdown in which no HTML counts. */
  html: string;
}

/** A heading with the lines below it, as the search looks through them. */
export interface DocsSection {
  /** With the heading's name: `/docs/settings#plans`. */
  path: string;
  /** Of the topic. */
  title: string;
  heading: string;
  lines: string[];
}

/** What stands beside the text, in the page. */
export const DATA_ID = "docs-data";
export const TEXT_ID = "docs-text";

/** What a page that the server has drawn shows; null when it is none of these. */
export function readDocument(page: Document): DocsDocument | null {
  const data = page.getElementById(DATA_ID)?.textContent;
  const text = page.getElementById(TEXT_ID);
  return data && text ? { ...(JSON.parse(data) as Omit<DocsDocument, "html">), html: text.innerHTML } : null;
}

import type { BrowserContext, CDPSession, Page } from "playwright-core";

/** One DevTools session a page, for everything that looks at it. @throws when the page has gone */
export type PageSessions = (page: Page) => Promise<CDPSession>;

export function createPageSessions(context: BrowserContext): PageSessions {
  const sessions = new WeakMap<Page, Promise<CDPSession>>();
  return (page) => {
    const known = sessions.get(page);
    if (known) return known;
    const session = context.newCDPSession(page);
    sessions.set(page, session);
    return session;
  };
}

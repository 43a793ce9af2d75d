import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { directSendOf } from "../browsers/internals.ts";
import { untraced } from "../browsers/untraced.ts";

export type PageSession = Pick<CDPSession, "send" | "on">;

/** One DevTools session a page, for everything that looks at it. @throws when the page has gone */
export type PageSessions = (page: Page) => Promise<PageSession>;

export function createPageSessions(context: BrowserContext): PageSessions {
  const sessions = new WeakMap<Page, Promise<PageSession>>();
  return (page) => {
    const known = sessions.get(page);
    if (known) return known;
    const session = untraced(context, () => context.newCDPSession(page)).then(straight);
    sessions.set(page, session);
    return session;
  };
}

/**
 * The session, asked without the way around: Playwright checks and copies each public call and takes its stack, which costs several
 * times what the call does. Tests of our users may bring a Playwright that has no other way.
 */
function straight(session: CDPSession): PageSession {
  const send = directSendOf(session);
  return send ? { send, on: session.on.bind(session) } : session;
}

import type { BrowserContext, WebSocketRoute } from "playwright-core";
import type { NetworkCapture } from "../capture/network.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { RecordedSocket } from "./exchanges.ts";

/** The code of a service that restarts (RFC 6455, section 7.4; IANA's registry): pages connect again. */
const RESTART = 1012;
const UNAVAILABLE = 1013;

/**
 * Answers the WebSockets of a context from what was recorded: after each message that a page sends comes what came then.
 * @returns closes those that are open, so that their pages connect to the target itself
 */
export async function serveSockets(
  context: BrowserContext,
  sockets: readonly RecordedSocket[],
  options: { isServing: () => boolean; redactor: Pick<Redactor, "url">; network: NetworkCapture },
): Promise<() => Promise<void>> {
  const { isServing, redactor, network } = options;
  const left = [...sockets];
  const open = new Set<WebSocketRoute>();

  await context.routeWebSocket(/.*/, (route) => {
    if (!isServing()) {
      route.connectToServer();
      return;
    }
    const record = network.socket(route.url());
    const wanted = redactor.url(route.url());
    const at = left.findIndex(({ url }) => url === wanted);
    const [recorded] = at < 0 ? [] : left.splice(at, 1);
    if (!recorded) {
      void route.close({ code: UNAVAILABLE, reason: "The source trace holds no such connection." });
      return;
    }
    open.add(route);
    route.onClose(() => void open.delete(route));
    let next = 0;
    const receive = () => {
      for (; recorded.messages[next]?.direction === "received"; next++) {
        const data = recorded.messages[next]?.data ?? "";
        const message = typeof data === "string" ? data : Buffer.from(data);
        record("received", message);
        route.send(message);
      }
    };
    route.onMessage((message) => {
      record("sent", message);
      if (recorded.messages[next]?.direction === "sent") next += 1;
      receive();
    });
    receive();
  });

  return async () => {
    for (const route of open) await route.close({ code: RESTART, reason: "The replay goes live." });
  };
}

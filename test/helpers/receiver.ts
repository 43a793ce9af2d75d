/** What a receiver of notifications got. */
export interface Received {
  path: string;
  headers: Headers;
  body: string;
}

type Answer = (received: Received) => Response | Promise<Response>;

/** An HTTP server of its own on loopback that keeps what it gets and answers as a test says. */
export function createReceiver() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      const one = { path, headers: request.headers, body: await request.text() };
      received.push(one);
      return (await answers.get(path)?.(one)) ?? new Response("ok");
    },
  });
  return {
    url: (path: string) => `http://127.0.0.1:${server.port}${path}`,
    /** What came to a path, in order. */
    at: (path: string) => received.filter((one) => one.path === path),
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    close: () => server.stop(true),
  };
}

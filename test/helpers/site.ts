/** A site of its own on loopback that answers each path with its file, and any other with nothing; the test stops it. */
export function startSite(files: Record<string, [type: string, body: string]>): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const [type, body] = files[new URL(request.url).pathname] ?? ["text/plain", ""];
      return new Response(body, { headers: { "content-type": type } });
    },
  });
}

import { originOf } from "./guard.ts";

/** The origins under which this server is one for whoever sent the request: the one that was asked, and the public one. */
export function ownOrigins(request: Request, config: { publicUrl: string | null }): readonly string[] {
  const asked = originOf(request, config);
  return config.publicUrl === null || config.publicUrl === asked ? [asked] : [asked, config.publicUrl];
}

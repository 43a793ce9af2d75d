import { dataFolder } from "../../store/data-folder.ts";
import type { Deps } from "../deps.ts";
import { addressOf, readCredentials } from "./orgs.ts";

/**
 * Where people find this server, without a slash at the end: what links in mail and callbacks begin with. It never comes from
 * a request, whose `Host` may name another port.
 */
export function publicBase({ config }: Pick<Deps, "config">): string {
  const running = () => readCredentials(dataFolder(config.dataDir).credentials)?.url;
  return config.publicUrl ?? running() ?? addressOf(config.host, config.port);
}

import { devalued, isDevalued } from "./forms/devalue.ts";
import { startedWith } from "./forms/started-with.ts";
import { isRecord, jsonOf } from "./json-leaves.ts";

const ISLAND = /<script\b[^<>]{0,500}\btype=["']?application\/json\b[^<>]{0,500}>/i;
const SCRIPT = /<script\b[^<>]{0,500}>/i;

const LONGEST_PAGE = 2_000_000;
const MOST_PARTS = 10;

/** What a served page hands to its scripts as data, by the ids of these parts; undefined where it hands nothing over. */
export function handedOver(html: string): unknown {
  const parts: Record<string, unknown> = {};
  const started: string[] = [];
  // Up to each end one part at most is looked for, so that the page is read once: what begins within a script is its text.
  for (const piece of html.slice(0, LONGEST_PAGE).split("</script").slice(0, -1)) {
    const begin = ISLAND.exec(piece) ?? SCRIPT.exec(piece);
    if (!begin) continue;
    const text = piece.slice(begin.index + begin[0].length);
    if (!ISLAND.test(begin[0])) {
      started.push(text);
      continue;
    }
    const id = /\bid=["']?([\w-]{1,60})/i.exec(begin[0])?.[1] ?? "data";
    const value = withoutFrame(id, jsonOf(text));
    if (value !== undefined && Object.keys(parts).length < MOST_PARTS) parts[id] = value;
  }
  const data = startedWith(started);
  if (data !== undefined) parts.page = data;
  const all = Object.values(parts);
  return all.length > 1 ? parts : all[0];
}

/** The data of a page without what its framework puts around them. */
function withoutFrame(id: string, value: unknown): unknown {
  if (id === "__NUXT_DATA__" && isDevalued(value)) {
    const state = devalued(value);
    return isRecord(state) && isRecord(state.data) ? state.data : state;
  }
  if (id === "__NEXT_DATA__" && isRecord(value) && isRecord(value.props))
    return value.props.pageProps ?? value.props;
  return value;
}

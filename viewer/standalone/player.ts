import { partText } from "./parts.ts";

let address: string | null = null;

/**
 * Address of the page that plays DOM recordings: as the server's, a page around one without an origin, in which the player
 * runs. Both inherit this file's policy, which names the player's script.
 */
export function playerUrl(): string {
  if (address) return address;
  const script = partText("player") ?? "";
  const inner = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Replay</title><body><script>${script}</script>`;
  const outer = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Replay</title>
<style>html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0; overflow: hidden }</style>
<iframe title="Replay" src="data:text/html;charset=utf-8,${encodeURIComponent(inner)}"></iframe>`;
  address = URL.createObjectURL(new Blob([outer], { type: "text/html;charset=utf-8" }));
  return address;
}

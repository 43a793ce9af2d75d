/** Makes the pictures of viewer/PAGES.md anew: `bun test/viewer/pictures/make.ts`, with names for some of them. */
import { join } from "node:path";
import { closeBrowser, openPage, PHONE } from "../../helpers/browser.ts";
import { PHONE_SCREENS, PICTURES, type Screen } from "./list.ts";
import { NOW, type PicturedWorld, picturedWorld } from "./world.ts";

const FOLDER = join(import.meta.dir, "..", "..", "..", "viewer", "pictures");

/** A screen as it is to be shown, as PNG. */
export async function takeScreen(world: PicturedWorld, screen: Screen, isPhone = false): Promise<Buffer> {
  const options = { theme: screen.theme, now: NOW, ...(isPhone ? { size: PHONE, isPhone } : {}) };
  const { page, context } = await world.viewer.open(screen.path(world), options);
  await screen.act(page, world);
  await page.waitForLoadState("networkidle");
  const png = await page.screenshot({ animations: "disabled", caret: "hide" });
  await context.close();
  return png;
}

/** Screens of a phone, one beside the other. */
async function sideBySide(screens: readonly Buffer[]): Promise<Buffer> {
  const size = { width: PHONE.width * screens.length, height: PHONE.height };
  const { page, context } = await openPage({ size });
  const images = screens.map((png) => `<img src="data:image/png;base64,${png.toString("base64")}">`);
  await page.setContent(`<body style="margin:0;display:flex">${images.join("")}</body>`);
  const png = await page.screenshot();
  await context.close();
  return png;
}

/** Keeps a picture with as few colours as it needs, where the machine has pngquant. */
async function keep(name: string, png: Buffer): Promise<void> {
  const quant = Bun.which("pngquant");
  const small = quant ? await new Response(Bun.spawn([quant, "-"], { stdin: png }).stdout).bytes() : png;
  await Bun.write(join(FOLDER, `${name}.png`), small);
  console.log(`${name}.png ${(small.length / 1000).toFixed(0)} kB`);
}

async function make(names: readonly string[]): Promise<void> {
  const known = [...PICTURES.map(({ name }) => name), "phone"];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`No picture is named ${unknown.join(", ")}. There are ${known.join(", ")}.`);
  const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const world = await picturedWorld();
  try {
    for (const screen of PICTURES)
      if (isWanted(screen.name)) await keep(screen.name, await takeScreen(world, screen));
    if (!isWanted("phone")) return;
    const phones: Buffer[] = [];
    for (const screen of PHONE_SCREENS) phones.push(await takeScreen(world, screen, true));
    await keep("phone", await sideBySide(phones));
  } finally {
    await closeBrowser();
    await world.close();
  }
}

if (import.meta.main) await make(Bun.argv.slice(2));

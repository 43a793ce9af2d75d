/**
 * The page's document as HTML that shows what was seen: with the values of its fields, its style sheets in place and
 * without scripts. Runs in the page, so it refers to nothing outside itself. Passwords, codes and card numbers stay out.
 */
export function pageHtml(): string {
  const MOST_CSS = 2_000_000;
  const SECRET = /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc)(?:\s|$)/i;
  const root = document.documentElement;
  const copy = root.cloneNode(true) as HTMLElement;
  const originals = root.querySelectorAll("input, textarea, select, option, canvas, dialog, details");
  const copies = copy.querySelectorAll("input, textarea, select, option, canvas, dialog, details");
  for (const [at, original] of [...originals].entries()) {
    const twin = copies[at];
    if (!twin) continue;
    if (original instanceof HTMLInputElement) {
      if (original.type === "checkbox" || original.type === "radio")
        twin.toggleAttribute("checked", original.checked);
      else if (original.type === "password" || SECRET.test(original.getAttribute("autocomplete") ?? ""))
        twin.setAttribute("value", "•".repeat(Math.min(12, original.value.length)));
      else if (original.type !== "file") twin.setAttribute("value", original.value);
    } else if (original instanceof HTMLTextAreaElement) {
      twin.textContent = original.value;
    } else if (original instanceof HTMLOptionElement) {
      twin.toggleAttribute("selected", original.selected);
    }
  }
  for (const gone of copy.querySelectorAll("script, noscript, template")) gone.remove();
  const sheetOwners = root.querySelectorAll("link[rel~=stylesheet], style");
  const sheetTwins = copy.querySelectorAll("link[rel~=stylesheet], style");
  let css = 0;
  for (const [at, owner] of [...sheetOwners].entries()) {
    const twin = sheetTwins[at];
    const sheet = (owner as HTMLLinkElement | HTMLStyleElement).sheet;
    if (!twin || !sheet) continue;
    try {
      const text = [...sheet.cssRules].map((rule) => rule.cssText).join("\n");
      css += text.length;
      if (css > MOST_CSS) continue;
      const style = document.createElement("style");
      style.textContent = text;
      // Whoever asks which sheet a rule is of, and when it holds, finds it as the link had it.
      if (owner instanceof HTMLLinkElement) style.dataset.href = owner.href;
      style.media = (owner as HTMLLinkElement | HTMLStyleElement).media;
      twin.replaceWith(style);
    } catch {
      // A sheet of another origin may not be read: its link stays.
    }
  }
  for (const sheet of document.adoptedStyleSheets) {
    const style = document.createElement("style");
    style.textContent = [...sheet.cssRules].map((rule) => rule.cssText).join("\n");
    copy.querySelector("head")?.append(style);
  }
  const base = document.createElement("base");
  base.href = document.baseURI;
  if (!copy.querySelector("base")) copy.querySelector("head")?.prepend(base);
  return `<!doctype html>${copy.outerHTML}`;
}

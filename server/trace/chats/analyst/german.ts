/** Words by which a question is German; none is an English one. */
const GERMAN =
  /(?<!\p{L})(?:warum|wieso|weshalb|woran|seit wann|wann|welche[rmns]?|wie (?:oft|kann|soll|behebe|reproduziere|führe|lange|viele)|wo (?:steht|kommt|ist|erscheint)|was (?:ist|hat|war|waren|soll|muss|kannst|steht|geschah|passierte|lief|unterscheidet)|ist (?:der|die|das|es)|gab es|zeig(?:e)?|erzähl(?:e)?|vergleiche?|suche nach|schritte?|anfragen?|konsole|hilfe|fehlgeschlagen|schlägt|bitte|lösche)(?!\p{L})/u;

/** What German words say in the English that the signs know; the first that fits counts. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:warum|wieso|weshalb|woran|ursachen?|grund|schief\p{L}*)$/u, "why"],
  [/^seit$/, "since"],
  [/^wann$/, "when"],
  [/^welche[rmns]?$/, "which"],
  [/^kaputt$/, "broke"],
  [/^zuletzt$/, "was the last green"],
  [/^(?:fehlgeschlagen|fehlschlägt|fehl|scheiter\p{L}*|gescheitert|rot|fehler|fehlschlag)$/u, "fail"],
  [/^(?:unterschied\p{L}*|unterscheidet|anders|vergleich\p{L}*|geändert|verändert)$/u, "differs"],
  [/^(?:ändern|anpassen|tun|beheben?|behebt|reparier\p{L}*|lösen|lösung)$/u, "fix"],
  [/^(?:anfragen?|netzwerk|antwort\p{L}*|geantwortet|endpunkte?)$/u, "requests"],
  [/^(?:seite|bildschirm\p{L}*|gezeigt|angezeigt|sichtbar|dialog)$/u, "page"],
  [
    /^(?:wackl?e?l?\p{L}*|sporadisch|unzuverlässig|zuverlässig|instabil|stabil|manchmal|zufällig|oft)$/u,
    "flaky",
  ],
  [/^(?:nachstellen|nachvollziehen|reproduzier\p{L}*|lokal)$/u, "reproduce"],
  [/^schritte$/, "steps"],
  [/^schritt$/, "step"],
  [/^(?:langsam\p{L}*|dauert\p{L}*|ablauf)$/u, "slowest steps"],
  [/^(?:konsole|warnung\p{L}*|protokoll)$/u, "console"],
  [/^(?:zeile|quelltext|datei)$/u, "which line"],
  [/^(?:umgebung|rechner|zeitzone)$/u, "environment"],
  [/^(?:hilfe|kannst)$/u, "help"],
  [/^(?:suche?|finde?|wo)$/u, "where"],
  [/^(?:lösche?|entferne?|schicke?|sende?|teile?|schließe?)$/u, "delete"],
];
/** Small words that stand between others, and those that are other words in English. All others stay: many are the same in both. */
const LEFT_OUT =
  /^(?:der|die|das|den|dem|ein|eine|es|er|ist|sind|hat|haben|war|was|also|am|an|man|last|fall|fast|order|will)$/;

/** A German question in the words that the signs know; null for one that is not German. @param words in small letters */
export function inEnglish(words: string): string | null {
  if (!GERMAN.test(words)) return null;
  const said = (words.match(/[\p{L}\d]+/gu) ?? []).map(
    (word) => WORDS.find(([sign]) => sign.test(word))?.[1] ?? (LEFT_OUT.test(word) ? "" : word),
  );
  const known = said.filter((one) => one !== "").join(" ");
  return known.replace(/\b(\d{1,6}) step\b/, "step $1");
}

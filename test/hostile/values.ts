/** What nobody sends who means well. A row here goes into every parameter, field and event kind there is. */

/** Runs, leads away or shows itself where it gets into a page as markup. */
export const MARK =
  "<hostile-mark x=1><script>globalThis.owned=1</script><img src=x onerror=globalThis.owned=1>";

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + close.repeat(depth));

export const TEXTS: Record<string, string> = {
  empty: "",
  blank: " \t\r\n\u00a0\u2028",
  huge: "A".repeat(100_000),
  "huge and of four bytes each": "😀".repeat(5_000),
  NUL: "a\0b",
  "control characters": "\x01\x07\b\x1b\x7f\x85",
  "a lone high surrogate": "\ud800",
  "a lone low surrogate": "\udfff x",
  "direction overrides": "\u202egnp.exe\u2066\u200f",
  "ANSI escapes": "\x1b[2J\x1b]0;owned\x07\x1b[31m",
  "new lines and a header": "a\r\nset-cookie: owned=1\r\n\r\n<html>",
  traversal: "../../../../../../etc/passwd",
  "traversal, of Windows": "..\\..\\..\\windows\\win.ini",
  "traversal, encoded": "..%2f..%2f%2e%2e%2fetc%2fpasswd%00.png",
  "absolute path": "/etc/passwd",
  "drive path": "C:\\Windows\\win.ini",
  "UNC path": "\\\\evil.test\\share\\x",
  "javascript: address": "javascript:globalThis.owned=1",
  "file: address": "file:///etc/passwd",
  "data: address": "data:text/html,<script>owned=1</script>",
  "address that hides its host": "https://localhost@evil.test/\\\\evil.test",
  "address without a scheme": "//evil.test/x",
  markup: MARK,
  "markup that breaks out": `"'></script></style></title></textarea>--!>]]>${MARK}`,
  "markdown and a link": "[x](javascript:owned) ![x](http://evil.test/) <http://evil.test> ```\n# owned",
  SQL: "'; drop table traces; -- \" or 1=1 union select * from keys",
  "SQL wildcards": "%_*?[a-z]\\%",
  "words of the full-text search": '"unclosed AND (NEAR(a b, 5) OR -x* ^y: {col} NOT',
  template: "${process.env.HOME} {{7*7}} <%= 7*7 %> $(id) `id`",
  "regular expression": "((((((a+)+)+)+)+)+)+$!",
  "prototype key": "__proto__",
  "constructor key": "constructor",
  "a method's name": "toString",
  "format marks": "%s%n%x{0}",
  "number beyond 2^53": "9007199254740993",
  "number without end": "1e400",
  "negative number": "-1",
  "not a number": "NaN",
  "number in hexadecimal": "0x10",
  "date out of range": "+275760-09-13T00:00:00.001Z",
  "day that is none": "2026-02-30T25:61:61Z",
  "date before all": "-271821-04-19T23:59:59.999Z",
  "cursor that is none": "eyJhIjoxfQ==.AAAA",
  "other digits": "١٢٣ ４５６",
  "uuid of nobody": "00000000-0000-7000-8000-000000000000",
};

/** Besides the texts, where JSON goes. */
export const VALUES: Record<string, unknown> = {
  ...TEXTS,
  null: null,
  true: true,
  zero: 0,
  "minus zero": -0,
  "minus one": -1,
  "a fraction": 0.5,
  "beyond 2^53": 2 ** 53 + 2,
  "the largest number": Number.MAX_VALUE,
  "the smallest number": Number.MIN_VALUE,
  "time out of range": 8.64e15 + 1,
  "time before all": -8.64e15 - 1,
  "empty list": [],
  "empty object": {},
  "list of lists": [[[]], [null], [{}]],
  "list of many": Array.from({ length: 5_000 }, (_, at) => at),
  "nested lists": nested(3_000, "[", "]"),
  "nested objects": JSON.parse(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`),
  "prototype within": JSON.parse('{"__proto__":{"owned":true},"constructor":{"prototype":{"owned":true}}}'),
  "many keys": Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`key ${at}`, at])),
  "an object that looks like a text": { length: 3, toString: "x", valueOf: null },
};

/** Whole bodies that are not what they say. */
export const BODIES: Record<string, string | Uint8Array<ArrayBuffer>> = {
  empty: "",
  "no JSON": "{",
  "JSON of another kind": '"text"',
  "a list": "[]",
  null: "null",
  "two values": "{}{}",
  "deep beyond any parser": "[".repeat(600_000),
  "deep objects": '{"a":'.repeat(200_000),
  "bytes that are no UTF-8": new Uint8Array([0x7b, 0xff, 0xfe, 0x22, 0xc0, 0x80, 0x7d]),
  "UTF-16": new Uint8Array(Buffer.from('\ufeff{"name":"x"}', "utf16le")),
  "a byte order mark": '\ufeff{"a":1}',
  "key twice": '{"name":"a","name":{"b":1}}',
  prototype: '{"__proto__":{"owned":true},"constructor":{"prototype":{"owned":true}}}',
  "a number too long": `{"a":${"9".repeat(50_000)}}`,
  "zstd magic": new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x01, 0x00, 0x00]),
  "zip magic": "PK\x05\x06",
  markup: MARK,
};

/** Path segments and query strings as they can be sent, though no client would write them. */
export const RAW: Record<string, string> = {
  "a lone percent sign": "%",
  "half an escape": "%f",
  "bytes that are no UTF-8": "%ff%fe",
  "a lone surrogate": "%ed%a0%80",
  "an overlong slash": "%c0%af",
  NUL: "%00",
  "twice encoded traversal": "%252e%252e%252f",
  "encoded traversal": "..%2f..%2fetc%2fpasswd",
  "matrix parameter": "a;b=c",
};

/** As a URL carries it; a lone surrogate has no such form. */
export const encoded = (text: string): string | null =>
  text.isWellFormed() ? encodeURIComponent(text) : null;

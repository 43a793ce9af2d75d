export interface Variable {
  /** What its value is, in words. */
  is: string;
  /** What holds without it; empty for nothing. */
  usual: string;
  what: string;
}

/** Every variable of the environment that the program, or what it writes into a test suite, reads. */
export const ENVIRONMENT = {
  TRACEDECK_DATA: {
    is: "a folder",
    usual: "the user's data folder",
    what: "The data folder; `--data` wins over it. The user's own is `~/.local/share/tracedeck` (or below `XDG_DATA_HOME`) on Linux, `~/Library/Application Support/tracedeck` on macOS, `%LOCALAPPDATA%\\tracedeck` on Windows.",
  },
  TRACEDECK_HOST: { is: "an address of this machine", usual: "127.0.0.1", what: "Where `serve` listens." },
  TRACEDECK_PORT: {
    is: "a whole number from 0 to 65535",
    usual: "4173",
    what: "The port; 0 takes any free one.",
  },
  TRACEDECK_PUBLIC_URL: {
    is: "an http(s) address without a path",
    usual: "",
    what: "Where others reach the server; it wins over `public_url`.",
  },
  TRACEDECK_LOG_LEVEL: {
    is: "debug, info, warn or error",
    usual: "info",
    what: "What is logged, on standard error, a line of JSON each.",
  },
  TRACEDECK_BROWSER: {
    is: "a file",
    usual: "",
    what: "The Chromium, Chrome or Edge that carries runs out.",
  },
  TRACEDECK_SECRET_NAME: {
    is: "text",
    usual: "",
    what: "The value of the secret `NAME` of the first organisation: `TRACEDECK_SECRET_SHOP_PASSWORD` is `${secrets.SHOP_PASSWORD}`.",
  },
  TRACEDECK_URL: {
    is: "an http(s) address",
    usual: "the server on this machine",
    what: "Where the Playwright reporter sends traces.",
  },
  TRACEDECK_KEY: {
    is: "an API key",
    usual: "that of the server on this machine",
    what: "What the Playwright reporter sends them with; the scope is `traces:write`. `tracedeck mcp --server` takes it where `--api-key` is not given.",
  },
} as const satisfies Record<string, Variable>;

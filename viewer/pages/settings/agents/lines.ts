/** How an agent is given the address: a command, or a line of its settings. */
export interface AgentLine {
  agent: string;
  /** Where the line belongs. */
  where: string;
  line: (address: string) => string;
}

/** The common agents, by the documentation of each; the same stand in viewer/docs/agents.md. */
export const AGENT_LINES: readonly AgentLine[] = [
  {
    agent: "Claude Code",
    where: "in a terminal, then /mcp in the agent",
    line: (address) => `claude mcp add --transport http tracedeck ${address}`,
  },
  {
    agent: "Codex",
    where: "in a terminal",
    line: (address) => `codex mcp add tracedeck --url ${address} && codex mcp login tracedeck`,
  },
  {
    agent: "Gemini CLI",
    where: "in a terminal, then /mcp auth tracedeck in the agent",
    line: (address) => `gemini mcp add --transport http tracedeck ${address}`,
  },
  {
    agent: "VS Code",
    where: "in a terminal",
    line: (address) => `code --add-mcp '{"name":"tracedeck","type":"http","url":"${address}"}'`,
  },
  {
    agent: "Cursor",
    where: "in ~/.cursor/mcp.json",
    line: (address) => `{"mcpServers":{"tracedeck":{"url":"${address}"}}}`,
  },
  {
    agent: "Windsurf",
    where: "in ~/.codeium/windsurf/mcp_config.json",
    line: (address) => `{"mcpServers":{"tracedeck":{"serverUrl":"${address}"}}}`,
  },
  {
    agent: "Zed",
    where: "in settings.json",
    line: (address) => `{"context_servers":{"tracedeck":{"url":"${address}"}}}`,
  },
  {
    agent: "Others, on stdio",
    where: "as the agent's command",
    line: (address) => `npx mcp-remote ${address}`,
  },
];
